// Measures the text buffer, the layout and the editor. Prints a line for each figure:
//
//     swift run -c release TextBench [FOLDER-OF-TRACES]
//     swift run -c release TextBench --sessions SESSION.json.gz...
//
// Times are medians in milliseconds unless the name says otherwise.
import FoundationEssentials
import Glibc
import TextEditing

func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
}

func median(of runs: Int, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    return (0..<runs).map { _ in milliseconds(clock.measure(body)) }.sorted()[runs / 2]
}

func report(_ name: String, _ value: Double, _ note: String = "") {
    let text = String(Int((value * 1000).rounded()))
    let padded = String(repeating: "0", count: max(0, 4 - text.count)) + text
    let number = padded.dropLast(3) + "." + padded.suffix(3)
    let gap = String(repeating: " ", count: max(1, 46 - name.count - number.count))
    print("\(name)\(gap)\(number)  \(note)")
}

func residentMegabytes() -> Int {
    let text = (try? String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096 / 1_000_000
}

if CommandLine.arguments.dropFirst().first == "--sessions" {
    exit(replaySessions(Array(CommandLine.arguments.dropFirst(2))) ? 0 : 1)
}
let folder = CommandLine.arguments.dropFirst().first ?? "Tests/TextEditingTests/Fixtures"
for name in ["seph-blog1", "sveltecomponent"] {
    try measureTrace(name, in: folder)
}
measureOpening(megabytes: 10)
measureOpening(megabytes: 100)
measureLongLine(
    "1 MB line of words", String(repeating: "some words in a long line, ", count: 38_836))
measureLongLine("1 MB line without spaces", String(repeating: "abcdefghij", count: 104_858))
measureLongLine("1 MB line of Chinese", String(repeating: "長い行の漢字。", count: 49_933))
measureLongLine("1 MB line of emoji", String(repeating: "👍🏽👨‍👩‍👧", count: 40_330))
measureVisibleText()
measurePaste()
measureTextView()
