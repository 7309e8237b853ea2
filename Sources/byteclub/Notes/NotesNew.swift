import ArgumentParser
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages
import TextEditing

struct NotesNew: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Write a new note.",
        discussion: """
            The text is piped or redirected into the command, or typed after “-” up to ^D. An existing note of \
            this name is never replaced. A note can have up to 128 MiB. While the club \
            cannot be reached, the note waits: byteclub outbox lists it. A text that the club refuses is kept \
            as a draft, which the app offers at its next start.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The note's name; “.txt” is added when it has no extension.")
    var name: String

    @Argument(
        help: ArgumentHelp(
            "Take the text from standard input, also from a terminal. Without it, and without a pipe, the "
                + "note is empty.", valueName: "-"))
    var source: String?

    func validate() throws {
        if let reason = TextInput.check(source, command: "new") { throw ValidationError(reason) }
    }

    func run() async throws {
        let path = try NotePaths.new(name)
        try NotePaths.requireNotePath(path)
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let reminder = OutboxReminder(club, registry)
        defer { reminder.show() }
        // A person is not to type a text for a name that is taken; piped input can be read only once, and is
        // kept whatever the club says.
        if source != nil, isatty(STDIN_FILENO) == 1 { try await requireFree(path, club, registry) }
        let hasText = source != nil || TextInput.isPiped
        let text = hasText ? try TextInput.read() : Data()
        let kept = KeptText(
            text, named: path.name, in: path.parent ?? .root, for: club, with: registry)
        do {
            let file = try await save(text, at: path, kept, club, registry)
            kept.discard()
            if json.isOn { try Output.json(ListedFile(file)) }
            if !hasText {
                let argument = Self.argument(file.path)
                Output.notice(
                    localized(
                        "Created “\(file.name)” without text; byteclub notes edit \(argument) opens it."
                    ))
            }
        } catch let error as StoreError {
            throw kept.failure(CommandFailure(error))
        }
    }

    /// A path as one types it in a shell, quoted where it must be.
    private static func argument(_ path: RemotePath) -> String {
        let text = path.relativeString
        // A character that is shown as “<U+202E>” has signs of the shell in it.
        let isPlain =
            VisibleText(text).string == text
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                    || "0123456789-_./".utf8.contains($0) || $0 >= 0x80
            }
        let word = isPlain ? text : ClubSettings.shellQuoted(text)
        // Else it would be taken for an option, quoted or not.
        return text.hasPrefix("-") ? "-- " + word : word
    }

    private func requireFree(
        _ path: RemotePath, _ club: ClubSettings, _ registry: ClubRegistry
    ) async throws {
        let reading: ReachableOrKept
        do throws(StoreError) {
            reading = try await ReachableOrKept(club, registry)
            _ = try await reading.metadata(of: path)
        } catch {
            // Anything else fails when the note is written, and the text is kept then.
            return
        }
        throw CommandFailure(
            localized("There is a note “\(path.name)” already.")
                + localized(" Nothing was changed."))
    }

    /// Writes the note into the club, or into the outbox while the club is unreachable.
    private func save(
        _ text: Data, at path: RemotePath, _ kept: KeptText, _ club: ClubSettings,
        _ registry: ClubRegistry
    ) async throws -> RemoteFile {
        var wasAttempted = false
        do {
            let store = try await ClubOptions.open(club, registry)
            do {
                try await EarlierChanges(club, registry).send(to: store)
            } catch let failure as CommandFailure {
                throw kept.failure(failure)
            }
            wasAttempted = true
            return try await put(
                text, at: path, in: store, kept, announcing: OwnChanges(in: club, registry))
        } catch let error as StoreError {
            guard let outbox = NotesOutbox(club, registry, insteadOf: error) else { throw error }
            do {
                return try await outbox.add(text, at: path, wasAttempted: wasAttempted)
            } catch let failure as CommandFailure {
                throw kept.failure(failure)
            }
        }
    }

    /// The file that stands where a folder of the path would.
    private static func note(above path: RemotePath, in store: any RemoteStore) async -> RemoteFile?
    {
        var folder = path.parent
        while let place = folder, !place.isRoot {
            if let file = try? await store.metadata(of: place) { return file }
            folder = place.parent
        }
        return nil
    }

    private func put(
        _ text: Data, at path: RemotePath, in store: any RemoteStore, _ kept: KeptText,
        announcing changes: OwnChanges
    ) async throws -> RemoteFile {
        do throws(StoreError) {
            return try await changes.writing(text, at: path) { () throws(StoreError) in
                try await store.put(text, at: path, mode: .create)
            }
        } catch {
            guard error.isNameTaken else { throw error }
            if let note = await Self.note(above: path, in: store) {
                throw kept.failure(
                    CommandFailure(
                        localized("“\(note.name)” is a note, not a folder: nothing can be in it.")))
            }
            // The same text is stored there.
            let there = try? await store.fetch(path)
            // Its name may be spelled differently.
            let name = there?.file.path.name ?? path.name
            let taken = localized("There is a note “\(name)” already.")
            guard there?.data == text else { throw kept.failure(CommandFailure(taken)) }
            kept.discard()
            throw CommandFailure(taken + localized(" Nothing was changed."))
        }
    }
}
