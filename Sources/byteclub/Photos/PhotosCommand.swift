import ArgumentParser
import ClubAccess
import ClubStore

struct PhotosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos", abstract: "List, add, fetch and remove panoramas.",
        discussion: """
            With --json, ls, mv, rm, trash and restore write JSON to standard output; put and get write events, a line of \
            JSON each: progress (name, bytes, total), then done (name, path, revision) or failed (name, \
            reason). Without it, a bar shows the progress on a terminal only. The exit status is 0, 1 when something \
            failed, 2 for bad usage.
            """,
        subcommands: [
            List.self, PhotosPut.self, PhotosGet.self, PhotosRemove.self,
            PhotosTrash.self, PhotosRestore.self, PhotosMove.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the photos.",
            discussion: """
                While the club cannot be reached, the local copy is shown. With --json: an array of objects with name, size (bytes), modified (ISO 8601, UTC), revision and path.
                """)

        @OptionGroup var club: ClubOptions

        @Flag(help: "Write JSON.")
        var json = false

        func run() async throws {
            let club = try await club.openForReading()
            let files = ClubFiles(try await club.list(.root, recursive: true))
            try Output.list(files.photos, of: files, asJSON: json)
        }
    }
}
