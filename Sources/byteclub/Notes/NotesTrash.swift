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
        if json.isOn { return try Output.json(deletions.map(Row.init)) }
        let now = Date()
        Output.table(
            deletions.map { deletion in
                [
                    String(deletion.file.path.string.dropFirst()),
                    Wording.byteCount(deletion.file.byteCount),
                    deletion.isOwn
                        ? localized("removed here") : localized("removed by someone else"),
                    Wording.age(of: deletion.deleted, at: now),
                ]
            })
    }

    /// A removed note as `trash --json` writes it. These fields stay as they are.
    private struct Row: Encodable {
        var file: ListedFile
        var deleted: String
        var isOwn: Bool

        enum CodingKeys: String, CodingKey {
            case deleted
            case isOwn = "own"
        }

        init(_ deletion: Deletion) {
            file = ListedFile(deletion.file)
            deleted = deletion.deleted.ISO8601Format()
            isOwn = deletion.isOwn
        }

        func encode(to encoder: any Encoder) throws {
            try file.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(deleted, forKey: .deleted)
            try container.encode(isOwn, forKey: .isOwn)
        }
    }
}
