import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct NotesSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find lines in the texts of all notes.",
        discussion: """
            Finds lines that contain all the words, in any order; a word with a capital letter is \
            case-sensitive. Notes that cannot be read, and those larger than 1 MiB without --all, are named on \
            standard error, and the others are searched. While the club cannot be reached, the local copy is \
            searched. With --json: an array of objects with name, path, line (from 1) and text. If nothing is \
            found, the exit status is 1.
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
        let large = try await Self.search(
            search, in: club, keptIn: club.existingCopy, includingLarge: all
        ) { file, hit in
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
                CommandFailure(localized("“\(file.name)” was not searched."), error))
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
    /// - Parameter copy: Has the texts that need not be fetched; nil for none.
    /// - Returns: The notes that are too large, unless they are included.
    @discardableResult
    static func search(
        _ search: LineSearch, in club: any RemoteReading, keptIn copy: LocalCopy? = nil,
        includingLarge: Bool = false,
        found: (RemoteFile, LineSearch.Line) -> Void, skipped: (RemoteFile, StoreError) -> Void
    ) async throws(StoreError) -> [RemoteFile] {
        let contents = ClubContents(listing: try await club.list(.root, recursive: true))
        let large = contents.largeNotes
        for file in contents.searchableNotes + (includingLarge ? large : []) {
            let data: Data
            do throws(StoreError) {
                if let kept = await Self.text(of: file, in: copy) {
                    data = kept
                } else {
                    data = try await club.fetch(file.path).data
                }
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

    /// A text that is here in the revision that was listed.
    @concurrent private static func text(of file: RemoteFile, in copy: LocalCopy?) async -> Data? {
        // Where the copy is damaged, the club has the text.
        try? copy?.text(of: file)?.data
    }

    /// A line in `search --json`. These fields must not change.
    private struct FoundLine: Encodable {
        var name: String
        var path: String
        var line: Int
        var text: String
    }
}
