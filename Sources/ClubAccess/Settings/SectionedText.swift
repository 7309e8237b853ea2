/// A settings file as lines, from which whole sections can be removed without moving the others.
struct SectionedText {
    private var lines: [Substring]

    init(_ text: String) {
        // By bytes: in Swift, CRLF is one character and not a line feed.
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map(Substring.init)
    }

    var text: String { lines.joined(separator: "\n") }

    /// - Parameter line: One-based.
    func isIndentedByTab(_ line: Int) -> Bool {
        guard lines.indices.contains(line - 1) else { return false }
        return lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }

    /// Empties the section that a line belongs to: from its name at the left edge to the next one.
    ///
    /// - Parameter line: One-based.
    /// - Returns: The removed lines; nil when there is nothing left to remove.
    mutating func removeSection(around line: Int) -> String? {
        let index = min(max(0, line - 1), lines.count - 1)
        let starts = lines.indices.filter { isName(lines[$0]) }
        // Lines before the first name belong to it.
        guard let start = starts.last(where: { $0 <= index }) ?? lines.indices.first else {
            return nil
        }
        let end = starts.first { $0 > max(start, index) } ?? lines.endIndex
        guard lines[start..<end].contains(where: { !$0.isEmpty }) else { return nil }
        let section = lines[start..<end].joined(separator: "\n")
        for index in start..<end { lines[index] = "" }
        return section
    }

    /// Whether a line begins a section: unindented, and not a comment.
    private func isName(_ line: Substring) -> Bool {
        guard let first = line.utf8.first else { return false }
        return first != UInt8(ascii: " ") && first != UInt8(ascii: "\t")
            && first != UInt8(ascii: "#")
            && first != UInt8(ascii: "\r")
    }
}
