internal import ClubLibrary
package import FoundationEssentials
internal import TextEditing

/// Finds the lines of a text that contain all words of a query, in any order.
///
/// Case matters for a word with a capital letter, accents never; see ``NameFilter``.
package struct LineSearch: Sendable {
    /// A matching line.
    package struct Line: Hashable, Sendable {
        /// One-based.
        package var number: Int
        /// Without line ending; a very long line is cut around the match.
        package var text: String
    }

    private let words: [(letters: [UInt8], ignoresCase: Bool)]

    /// A line can be as long as a book.
    private static let lengthLimit = 300

    package init(_ query: String) {
        words = query.split(whereSeparator: \.isWhitespace).map { word in
            let ignoresCase = !word.contains(where: \.isUppercase)
            return (SearchLetters.folded(String(word), ignoringCase: ignoresCase), ignoresCase)
        }
    }

    /// The matching lines in order; none for an empty query.
    ///
    /// Only a line feed ends a line, as in the editor and in `grep -n`.
    package func lines(in text: String) -> [Line] {
        var text = text
        return text.withUTF8 { lines(in: UnsafeRawBufferPointer($0)) } ?? []
    }

    /// The same for a note's bytes, which are decoded as for the editor: UTF-8, else what they seem to be in.
    ///
    /// Of UTF-8 one line at a time is decoded: a large text needs little more memory.
    package func lines(in data: Data) -> [Line] {
        if let lines = data.withUnsafeBytes({ lines(in: $0) }) { return lines }
        let text = TextBuffer(utf8: data)
        // Of other bytes, what can be read is searched.
        return lines(in: (TextEncoding.detected(in: text)?.decoded(text) ?? text).string)
    }

    /// - Returns: Nil if the bytes are not UTF-8.
    private func lines(in bytes: UnsafeRawBufferPointer) -> [Line]? {
        guard !words.isEmpty else { return [] }
        var lines: [Line] = []
        var (start, number) = (bytes.startIndex, 1)
        // By bytes: in Swift, CRLF is one character and not a line feed.
        while true {
            let rest = bytes[start...]
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            let isCRLF = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<(isCRLF ? end - 1 : end)])
            // A line feed is part of no other character: the text is valid if its lines are.
            guard let line = String(validating: part, as: UTF8.self) else { return nil }
            if matches(line) { lines.append(Line(number: number, text: shortened(line))) }
            guard end < bytes.endIndex else { return lines }
            (start, number) = (end + 1, number + 1)
        }
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

    /// The part around the first match, if the line is too long.
    private func shortened(_ line: String) -> String {
        guard line.utf8.count > Self.lengthLimit, line.count > Self.lengthLimit else { return line }
        let found = characterOffset(ofFirstWordIn: line)
        // More of what follows than of what precedes.
        let start = max(0, min(found - Self.lengthLimit / 4, line.count - Self.lengthLimit))
        let rest = line.dropFirst(start)
        let part = rest.prefix(Self.lengthLimit)
        return (start > 0 ? "…" : "") + part + (part.endIndex < rest.endIndex ? "…" : "")
    }

    /// In characters; case folding may change the number of bytes.
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
