import ArgumentParser
import ByteClub
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Messages

struct NotesEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit a note in your editor.",
        discussion: """
            The editor is $VISUAL, else $EDITOR, else one that is installed. With a pipe or “-” the note gets \
            the text of standard input instead. The note is saved only if nobody has changed it meanwhile; \
            otherwise, and when it cannot be sent, the text is kept as a draft, which the app offers at its \
            next start.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The note; “.txt” need not be said.")
    var name: String

    @Argument(help: ArgumentHelp("Take the text from standard input.", valueName: "-"))
    var source: String?

    func validate() throws {
        if let reason = TextInput.check(source, command: "edit") { throw ValidationError(reason) }
    }

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let isPiped = source != nil || TextInput.isPiped
        let piped = isPiped ? try TextInput.read() : nil
        // Someone who runs it without a terminal may have meant no such thing.
        guard source != nil || piped?.isEmpty != true else {
            throw CommandFailure(
                localized(
                    "Nothing came from standard input, so nothing was changed. To empty the note: byteclub "
                        + "notes edit NAME - </dev/null"))
        }
        let (store, note) = try await fetch(from: club, registry, keeping: piped)
        var edited: EditedText?
        if piped == nil {
            edited = try await EditedText.edit(note.data, named: note.file.name)
        }
        let text = piped ?? edited?.data ?? Data()
        guard text != note.data else {
            edited?.discard()
            if json.isOn { return try Output.json(ListedFile(note.file)) }
            return Output.notice(localized("“\(note.file.name)” was not changed."))
        }
        guard text.count <= TextInput.byteLimit else {
            throw CommandFailure(
                TextInput.limitSentence + localized(" Nothing was written.")
                    + (edited?.sentence ?? ""))
        }
        let kept = KeptText(
            text, named: note.file.name, replacing: note.file, for: club, with: registry,
            from: edited)
        do throws(StoreError) {
            let changes = OwnChanges(in: club, registry)
            let saved = try await changes.writing(text, at: note.file.path) {
                () throws(StoreError) in
                try await store.put(
                    text, at: note.file.path,
                    mode: .update(note.file.revision, contentHash: note.file.contentHash))
            }
            kept.discard()
            if json.isOn { try? Output.json(ListedFile(saved)) }
        } catch {
            guard case .conflict = error.code else {
                throw kept.failure(CommandFailure(error).sentence)
            }
            throw kept.failure(
                localized(
                    "“\(note.file.name)” was changed by someone else meanwhile, and was not replaced."
                ))
        }
    }

    /// - Parameter piped: What comes through a pipe comes once: without the note it is kept as a draft.
    private func fetch(
        from club: ClubSettings, _ registry: ClubRegistry, keeping piped: Data?
    ) async throws -> (store: any RemoteStore, note: (file: RemoteFile, data: Data)) {
        do {
            let store = try await ClubOptions.open(club, registry)
            let note = try await NotePaths.with(name, in: store) { path throws(StoreError) in
                try await store.fetch(path)
            }
            return (store, note)
        } catch {
            let failure =
                (error as? StoreError).map(CommandFailure.init) ?? error as? CommandFailure
            guard let failure, let piped, let path = try? NotePaths.new(name) else { throw error }
            let base = await Self.base(at: path, of: registry.libraryFolder(of: club))
            let kept = KeptText(
                piped, named: path.name, in: path.parent ?? .root, replacing: base, for: club,
                with: registry)
            throw kept.failure(failure.sentence)
        }
    }

    /// The note as this computer has seen it last.
    @concurrent private static func base(at path: RemotePath, of folder: URL) async -> RemoteFile? {
        // Opening a copy makes it.
        guard FileManager.default.fileExists(atPath: folder.path),
            let kept = try? KeptFiles(of: LocalCopy(folder: folder))
        else { return nil }
        return try? await kept.metadata(of: path)
    }
}
