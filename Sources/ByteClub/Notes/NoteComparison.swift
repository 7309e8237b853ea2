internal import ByteClubMessages
internal import ClubAccess
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

    /// With more pairs of lines than this, the differing middles are shown one after the other: comparing
    /// them would take too long.
    private static let pairLimit = 4_000_000

    init(mine: String, theirs: String) {
        let (own, other) = (Self.split(mine), Self.split(theirs))
        let start = zip(own, other).prefix { $0 == $1 }.count
        let rest = min(own.count, other.count) - start
        let end = zip(own.reversed(), other.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let middle = Self.differences(
            own[start..<(own.count - end)], other[start..<(other.count - end)])
        whole = own[..<start].map(Line.same) + middle + own[(own.count - end)...].map(Line.same)
        lines = Self.shortened(whole)
    }

    private static func split(_ text: String) -> [Substring] {
        // Split by bytes: in Swift, CRLF is one character and not a line feed.
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    private static func differences(
        _ own: ArraySlice<Substring>, _ other: ArraySlice<Substring>
    ) -> [Line] {
        guard own.count * other.count <= pairLimit else {
            return own.map(Line.mine) + other.map(Line.theirs)
        }
        let difference = other.difference(from: own)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [Line] = []
        var (ownIndex, otherIndex) = (0, 0)
        while ownIndex < own.count || otherIndex < other.count {
            if removed.contains(ownIndex) {
                lines.append(.mine(own[own.startIndex + ownIndex]))
                ownIndex += 1
            } else if inserted.contains(otherIndex) {
                lines.append(.theirs(other[other.startIndex + otherIndex]))
                otherIndex += 1
            } else {
                lines.append(.same(own[own.startIndex + ownIndex]))
                ownIndex += 1
                otherIndex += 1
            }
        }
        return lines
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
