internal import ClubStore
internal import FoundationEssentials

/// What somebody looks for in all texts: words, each of which must be there.
struct SearchQuery {
    /// Folded, in the order typed.
    let words: [String]

    init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
    }

    /// As FTS5 understands it, quoted whole; nil when no word is long enough for its three characters.
    var expression: String? {
        let long = words.filter { $0.unicodeScalars.count >= 3 }
        guard !long.isEmpty else { return nil }
        return long.map {
            "\""
                + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(
                    separator: "\"\"") + "\""
        }
        .joined(separator: " AND ")
    }

    /// The first word for `LIKE`, with `\` before what means something there.
    var pattern: String {
        var pattern = "%"
        for character in words.first ?? "" {
            if "\\%_".contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
        return pattern + "%"
    }

    /// Where the words are in a note; nil when one of them is nowhere.
    func hit(at path: RemotePath, _ body: Data) -> SearchHit? {
        let text = Folded(String(decoding: body, as: UTF8.self))
        let name = Folded(path.name)
        let places = words.map { text.first($0) }
        for (word, place) in zip(words, places) where place == nil {
            guard name.first(word) != nil else { return nil }
        }
        guard let place = places.compactMap({ $0 }).min() else {
            return SearchHit(path: path, line: nil, column: 0, excerpt: "", matches: [])
        }
        return hit(at: path, in: text, place)
    }

    private func hit(at path: RemotePath, in text: Folded, _ place: Int) -> SearchHit {
        let newline = UInt8(ascii: "\n")
        let bytes = text.original
        let start = bytes[..<place].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: newline) ?? bytes.endIndex
        // At a character's beginning, with room for what stands before the word.
        var from = max(start, place - 40)
        while from < place, bytes[from] & 0xc0 == 0x80 { from += 1 }
        var to = min(end, from + 200)
        while to < end, bytes[to] & 0xc0 == 0x80 { to += 1 }
        let excerpt = String(decoding: bytes[from..<to], as: UTF8.self)
        return SearchHit(
            path: path, line: bytes[..<place].count { $0 == newline }, column: place - start,
            excerpt: excerpt, matches: Folded(excerpt).all(words))
    }
}

/// A text in which words are found whatever their case, with places that are those of the text as it is.
private struct Folded {
    let original: [UInt8]
    /// As long as the original: where a letter's other case has another length, it is left alone.
    private let folded: [UInt8]

    init(_ text: String) {
        original = Array(text.utf8)
        var folded = original
        var isASCII = true
        for index in folded.indices {
            let byte = folded[index]
            if byte >= 0x80 { isASCII = false }
            if byte >= 0x41, byte <= 0x5a { folded[index] = byte | 0x20 }
        }
        if !isASCII {
            var index = 0
            for scalar in text.unicodeScalars {
                let count = UTF8.width(scalar)
                if count > 1 {
                    let lower = scalar.properties.lowercaseMapping.utf8
                    if lower.count == count {
                        for (offset, byte) in lower.enumerated() { folded[index + offset] = byte }
                    }
                }
                index += count
            }
        }
        self.folded = folded
    }

    func first(_ word: String, from start: Int = 0) -> Int? {
        let word = Array(word.utf8)
        guard let head = word.first, folded.count >= word.count else { return nil }
        var index = start
        while index <= folded.count - word.count {
            if folded[index] == head, folded[index..<(index + word.count)].elementsEqual(word) {
                return index
            }
            index += 1
        }
        return nil
    }

    func all(_ words: [String]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for word in words {
            var start = 0
            while let place = first(word, from: start) {
                found.append(place..<(place + word.utf8.count))
                start = place + max(1, word.utf8.count)
            }
        }
        found.sort { $0.lowerBound < $1.lowerBound }
        // What overlaps is one.
        return found.reduce(into: []) { merged, range in
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }
}
