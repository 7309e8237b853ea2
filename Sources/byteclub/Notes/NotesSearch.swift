import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Messages

struct NotesSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find lines in the texts of all notes.",
        discussion: """
            A line is found when it has all the words in it, in any order; case counts for a word with a \
            capital letter. A note that cannot be read is named on standard error, and the others are \
            searched. While the club cannot be reached, the texts that are kept on this computer are. With \
            --json: an array of objects with name, path, line (from 1) and text. When nothing is found the \
            exit status is 1.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "What to look for.")
    var words: [String]

    func run() async throws {
        let club = try await club.openForReading()
        let search = LineSearch(words.joined(separator: " "))
        var found: [FoundLine] = []
        var hasFound = false
        try await Self.search(search, in: club) { file, hit in
            if json.isOn {
                found.append(
                    FoundLine(
                        name: file.name, path: file.path.string, line: hit.number, text: hit.text))
            } else {
                let place = String(file.path.string.dropFirst())
                Output.line("\(place):\(hit.number): \(hit.text)")
            }
            hasFound = true
        } skipped: { file, error in
            Output.complain(
                CommandFailure(localized("“\(file.name)” was not searched."), error).sentence)
        }
        if json.isOn { try Output.json(found) }
        if !hasFound { throw ExitCode(1) }
    }

    /// Looks through all notes; one that cannot be read does not end it.
    static func search(
        _ search: LineSearch, in club: any RemoteReading,
        found: (RemoteFile, LineSearch.Line) -> Void, skipped: (RemoteFile, StoreError) -> Void
    ) async throws(StoreError) {
        let listing = try await club.list(.root, recursive: true)
        for file in ClubContents(listing: listing).searchableNotes {
            let data: Data
            do throws(StoreError) {
                data = try await club.fetch(file.path).data
            } catch {
                // It is gone since it was listed: not in the club any more.
                if error.code == .notFound { continue }
                // A server may fail at one file again and again.
                // Kept here may be the listing without this text.
                guard
                    error.concernsOneFile || error.code == .serverError
                        || (club as? ReachableOrKept)?.isKept == true
                else { throw error }
                skipped(file, error)
                continue
            }
            for hit in search.lines(in: String(decoding: data, as: UTF8.self)) { found(file, hit) }
        }
    }

    /// A line as `search --json` writes it. These fields stay as they are.
    private struct FoundLine: Encodable {
        var name: String
        var path: String
        var line: Int
        var text: String
    }
}
