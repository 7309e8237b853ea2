package import FoundationEssentials

/// The dates of HTTP (RFC 9110 §5.6.7), in its three formats only: a cache must treat any other date as past.
/// Case is ignored (RFC 9111 §4.2).
package enum HTTPDate {
    /// Parses a date.
    ///
    /// - Parameter now: Determines the century of a two-digit year: at most 50 years in the future.
    package static func parse(_ text: String, now: Date) -> Date? {
        let bytes = Array(text.utf8)
        let seconds: Int? =
            if bytes.count == 29 {
                fixed(bytes)
            } else if bytes.count == 24 {
                asctime(bytes)
            } else {
                rfc850(bytes, now: now)
            }
        return seconds.map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ bytes: [UInt8]) -> Int? {
        guard isWeekday(bytes[0..<3]), matches(bytes, "..., .. ... .... ..:..:.. GMT"),
            let month = CivilTime.month(named: bytes[8..<11]), let year = number(bytes[12..<16]),
            let day = number(bytes[5..<7])
        else { return nil }
        return seconds(year, month, day, time: bytes[17..<25])
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ bytes: [UInt8]) -> Int? {
        guard isWeekday(bytes[0..<3]), matches(bytes, "... ... .. ..:..:.. ...."),
            let month = CivilTime.month(named: bytes[4..<7]), let year = number(bytes[20..<24]),
            let day = number(bytes[8] == 0x20 ? bytes[9..<10] : bytes[8..<10])
        else { return nil }
        return seconds(year, month, day, time: bytes[11..<19])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ bytes: [UInt8], now: Date) -> Int? {
        guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")), bytes.count - comma == 24,
            longWeekdays.contains(String(decoding: bytes[..<comma], as: UTF8.self).lowercased())
        else { return nil }
        let rest = Array(bytes[comma...])
        guard matches(rest, ", ..-...-.. ..:..:.. GMT"),
            let month = CivilTime.month(named: rest[5..<8]), let short = number(rest[9..<11]),
            let day = number(rest[2..<4])
        else { return nil }
        let limit = now.addingTimeInterval(50 * 365.25 * 86_400).timeIntervalSince1970
        let found = seconds(2000 + short, month, day, time: rest[12..<20])
        guard let found, Double(found) > limit else { return found }
        return seconds(1900 + short, month, day, time: rest[12..<20])
    }

    private static func seconds(
        _ year: Int, _ month: Int, _ day: Int, time: ArraySlice<UInt8>
    ) -> Int? {
        let start = time.startIndex
        guard let hour = number(time[start..<start + 2]),
            let minute = number(time[start + 3..<start + 5]),
            let second = number(time[start + 6..<start + 8])
        else { return nil }
        return CivilTime.secondsSince1970(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Whether the bytes match a pattern, in which a dot stands for any byte.
    private static func matches(_ bytes: [UInt8], _ pattern: String) -> Bool {
        bytes.count == pattern.utf8.count
            && zip(bytes, pattern.utf8).allSatisfy { byte, mark in
                mark == UInt8(ascii: ".") || byte.asciiLowercased == mark.asciiLowercased
            }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy(\.isASCIIDigit) ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    private static func isWeekday(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        return longWeekdays.contains { $0.hasPrefix(name) }
    }

    private static let longWeekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
}
