import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials

struct NotesSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find lines in the texts of all notes.",
        discussion: """
            A line is found when it has all the words in it, in any order; case counts for a word with a \
            capital letter. With --json: an array of objects with name, path, line (from 1) and text. When \
            nothing is found the exit status is 1.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "What to look for.")
    var words: [String]

    func run() async throws {
        let store = try await club.open()
        let listing = try await store.list(.root, recursive: true)
        let search = LineSearch(words.joined(separator: " "))
        var found: [FoundLine] = []
        var hasFound = false
        for file in ClubFiles.searchableNotes(listing) {
            let data: Data
            do throws(StoreError) {
                data = try await store.fetch(file.path).data
            } catch {
                // It is gone since it was listed: not in the club any more.
                if error.code == .notFound { continue }
                throw error
            }
            for hit in search.lines(in: String(decoding: data, as: UTF8.self)) {
                if json.isOn {
                    found.append(
                        FoundLine(
                            name: file.name, path: file.path.string, line: hit.number,
                            text: hit.text))
                } else {
                    let place = String(file.path.string.dropFirst())
                    Output.line("\(place):\(hit.number): \(hit.text)")
                }
                hasFound = true
            }
        }
        if json.isOn { try Output.json(found) }
        if !hasFound { throw ExitCode(1) }
    }

    /// A line as `search --json` writes it. These fields stay as they are.
    private struct FoundLine: Encodable {
        var name: String
        var path: String
        var line: Int
        var text: String
    }
}
