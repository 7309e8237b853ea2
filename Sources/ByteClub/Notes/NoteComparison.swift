internal import ByteClubMessages
internal import ClubAccess
internal import ClubLibrary
internal import TerminalUI
internal import TextEditing

/// A line-by-line comparison of two versions of a note: `-` marks own lines, `+` the club's. Long equal
/// stretches are abbreviated.
struct NoteComparison: Equatable, Sendable {
    enum Line: Equatable, Sendable {
        case same(Substring)
        case mine(Substring)
        case theirs(Substring)
        /// The number of hidden equal lines.
        case gap(Int)
    }

    let lines: [Line]
    /// All lines of both versions.
    private let whole: [Line]

    /// Equal lines shown around each difference.
    private static let context = 3

    init(mine: String, theirs: String) {
        whole = Self.lines(of: Self.split(mine), and: Self.split(theirs))
        lines = Self.shortened(whole)
    }

    private static func split(_ text: String) -> [Substring] {
        // Split by bytes: in Swift, CRLF is one character and not a line feed.
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    private static func lines(of own: [Substring], and other: [Substring]) -> [Line] {
        // Byte by byte: to Swift, an accent and its letter equal the composed letter.
        let matching = LineMatching(own.map { Array($0.utf8) }, other.map { Array($0.utf8) })
        var lines: [Line] = []
        var otherIndex = 0
        for (line, position) in zip(own, matching.positions) {
            guard let position else {
                lines.append(.mine(line))
                continue
            }
            lines += other[otherIndex..<position].map(Line.theirs)
            lines.append(.same(line))
            otherIndex = position + 1
        }
        return lines + other[otherIndex...].map(Line.theirs)
    }

    private static func shortened(_ lines: [Line]) -> [Line] {
        var result: [Line] = []
        var index = 0
        while index < lines.count {
            let run = lines[index...].prefix { if case .same = $0 { true } else { false } }
            guard !run.isEmpty else {
                result.append(lines[index])
                index += 1
                continue
            }
            let before = index == 0 ? 0 : context
            let after = run.endIndex == lines.count ? 0 : context
            let hidden = run.count - before - after
            // Hiding one or two lines would save nothing.
            if hidden > 2 {
                result += run.prefix(before) + [.gap(hidden)] + run.suffix(after)
            } else {
                result += run
            }
            index = run.endIndex
        }
        return result
    }

    /// The conflict markers around and between the differing lines in ``both``, as in other programs.
    static let marks = (mine: "<<<<<<< mine", between: "=======", theirs: ">>>>>>> the club's")

    /// Whether a text still has a line that ``both`` marks a difference with.
    static func hasMarks(_ text: TextBuffer) -> Bool {
        let bytes = text.bytes(in: 0..<text.count)
        return ["\n", "\r\n"].contains { lineEnd in
            bytes.firstRange(of: Array((marks.mine + lineEnd).utf8)) != nil
        }
    }

    /// Both texts in one, with conflict markers: own lines first, then the club's.
    var both: String {
        var result: [Substring] = []
        var rest = whole[...]
        while let line = rest.first {
            if case .same(let text) = line {
                result.append(text)
                rest.removeFirst()
                continue
            }
            let stretch = rest.prefix { if case .same = $0 { false } else { true } }
            rest = rest[stretch.endIndex...]
            result.append(Self.marks.mine[...])
            result += stretch.compactMap { if case .mine(let text) = $0 { text } else { nil } }
            result.append(Self.marks.between[...])
            result += stretch.compactMap { if case .theirs(let text) = $0 { text } else { nil } }
            result.append(Self.marks.theirs[...])
        }
        return result.joined(separator: "\n")
    }

    /// The displayed text.
    var text: String { page.text.string(in: 0..<page.text.count) }

    /// The displayed text, with the differences highlighted.
    var page: TextPage {
        var bytes: [UInt8] = []
        var highlights: [TextHighlight] = []
        for (index, line) in lines.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\n")) }
            let start = bytes.count
            let (text, role): (String, Role?) =
                switch line {
                case .same(let text): ("  " + text, nil)
                case .mine(let text): ("- " + text, .error)
                case .theirs(let text): ("+ " + text, .success)
                case .gap(let count): (localized("  … \(count) lines alike"), .secondary)
                }
            bytes += text.utf8
            if let role { highlights.append(TextHighlight(start..<bytes.count, role)) }
        }
        return TextPage(text: TextBuffer(utf8: bytes), highlights: highlights)
    }
}
