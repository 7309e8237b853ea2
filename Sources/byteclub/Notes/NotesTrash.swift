import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Messages

struct NotesTrash: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "List the notes that were removed, the last one first.",
        discussion: """
            Those that this computer has seen go and whose text it has, also what others have removed; byteclub \
            notes restore NAME brings one back. With --json: an array of objects with name, path, size \
            (bytes), modified, revision, deleted (both times ISO 8601, UTC) and own (whether it was removed \
            here).
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    func run() throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let folder = registry.libraryFolder(of: club)
        var deletions: [Deletion] = []
        // Opening a copy makes it.
        if FileManager.default.fileExists(atPath: folder.path) {
            do {
                deletions = try LocalCopy(folder: folder).trash().filter(\.isKeptNote)
            } catch let error as LibraryError {
                throw CommandFailure(error.description)
            }
        }
        try Output.list(
            deletions.map { RemovedFile($0.file, at: $0.deleted, isOwn: $0.isOwn) },
            asJSON: json.isOn)
    }
}
