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
    ///
    /// A line ends at a line feed and nowhere else, as in the editor and for `grep -n`.
    package func lines(in text: String) -> [Line] {
        guard !words.isEmpty else { return [] }
        var lines: [Line] = []
        // By bytes: to Swift, CRLF is one character and not a line feed.
        let all = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in all.enumerated() {
            let isCRLF = bytes.last == UInt8(ascii: "\r")
            let line = String(Substring(isCRLF ? bytes.dropLast() : bytes))
            if matches(line) { lines.append(Line(number: index + 1, text: shortened(line))) }
        }
        return lines
    }

    private func matches(_ line: String) -> Bool {
        let folded = SearchLetters.folded(line)
        var exact: [UInt8]?
        return words.allSatisfy { word in
            if word.ignoresCase { return folded.contains(word.letters) }
            let letters = exact ?? SearchLetters.folded(line, ignoringCase: false)
            exact = letters
            return letters.contains(word.letters)
        }
    }

    /// What is around the first word found, where the line is too long for all of it.
    private func shortened(_ line: String) -> String {
        guard line.utf8.count > Self.lengthLimit, line.count > Self.lengthLimit else { return line }
        let found = characterOffset(ofFirstWordIn: line)
        // More of what follows than of what comes before.
        let start = max(0, min(found - Self.lengthLimit / 4, line.count - Self.lengthLimit))
        let rest = line.dropFirst(start)
        let part = rest.prefix(Self.lengthLimit)
        return (start > 0 ? "…" : "") + part + (part.endIndex < rest.endIndex ? "…" : "")
    }

    /// In characters; folding may change how many bytes each takes.
    private func characterOffset(ofFirstWordIn line: String) -> Int {
        var starts: [Int] = []
        for word in words {
            var (folded, ends): ([UInt8], [Int]) = ([], [])
            for character in line {
                folded += SearchLetters.folded(String(character), ignoringCase: word.ignoresCase)
                ends.append(folded.count)
            }
            guard let range = folded.firstRange(of: word.letters) else { continue }
            starts.append(ends.firstIndex { $0 > range.lowerBound } ?? 0)
        }
        return starts.min() ?? 0
    }
}
