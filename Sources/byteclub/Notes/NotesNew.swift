import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Messages

struct NotesNew: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Write a new note.",
        discussion: """
            The text is what is piped or redirected into the command, or typed after “-” up to ^D. A note of \
            this name that is there already is never replaced. A note has 128 MiB at most. A text that \
            cannot be sent is kept as a draft, which the app offers at its next start.
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
        // Before the club is asked: what comes through a pipe comes once.
        let text = source != nil || TextInput.isPiped ? try TextInput.read() : Data()
        let kept = KeptText(
            text, named: path.name, in: path.parent ?? .root, for: club, with: registry)
        do {
            let store = try await ClubOptions.open(club, registry)
            let file = try await put(
                text, at: path, in: store, kept, announcing: OwnChanges(in: club, registry))
            kept.discard()
            if json.isOn { try Output.json(ListedFile(file)) }
        } catch let error as StoreError {
            throw kept.failure(CommandFailure(error).sentence)
        }
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
            guard case .conflict = error.code else { throw error }
            // The very same text is safe there.
            let there = try? await store.fetch(path)
            // Its name may be written in another way.
            let name = there?.file.path.name ?? path.name
            let taken = localized("There is a note “\(name)” already.")
            guard there?.data == text else { throw kept.failure(taken) }
            kept.discard()
            throw CommandFailure(taken + localized(" Nothing was changed."))
        }
    }
}
