internal import CByteClubPCRE2

/// A compiled expression of PCRE2, and the bounds within which it is matched.
///
/// One attempt to match takes at most ``stepLimit`` steps, one call tries few places of the text, and
/// a match ends at most ``longestMatch`` bytes behind the place where it begins: no expression can
/// hold a search up for long, and none sees the text as a whole.
final class RegularExpression: @unchecked Sendable {
    // Compiled code is only read: PCRE2 lets any number of threads match with it at once.
    private let code: OpaquePointer
    /// Whether an attempt may begin before its match.
    let mayBeginEarly: Bool

    static let longestMatch = 65_536
    fileprivate static let firstReach = 1024
    /// What an expression may look at before the place it is tried at, in a line longer than that.
    static let lookBehind = 512
    private static let stepLimit: UInt32 = 200_000
    private static let memoryLimitInKiB: UInt32 = 16_384

    /// - Throws: ``TextSearchError`` with the reason, for a pattern that is not valid.
    init(_ pattern: String, isLiteral: Bool, ignoresCase: Bool) throws(TextSearchError) {
        var (error, offset): (Int32, Int) = (0, 0)
        let bytes = Array(pattern.utf8)
        let code = byteclub_regex_compile(
            bytes, bytes.count, isLiteral ? 1 : 0, ignoresCase ? 1 : 0, &error, &offset)
        guard let code else {
            let place = String(decoding: bytes.prefix(offset), as: UTF8.self).count
            throw TextSearchError(.invalidExpression(place), Self.reason(error))
        }
        self.code = code
        mayBeginEarly = !isLiteral && pattern.contains("\\K")
    }

    deinit { byteclub_regex_free(code) }

    /// The groups `(?<name>…)`: several may share one name with `(?J)`; nil when none has it.
    func numbers(of name: String) -> [Int]? {
        var numbers = [UInt32](repeating: 0, count: 64)
        let count = byteclub_regex_groups(code, name, &numbers, numbers.count)
        return count > 0 ? numbers.prefix(count).map(Int.init) : nil
    }

    private static func reason(_ error: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = byteclub_regex_reason(error, &buffer, buffer.count)
        guard count > 0 else { return "It is not a valid regular expression." }
        let words = String(decoding: buffer.prefix(Int(count)), as: UTF8.self)
        return words.prefix(1).uppercased() + words.dropFirst() + "."
    }

    /// What matching needs besides the expression; one for each search, and never for two at once.
    final class Matcher {
        private let expression: RegularExpression
        private let data: OpaquePointer
        private let context: OpaquePointer

        init(_ expression: RegularExpression) throws(TextSearchError) {
            guard let data = byteclub_regex_data(expression.code) else {
                throw TextSearchError(.tooComplex)
            }
            guard
                let context = byteclub_regex_context(
                    RegularExpression.stepLimit, RegularExpression.memoryLimitInKiB)
            else {
                byteclub_regex_free_data(data)
                throw TextSearchError(.tooComplex)
            }
            self.expression = expression
            self.data = data
            self.context = context
        }

        deinit {
            byteclub_regex_free_data(data)
            byteclub_regex_free_context(context)
        }

        /// The first match that begins in `starts`, which reaches at most to the text's end.
        func match(
            in text: TextBuffer, beginningIn starts: ClosedRange<Int>
        ) throws(TextSearchError) -> Range<Int>? {
            let line = text.start(ofLine: text.line(at: starts.lowerBound))
            let base = max(line, starts.lowerBound - RegularExpression.lookBehind)
            // Every call checks that all bytes are valid: most matches need few.
            var reach = RegularExpression.firstReach
            var result = PCRE2_ERROR_PARTIAL
            while result == PCRE2_ERROR_PARTIAL {
                result = match(in: text, from: base, line: line, starts, reach: reach)
                reach = min(reach * 8, RegularExpression.longestMatch)
            }
            if result == PCRE2_ERROR_NOMATCH { return nil }
            guard result >= 0 else { throw TextSearchError(.tooComplex) }
            searchBase = base
            return group(0)
        }

        /// - Parameter reach: How far behind the places it is tried at it may look.
        /// - Returns: PCRE2's result; `PCRE2_ERROR_PARTIAL` if more of the text could change it.
        private func match(
            in text: TextBuffer, from base: Int, line: Int, _ starts: ClosedRange<Int>, reach: Int
        ) -> Int32 {
            let end = min(text.count, starts.upperBound + reach)
            let isPart = end < text.count && reach < RegularExpression.longestMatch
            return text.withBytes(in: base..<end) { bytes in
                // Not between the bytes of a character.
                var start = starts.lowerBound - base
                while start < bytes.count, start > 0, bytes[start] & 0xC0 == 0x80,
                    start + base < starts.upperBound
                {
                    start += 1
                }
                let count = isPart ? bytes.countOfWholeCharacters : bytes.count
                return byteclub_regex_match(
                    expression.code, data, context, bytes.baseAddress, count, start,
                    starts.upperBound - base, base == line ? 0 : 1, end == text.count ? 0 : 1,
                    isPart ? 1 : 0)
            }
        }

        private var searchBase = 0

        /// Where the attempt that matched last began: before the match itself with a `\K`.
        var attemptStart: Int { searchBase + byteclub_regex_start(data) }

        /// Finds a match again, for its groups.
        func matchAgain(_ match: Range<Int>, in text: TextBuffer) throws(TextSearchError) -> Found {
            var start = match.lowerBound
            if try self.match(in: text, beginningIn: start...start) == match { return .found }
            guard expression.mayBeginEarly else { return .lost }
            // The attempt began not far before the `\K`.
            start = max(0, start - RegularExpression.lookBehind)
            while start <= match.lowerBound,
                let found = try self.match(in: text, beginningIn: start...match.lowerBound)
            {
                if found == match { return .found }
                start = max(start, attemptStart) + 1
            }
            return .lost
        }

        enum Found { case found, lost }

        /// The bytes of a group of the last match; nil when it took no part in it.
        func group(_ number: Int) -> Range<Int>? {
            guard let number = UInt32(exactly: number) else { return nil }
            var (start, end) = (0, 0)
            guard byteclub_regex_group(data, number, &start, &end) != 0 else { return nil }
            return searchBase + start..<searchBase + end
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes without those of a character that is cut at the end: it would look like an invalid one.
    fileprivate var countOfWholeCharacters: Int {
        let rest = suffix(4).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        guard rest < 4, count > rest else { return count }
        let byteCount =
            switch self[count - 1 - rest] {
            case 0xF0...: 4
            case 0xE0...: 3
            case 0xC0...: 2
            default: 1
            }
        return byteCount > rest + 1 ? count - rest - 1 : count
    }
}
