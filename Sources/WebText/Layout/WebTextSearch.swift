/// A page's text as one sequence of characters, to search across line breaks, and across the numbers of links, which are
/// not part of it.
public struct WebTextSearch: Sendable {
    /// A match in a layout, in UTF-8 bytes of the lines' text.
    public struct Match: Hashable, Sendable {
        public struct Part: Hashable, Sendable {
            public var line: Int
            public var range: Range<Int>
        }

        /// One for each line.
        public var parts: [Part]

        public var firstLine: Int { parts.first?.line ?? 0 }
    }

    private struct Place {
        var line: Int32
        var start: Int32
        var end: Int32
    }

    public static let matchLimit = 10_000

    private var exact: [Character] = []
    private var folded: [String] = []
    private var places: [Place] = []

    public init(_ layout: WebLayout) {
        for (index, line) in layout.lines.enumerated() {
            var offset = 0
            for span in line.spans {
                let isText = span.look.isDisjoint(with: [.border, .marker, .number])
                for character in span.text {
                    let count = character.utf8.count
                    if isText { add(character, Int32(index), offset, count) }
                    offset += count
                }
            }
            add(line.isWrapped ? " " : "\n", Int32(index), offset, 0)
        }
    }

    private mutating func add(_ character: Character, _ line: Int32, _ offset: Int, _ count: Int) {
        // Spaces for indentation count as one, between lines.
        if character == " ", exact.last == " " || exact.last == "\n" { return }
        exact.append(character)
        folded.append(character.lowercased())
        places.append(Place(line: line, start: Int32(offset), end: Int32(offset + count)))
    }

    /// The matches in order. Ignores case unless the words contain an uppercase letter.
    public func matches(of words: String) -> [Match] {
        let wanted = Array(words)
        guard !wanted.isEmpty else { return [] }
        if words.contains(where: \.isUppercase) { return find(wanted, in: exact) }
        return find(wanted.map { $0.lowercased() }, in: folded)
    }

    private func find<Unit: Equatable>(_ wanted: [Unit], in units: [Unit]) -> [Match] {
        var matches: [Match] = []
        var start = 0
        while start + wanted.count <= units.count, matches.count < Self.matchLimit {
            guard units[start] == wanted[0],
                units[start..<start + wanted.count].elementsEqual(wanted)
            else {
                start += 1
                continue
            }
            matches.append(match(start..<start + wanted.count))
            start += wanted.count
        }
        return matches
    }

    private func match(_ range: Range<Int>) -> Match {
        var match = Match(parts: [])
        for place in places[range] where place.start < place.end {
            let line = Int(place.line)
            if let last = match.parts.indices.last, match.parts[last].line == line {
                let range = match.parts[last].range
                match.parts[last].range = range.lowerBound..<max(range.upperBound, Int(place.end))
            } else {
                match.parts.append(.init(line: line, range: Int(place.start)..<Int(place.end)))
            }
        }
        return match
    }
}
