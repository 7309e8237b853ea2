internal import ClubAccess
internal import Messages

/// Where two versions of a note differ, line by line, to be read: `-` is in one's own alone, `+` in the
/// club's alone. Of long stretches that are the same only the ends are there.
struct NoteComparison: Equatable, Sendable {
    enum Line: Equatable, Sendable {
        case same(Substring)
        case mine(Substring)
        case theirs(Substring)
        /// So many lines that are the same.
        case gap(Int)
    }

    let lines: [Line]
    /// All lines of both.
    private let whole: [Line]

    /// Lines shown around each difference.
    private static let context = 3

    /// Two middles with more pairs of lines than this are shown one after the other: diagnostic what they have in
    /// common would take too long.
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
        // By bytes: to Swift, the line end of Windows is one character and no line feed.
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
            // A mark in place of one or two lines would spare nothing.
            if hidden > 2 {
                result += run.prefix(before) + [.gap(hidden)] + run.suffix(after)
            } else {
                result += run
            }
            index = run.endIndex
        }
        return result
    }

    /// What begins each stretch of ``both``, parts it and ends it; other programs mark them alike.
    static let marks = (mine: "<<<<<<< mine", between: "=======", theirs: ">>>>>>> the club's")

    /// Both texts in one: where they differ, one's own lines and then the club's, between marks.
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

    /// As it is shown.
    var text: String {
        lines.map { line in
            switch line {
            case .same(let text): "  " + text
            case .mine(let text): "- " + text
            case .theirs(let text): "+ " + text
            case .gap(let count): localized("  … \(count) lines alike")
            }
        }
        .joined(separator: "\n")
    }
}
