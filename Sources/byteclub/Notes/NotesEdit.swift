import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct NotesEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit a note in your editor.",
        discussion: """
            The editor is $VISUAL, else $EDITOR, else one that is installed. With a pipe or “-” the text \
            comes from standard input instead. The note is saved only if nobody has changed it meanwhile; \
            otherwise the text is kept as a draft, which the app offers at its next start. While the club \
            cannot be reached, the change waits: byteclub outbox lists it.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The note; “.txt” can be omitted.", completion: Proposals.notes)
    var name: String

    @Argument(help: ArgumentHelp("Take the text from standard input.", valueName: "-"))
    var source: String?

    func validate() throws {
        if let reason = TextInput.check(source, command: "edit") { throw ValidationError(reason) }
    }

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let reminder = OutboxReminder(club, registry)
        defer { reminder.show() }
        let isPiped = source != nil || TextInput.isPiped
        let piped = isPiped ? try TextInput.read() : nil
        // Running it without a terminal and without input is probably a mistake.
        guard source != nil || piped?.isEmpty != true else {
            throw CommandFailure(
                localized(
                    "Nothing came from standard input, so nothing was changed. To empty the note: byteclub "
                        + "notes edit NAME - </dev/null"))
        }
        if let piped { try requireSize(of: piped, from: nil) }
        // What came through a pipe comes once: it is on disk before the club is asked, which may take long.
        let early = await kept(piped, club, registry)
        let note = try await open(club, registry, keeping: piped, early)
        var edited: EditedText?
        if piped == nil {
            edited = try await EditedText.edit(
                note.data ?? Data(), of: note.file,
                in: DraftStore(folder: registry.drafts(of: club)))
        }
        let text = piped ?? edited?.data ?? Data()
        guard text != note.data else {
            edited?.discard()
            early?.discard()
            if json.isOn { return try Output.json(ListedFile(note.file)) }
            return Output.notice(localized("“\(note.file.name)” was not changed."))
        }
        try requireSize(of: text, from: edited)
        let kept = KeptText(
            text, named: note.file.name, replacing: note.file, for: club, with: registry,
            from: edited, insteadOf: early)
        do {
            let saved = try await save(text, as: note, isUnseen: isPiped, club, registry)
            kept.discard()
            if json.isOn { try? Output.json(ListedFile(saved)) }
        } catch let error as StoreError {
            guard error.isConflict else {
                throw kept.failure(CommandFailure(error))
            }
            throw kept.failure(
                CommandFailure(
                    localized(
                        "“\(note.file.name)” was changed by someone else meanwhile, and was not replaced."
                    )))
        } catch let failure as CommandFailure {
            throw kept.failure(failure)
        }
    }

    private func requireSize(of text: Data, from edited: EditedText?) throws {
        guard text.count > TextInput.byteLimit else { return }
        throw CommandFailure(
            TextInput.limitSentence + localized(" Nothing was written.")
                + (edited?.leave() ?? ""))
    }

    /// A text as a draft of the note as this computer knows it; nil for a name that no note can have.
    private func kept(
        _ text: Data?, _ club: ClubSettings, _ registry: ClubRegistry
    ) async -> KeptText? {
        guard let text, let path = try? NotePaths.new(name) else { return nil }
        let known = await Self.base(at: path, of: registry.libraryFolder(of: club))
        // Not a new note: the app compares the text with the one in the club.
        let base =
            known
            ?? RemoteFile(path: path, revision: .ofNothing, byteCount: 0, modified: Date())
        return KeptText(
            text, named: path.name, in: path.parent ?? .root, replacing: base, for: club,
            with: registry)
    }

    /// A note to edit, and where its new text goes.
    private struct OpenNote {
        var file: RemoteFile
        /// Nil for a text that is not stored here while the club is unreachable.
        var data: Data?
        var place: Place

        enum Place {
            case club(any RemoteStore)
            case outbox(NotesOutbox)
        }
    }

    /// Writes a text into the club, or into the outbox while the club is unreachable.
    ///
    /// - Parameter isUnseen: Whether nobody has seen the text that is replaced: it came through a pipe.
    private func save(
        _ text: Data, as note: OpenNote, isUnseen: Bool, _ club: ClubSettings,
        _ registry: ClubRegistry
    ) async throws -> RemoteFile {
        switch note.place {
        case .outbox(let outbox):
            return try outbox.update(note.file, from: note.data, to: text, wasAttempted: false)
        case .club(let store):
            if let data = note.data {
                store.noteBase(data)
                do {
                    try await Self.keep(
                        data, of: note.file, from: store, in: registry.libraryFolder(of: club))
                } catch let reason where isUnseen {
                    throw CommandFailure(
                        localized(
                            "“\(note.file.name)” was not replaced: the text that it has now cannot be kept on this computer. \("\(reason)")"
                        ))
                } catch {
                    // Who has had the text in an editor may replace it; a write that fails is reported in any case.
                }
            }
            do throws(StoreError) {
                let changes = OwnChanges(in: club, registry)
                return try await changes.writing(text, at: note.file.path) {
                    () throws(StoreError) in
                    try await store.put(
                        text, at: note.file.path,
                        mode: .update(note.file.revision, contentHash: note.file.contentHash))
                }
            } catch {
                guard let outbox = NotesOutbox(club, registry, insteadOf: error) else {
                    throw error
                }
                return try outbox.update(note.file, from: note.data, to: text, wasAttempted: true)
            }
        }
    }

    /// Keeps the text that is replaced, unless the club does: a server may store a part of the new one.
    ///
    /// - Throws: `LibraryError` if it cannot be kept.
    @concurrent static func keep(
        _ data: Data, of file: RemoteFile, from store: any RemoteStore, in folder: URL
    ) async throws {
        let keeper = try? await store.revisionStore
        guard keeper?.keepsEveryState != true else { return }
        let copy = LocalCopy(folder: folder)
        try copy.keep([(file, data)])
        try copy.requireDurable()
    }

    /// - Parameter piped: Piped input can be read only once: if the note is not found, it is kept as a draft.
    private func open(
        _ club: ClubSettings, _ registry: ClubRegistry, keeping piped: Data?, _ early: KeptText?
    ) async throws -> OpenNote {
        do {
            let store = try await ClubOptions.open(club, registry)
            let earlier = EarlierChanges(club, registry)
            try await earlier.send(to: store)
            let note = try await NotePaths.with(name, in: store) { path throws(StoreError) in
                try await store.fetch(path)
            }
            try earlier.requireNone(of: note.file.path)
            return OpenNote(file: note.file, data: note.data, place: .club(store))
        } catch {
            if let error = error as? StoreError,
                let outbox = NotesOutbox(club, registry, insteadOf: error),
                let note = try? await known(in: outbox, needsText: piped == nil)
            {
                return note
            }
            let failure =
                (error as? StoreError).map(CommandFailure.init) ?? error as? CommandFailure
            guard let failure, let piped, let path = try? NotePaths.new(name) else { throw error }
            var base = await Self.base(at: path, of: registry.libraryFolder(of: club))
            if base == nil, error is StoreError {
                // Not a new note: the app compares the text with the one in the club.
                base = RemoteFile(
                    path: path, revision: .ofNothing, byteCount: 0, modified: Date())
            }
            let kept = KeptText(
                piped, named: path.name, in: path.parent ?? .root, replacing: base, for: club,
                with: registry, insteadOf: early)
            throw kept.failure(failure)
        }
    }

    private func known(in outbox: NotesOutbox, needsText: Bool) async throws -> OpenNote {
        if let note = try? await outbox.fetch(name) {
            return OpenNote(file: note.file, data: note.data, place: .outbox(outbox))
        }
        guard !needsText else { throw StoreError(.offline, during: .fetch) }
        return OpenNote(file: try await outbox.find(name), data: nil, place: .outbox(outbox))
    }

    /// The note in the version that this computer has seen last.
    @concurrent private static func base(at path: RemotePath, of folder: URL) async -> RemoteFile? {
        guard let copy = LocalCopy(existingIn: folder), let kept = try? KeptFiles(of: copy) else {
            return nil
        }
        return try? await kept.metadata(of: path)
    }
}
