import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials

// How long a list of many notes takes: from a listing to rows, and from a key in the filter to rows.
// Everything here happens off the main actor in the app.
//
//     swift run -c release ListBench [COUNT]

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let words = [
    "plan", "list", "draft", "note", "chapter", "meeting", "idea", "fizz", "tree", "ünïcode",
]
let entries = try (0..<count).map { number in
    let name = "\(words[number % 10]) \(words[number / 10 % 10]) \(number).txt"
    return RemoteEntry.file(
        RemoteFile(
            path: try RemotePath.root.appending(name), revision: Revision(rawValue: "\(number)"),
            byteCount: Int64(number), modified: Date(timeIntervalSince1970: Double(number))))
}

func milliseconds(_ body: () -> Void) -> Double {
    let duration = ContinuousClock().measure(body)
    return duration / .milliseconds(1)
}

func report(_ what: String, _ times: [Double]) {
    let sorted = times.sorted()
    let tenths = { (value: Double) in "\((value * 10).rounded() / 10)" }
    print("\(what): \(tenths(sorted[sorted.count / 2])) ms, at most \(tenths(sorted.last ?? 0)) ms")
}

var contents = ClubContents()
report(
    "\(count) entries into contents",
    (0..<5).map { _ in
        milliseconds {
            contents = ClubContents(
                listing: Listing(entries: entries, cursor: Cursor(rawValue: "")))
        }
    })
var arrangement = FileArrangement.empty
for sort in ListSort.allCases {
    report(
        "arranged \(sort.title)",
        (0..<5).map { _ in
            milliseconds {
                arrangement = FileArrangement(
                    contents, .init(kind: .notes, sort: sort), UnreadMarks())
            }
        })
}
for query in ["plan tree 99", "ünï 5", "xqz", "Fizz", "ct9"] {
    var earlier: FilteredRows?
    var typed = ""
    report(
        "filter “\(query)”, a key",
        query.map { letter in
            typed.append(letter)
            return milliseconds {
                earlier = arrangement.rows(NameFilter(query: typed), among: earlier)
            }
        })
}
