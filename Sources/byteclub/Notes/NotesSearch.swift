import ArgumentParser
import ClubAccess
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct NotesSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find lines in the texts of all notes.",
        discussion: """
            A line is found when it has all the words in it, in any order; case counts for a word with a \
            capital letter. A note that cannot be read is named on standard error, and the others are \
            searched; so is one larger than 1 MiB, unless --all asks for it. While the club cannot be reached, \
            the texts that are kept on this computer are searched. With --json: an array of objects with name, path, line (from 1) and text. When nothing is found the \
            exit status is 1.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Flag(help: "Search notes larger than 1 MiB, too, up to 128 MiB each.")
    var all = false

    @Argument(help: "What to look for.")
    var words: [String]

    func validate() throws {
        guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError(localized("Say what to look for."))
        }
    }

    func run() async throws {
        let club = try await club.openForReading()
        let search = LineSearch(words.joined(separator: " "))
        var found: [FoundLine] = []
        var hasFound = false
        let large = try await Self.search(search, in: club, includingLarge: all) { file, hit in
            if json.isOn {
                found.append(
                    FoundLine(
                        name: file.name, path: file.path.string, line: hit.number, text: hit.text))
            } else {
                let place = file.path.relativeString
                Output.line("\(place):\(hit.number): \(hit.text)")
            }
            hasFound = true
        } skipped: { file, error in
            Output.complain(
                CommandFailure(localized("“\(file.name)” was not searched."), error).sentence)
        }
        if json.isOn { try Output.json(found) }
        for file in large {
            let limit = ClubContents.searchableByteCount >> 20
            Output.complain(
                localized(
                    "“\(file.name)” was not searched: it is larger than \(limit) MiB. --all searches it, too."
                ))
        }
        if !hasFound { throw ExitCode(1) }
    }

    /// Searches all notes; continues if one cannot be read.
    ///
    /// - Returns: The notes that are too large, unless they are included.
    @discardableResult
    static func search(
        _ search: LineSearch, in club: any RemoteReading, includingLarge: Bool = false,
        found: (RemoteFile, LineSearch.Line) -> Void, skipped: (RemoteFile, StoreError) -> Void
    ) async throws(StoreError) -> [RemoteFile] {
        let contents = ClubContents(listing: try await club.list(.root, recursive: true))
        let large = contents.largeNotes
        for file in contents.searchableNotes + (includingLarge ? large : []) {
            let data: Data
            do throws(StoreError) {
                data = try await club.fetch(file.path).data
            } catch {
                // Deleted since it was listed.
                if error.code == .notFound { continue }
                // A server may fail repeatedly for one file. The local copy may have its entry without its
                // text.
                guard
                    error.concernsOneFile || error.code == .serverError
                        || (club as? ReachableOrKept)?.isKept == true
                else { throw error }
                skipped(file, error)
                continue
            }
            for hit in search.lines(in: data) { found(file, hit) }
        }
        return includingLarge ? [] : large
    }

    /// A line in `search --json`. These fields must not change.
    private struct FoundLine: Encodable {
        var name: String
        var path: String
        var line: Int
        var text: String
    }
}
