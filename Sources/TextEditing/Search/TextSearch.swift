/// Finds a piece of text, or what a regular expression describes, in another.
///
/// The text is read in windows and never copied whole; a search may run on any thread.
public struct TextSearch: Sendable {
    /// How letters are compared.
    public enum CaseRule: Sendable, Hashable, CaseIterable {
        /// Exact when the sought text has a capital letter.
        case smart
        case exact
        /// Without regard to case.
        case ignored
    }

    private enum Engine: Sendable {
        case bytes(ByteSearch)
        case expression(RegularExpression)
    }

    private let engine: Engine
    private let isTemplate: Bool

    /// Makes a search for a text that stands for itself.
    ///
    /// - Returns: Nil when there is nothing to look for.
    public init?(_ sought: some StringProtocol, case rule: CaseRule = .smart) {
        guard let search = try? TextSearch(TextQuery(String(sought), caseRule: rule)) else {
            return nil
        }
        self = search
    }

    /// - Returns: Nil when there is nothing to look for.
    /// - Throws: ``TextSearchError`` for an expression that is not valid.
    public init?(_ query: TextQuery) throws(TextSearchError) {
        guard !query.isEmpty else { return nil }
        isTemplate = query.isRegularExpression
        let ignoresCase = query.ignoresCase
        let isASCII = query.text.utf8.allSatisfy { $0 < 0x80 }
        if !query.isRegularExpression, isASCII || !ignoresCase {
            engine = .bytes(ByteSearch(Array(query.text.utf8), ignoresCase: ignoresCase))
        } else {
            // Letters beyond ASCII change their length with their case.
            engine = .expression(
                try RegularExpression(
                    query.text, isLiteral: !query.isRegularExpression, ignoresCase: ignoresCase))
        }
    }

    // MARK: - Finding

    /// The first match that begins at or after `offset`.
    ///
    /// - Complexity: O(bytes searched).
    /// - Throws: ``TextSearchError`` when an expression takes too long.
    public func firstMatch(
        in text: TextBuffer, from offset: Int
    ) throws(TextSearchError) -> Range<Int>? {
        try matches(in: text, beginningIn: offset..<Int.max, limit: 1).first
    }

    /// The last match that ends at or before `offset`.
    public func lastMatch(
        in text: TextBuffer, before offset: Int
    ) throws(TextSearchError) -> Range<Int>? {
        var end = min(offset, text.count)
        while end > 0 {
            let base = max(0, end - Self.windowCount)
            let found = try matches(in: text, beginningIn: base..<end)
            if let last = found.last(where: { $0.upperBound <= offset }) { return last }
            end = base
        }
        return nil
    }

    /// The matches that begin in a range and do not overlap, in ascending order.
    ///
    /// An expression may match nothing, as `^` does: such a match has an empty range.
    ///
    /// - Parameters:
    ///   - range: All of the text when not given.
    ///   - limit: The most that are returned.
    ///   - shouldContinue: Asked every few milliseconds; false ends the search with what was found.
    public func matches(
        in text: TextBuffer, beginningIn range: Range<Int>? = nil, limit: Int = .max,
        while shouldContinue: () -> Bool = { true }
    ) throws(TextSearchError) -> [Range<Int>] {
        let end = min(range?.upperBound ?? Int.max, text.count + 1)
        let start = max(0, range?.lowerBound ?? 0)
        guard start < end else { return [] }
        switch engine {
        case .bytes(let search):
            return search.matches(
                in: text, beginningIn: start..<end, limit: limit, while: shouldContinue)
        case .expression(let expression):
            return try Self.matches(
                of: expression, in: text, beginningIn: start..<end, limit: limit,
                while: shouldContinue)
        }
    }

    // MARK: - Replacing

    /// What takes the place of a match; nil where that is unknown: the match is as long as one can be, and its
    /// groups are cut off somewhere, or it is not found again because its expression looks far back.
    ///
    /// - Parameter template: As it is, or for a regular expression with `$1` or `\1` for what its first
    ///   group matched, `${name}` for a group `(?<name>…)`, `$0` for all of it, `\n`, `\t`, and `$$` and `\\` for themselves.
    public func replacement(
        for match: Range<Int>, in text: TextBuffer, template: String
    ) -> TextBuffer? {
        guard case .expression(let expression) = engine else { return TextBuffer(template) }
        guard match.count < RegularExpression.longestMatch else { return nil }
        guard isTemplate, template.utf8.contains(where: { $0 == 0x24 || $0 == 0x5C }) else {
            return TextBuffer(template)
        }
        guard let matcher = try? RegularExpression.Matcher(expression),
            (try? matcher.matchAgain(match, in: text)) == .found
        else { return nil }
        let ending = Array(text.lineEnding.rawValue.utf8)
        return ReplacementTemplate(template).expanded(
            lineEnding: ending,
            { number in matcher.group(number).map { text.bytes(in: $0) } ?? [] },
            named: { name in
                expression.numbers(of: name).map { numbers in
                    numbers.lazy.compactMap(matcher.group).first.map { text.bytes(in: $0) } ?? []
                }
            })
    }

    /// Whether replacing takes long for each match.
    public var isSlowToReplace: Bool {
        if case .expression(let expression) = engine { expression.mayBeginEarly } else { false }
    }

    private static let windowCount = 65_536
}

private extension TextSearch {
    static let firstStep = 256

    /// A search by an expression gives up after this long.
    static let timeLimit = Duration.seconds(20)

    /// Tries few places a call while they take long, many while they do not.
    static func matches(
        of expression: RegularExpression, in text: TextBuffer, beginningIn range: Range<Int>,
        limit: Int, while shouldContinue: () -> Bool
    ) throws(TextSearchError) -> [Range<Int>] {
        let matcher = try RegularExpression.Matcher(expression)
        let clock = ContinuousClock()
        let begun = clock.now
        var result: [Range<Int>] = []
        var offset = range.lowerBound
        var step = firstStep
        var before = begun
        while offset < range.upperBound, result.count < limit {
            let last = min(offset + step, range.upperBound - 1)
            if let match = try matcher.match(in: text, beginningIn: offset...last) {
                // Behind the last line end there is no line, for `$` as for `^`.
                let isBehindLastLine =
                    match.isEmpty && match.lowerBound == text.count && match.lowerBound > 0
                    && text.bytes(in: text.count - 1..<text.count).allSatisfy {
                        $0 == 0x0A || $0 == 0x0D
                    }
                if isBehindLastLine { return result }
                result.append(match)
                offset =
                    match.isEmpty
                    ? max(match.upperBound + 1, text.clusterEnd(after: match.upperBound))
                    : match.upperBound
                // The next one is probably as near.
                step = firstStep
                guard result.count & 0xFF == 0 else { continue }
            } else {
                offset = last + 1
            }
            let now = clock.now
            let elapsed = before.duration(to: now)
            if elapsed < .milliseconds(1) { step = min(windowCount, step * 2) }
            if elapsed > .milliseconds(8) { step = max(64, step / 4) }
            before = now
            if begun.duration(to: now) > timeLimit { throw TextSearchError(.tooComplex) }
            guard shouldContinue() else { return result }
        }
        return result
    }
}
