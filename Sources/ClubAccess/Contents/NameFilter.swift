internal import ClubLibrary

/// Finds names that match all words of a query. The letters of a word must occur in order, but not adjacent:
/// `gro li` matches `Grocery list.txt`, and so does `glist`.
///
/// Ignores case for a word without a capital letter, and always ignores accents.
package struct NameFilter: Hashable, Sendable {
    /// As typed.
    package let query: String
    private let words: [Word]

    private struct Word: Hashable, Sendable {
        var letters: [UInt8]
        /// The word with its capitals, if case matters.
        var exact: [UInt8]?
    }

    /// How well a name matches; smaller is better.
    package enum Rank: Int, CaseIterable, Comparable, Sendable {
        /// The name begins with the first word of the query, and each other word begins one of its words.
        case atStart
        /// Each word of the query begins a word of the name.
        case atWordStarts
        /// Each word occurs contiguously.
        case inside
        /// The letters of a word are scattered.
        case scattered

        package static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
    }

    package init(query: String = "") {
        self.query = query
        words = query.split(whereSeparator: \.isWhitespace).map { word in
            Word(
                letters: SearchLetters.folded(String(word)),
                exact: word.contains(where: \.isUppercase)
                    ? SearchLetters.folded(String(word), ignoringCase: false) : nil)
        }
    }

    package var isActive: Bool { !words.isEmpty }

    /// Whether all names that match this filter also match the other one.
    package func narrows(_ other: NameFilter) -> Bool {
        other.isActive && query.hasPrefix(other.query)
    }

    package func matches(_ name: String) -> Bool {
        !isActive || rank(of: name) != nil
    }

    /// How well a name matches; nil if it does not.
    package func rank(of name: String) -> Rank? {
        SearchLetters.folded(name).withUnsafeBufferPointer { rank(of: $0, name: name) }
    }

    /// The same for a folded name.
    package func rank(of letters: UnsafeBufferPointer<UInt8>, name: @autoclosure () -> String)
        -> Rank?
    {
        var rank = Rank.atStart
        for (index, word) in words.enumerated() {
            guard let found = Self.find(word.letters, in: letters) else { return nil }
            let isAtStart = found.end == word.letters.count
            if found.rank > .atWordStarts || index == 0 && !isAtStart {
                rank = max(rank, found.rank)
            }
            guard let exact = word.exact else { continue }
            let whole = SearchLetters.folded(name(), ignoringCase: false)
            guard let found = whole.withUnsafeBufferPointer({ Self.find(exact, in: $0) }) else {
                return nil
            }
            if found.rank > .atWordStarts { rank = max(rank, found.rank) }
        }
        return rank
    }

    /// The positions of the query's letters in a name: sorted, disjoint ranges of characters.
    package func matchedRanges(in name: String) -> [Range<Int>] {
        var owners: [Int] = []
        var (folded, exact): ([UInt8], [UInt8]) = ([], [])
        for (index, character) in name.enumerated() {
            let letters = SearchLetters.folded(String(character))
            folded += letters
            exact += SearchLetters.folded(String(character), ignoringCase: false)
            owners += Array(repeating: index, count: letters.count)
        }
        var marked = Set<Int>()
        for word in words {
            // Folding may change a letter's number of bytes: positions then cannot be mapped exactly.
            let isExact = word.exact != nil && exact.count == folded.count
            let letters = isExact ? word.exact ?? [] : word.letters
            let offsets = (isExact ? exact : folded).withUnsafeBufferPointer { name in
                Self.find(letters, in: name).map { Self.offsets(of: letters, in: name, $0) }
            }
            guard let offsets else { return [] }
            for offset in offsets { marked.insert(owners[offset]) }
        }
        return marked.sorted().reduce(into: []) { ranges, index in
            if let last = ranges.last, last.upperBound == index {
                ranges[ranges.count - 1] = last.lowerBound..<index + 1
            } else {
                ranges.append(index..<index + 1)
            }
        }
    }
}

// MARK: - Letters

extension NameFilter {
    private struct Found {
        var rank: Rank
        /// The end of the match; scattered letters are located backwards from here.
        var end: Int
    }

    private static func find(_ word: [UInt8], in name: UnsafeBufferPointer<UInt8>) -> Found? {
        guard !word.isEmpty, word.count <= name.count else { return nil }
        var first: Int?
        var start = 0
        while let found = index(of: word, in: name, from: start) {
            if found == 0 || !isWordByte(name[found - 1]) {
                return Found(rank: .atWordStarts, end: found + word.count)
            }
            first = first ?? found
            start = found + 1
        }
        if let first { return Found(rank: .inside, end: first + word.count) }
        return scattered(word, in: name)
    }

    private static func index(
        of word: [UInt8], in name: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var at = start
        while at + word.count <= name.count {
            if name[at] == word[0] {
                var length = 1
                while length < word.count, name[at + length] == word[length] { length += 1 }
                if length == word.count { return at }
            }
            at += 1
        }
        return nil
    }

    private static func scattered(
        _ word: [UInt8], in name: UnsafeBufferPointer<UInt8>
    ) -> Found? {
        var wanted = 0
        for at in name.indices where name[at] == word[wanted] {
            wanted += 1
            if wanted == word.count { return Found(rank: .scattered, end: at + 1) }
        }
        return nil
    }

    /// The positions of the letters, as close together as possible from the end.
    private static func offsets(
        of word: [UInt8], in name: UnsafeBufferPointer<UInt8>, _ found: Found
    ) -> [Int] {
        var offsets: [Int] = []
        var (at, wanted) = (found.end, word.count)
        while wanted > 0, at > 0 {
            at -= 1
            guard name[at] == word[wanted - 1] else { continue }
            offsets.append(at)
            wanted -= 1
        }
        return offsets
    }

    /// Letters and digits; all non-ASCII bytes count as letters.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default: false
        }
    }
}
