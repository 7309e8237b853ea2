import FoundationEssentials

/// Parses the dates of cookies, whose format varies (RFC 6265 §5.1.1).
///
/// It looks for a time, a day, a month and a year by the shapes of the tokens, and uses the first of each.
/// Time zones and weekdays are ignored.
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Returns nil for invalid dates.
    static func parse(_ text: some Sequence<UInt8>) -> Date? {
        var date = CookieDate()
        for token in Array(text).split(whereSeparator: isDelimiter) { date.take(token) }
        return date.resolved
    }

    private mutating func take(_ token: ArraySlice<UInt8>) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, digits: 1...2) {
            day = found
        } else if month == nil, token.count >= 3, let found = CivilTime.month(named: token) {
            month = found
        } else if year == nil, let found = Self.number(token, digits: 2...4) {
            year = found
        }
    }

    private var resolved: Date? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, time.second <= 59,
            let seconds = CivilTime.secondsSince1970(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute,
                second: time.second)
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Parses `1:02:03`, ignoring everything after the first byte that is not a digit.
    private static func time(
        _ token: ArraySlice<UInt8>
    ) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(
            separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].count <= 2, fields[1].count <= 2,
            fields[0].allSatisfy(\.isASCIIDigit), fields[1].allSatisfy(\.isASCIIDigit),
            let hour = number(fields[0], digits: 1...2),
            let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Returns the number at the start of a token, if it has the right count of digits.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let found = token.prefix(while: \.isASCIIDigit)
        guard digits.contains(found.count) else { return nil }
        return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
