import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct NotesTrash: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "List the removed notes, the latest first.",
        discussion: """
            Lists the removed notes that this computer has seen and can bring back, including those that others \
            have removed, as Z does in the app. byteclub notes restore NAME brings one back. With --json: an \
            array of objects with name, path, size (bytes), modified, revision, deleted (both times ISO 8601, \
            UTC) and own (whether it was removed here).
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        guard let copy = LocalCopy(existingIn: registry.libraryFolder(of: club)) else {
            return try Output.list([], asJSON: json.isOn)
        }
        do {
            var deletions = try copy.trash().filter { ClubContents.kind(of: $0.file) == .notes }
            // The club is asked only if a text is not stored here.
            if deletions.contains(where: { !$0.hasText }),
                await !Self.keepsDeletedFiles(club, registry)
            {
                deletions.removeAll { !$0.hasText }
            }
            var removed = deletions.map {
                (file: $0.file, date: $0.deleted, isOwn: $0.wasDeletedHere)
            }
            // As the app shows them: deletions that wait are listed already.
            for change in try copy.waitingChanges() where change.action == .delete {
                removed.append((change.gone, change.date, true))
            }
            try Output.list(
                removed.sorted { $0.date > $1.date }
                    .map { RemovedFile($0.file, at: $0.date, isOwn: $0.isOwn) },
                asJSON: json.isOn)
        } catch let error as LibraryError {
            throw CommandFailure(error.description)
        }
    }

    private static func keepsDeletedFiles(
        _ club: ClubSettings, _ registry: ClubRegistry
    ) async -> Bool {
        guard let store = try? await ClubOptions.open(club, registry) else { return false }
        if let known = store.isKnownToKeepDeletedFiles { return known }
        let keeper = try? await store.trashStore
        return keeper != nil
    }
}
