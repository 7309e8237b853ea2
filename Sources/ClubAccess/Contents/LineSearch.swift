internal import ClubLibrary

/// Finds the lines of a text that have all the words of a query in them, in any order.
///
/// Case counts for a word with a capital letter, accents never; see ``NameFilter``.
package struct LineSearch: Sendable {
    /// A line that was found.
    package struct Line: Hashable, Sendable {
        /// From 1.
        package var number: Int
        /// Without its end; a very long one is cut around what was found.
        package var text: String
    }

    private let words: [(letters: [UInt8], ignoresCase: Bool)]

    /// More of a line is seldom of use: whole books come in one.
    private static let lengthLimit = 300

    package init(_ query: String) {
        words = query.split(whereSeparator: \.isWhitespace).map { word in
            let ignoresCase = !word.contains(where: \.isUppercase)
            return (SearchLetters.folded(String(word), ignoringCase: ignoresCase), ignoresCase)
        }
    }

    /// The lines of a text in order; none for an empty query.
    package func lines(in text: String) -> [Line] {
        guard !words.isEmpty else { return [] }
        var lines: [Line] = []
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in all.enumerated() where matches(line) {
            lines.append(Line(number: index + 1, text: Self.shortened(line)))
        }
        return lines
    }

    private func matches(_ line: Substring) -> Bool {
        let line = String(line)
        let folded = SearchLetters.folded(line)
        var exact: [UInt8]?
        return words.allSatisfy { word in
            if word.ignoresCase { return folded.contains(word.letters) }
            let letters = exact ?? SearchLetters.folded(line, ignoringCase: false)
            exact = letters
            return letters.contains(word.letters)
        }
    }

    private static func shortened(_ line: Substring) -> String {
        let start = line.prefix(lengthLimit)
        return start.endIndex == line.endIndex ? String(line) : String(start) + "…"
    }
}
