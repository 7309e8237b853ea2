import CurlNetworking
import FoundationEssentials

extension HTTPURLResponse {
    /// The server's current time, which may differ from ours.
    var date: Date? {
        value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parseLeniently)
    }
}

// Dates as they stand in properties of WebDAV, where servers are less exact than in header fields.
extension HTTPDate {
    /// The form of RFC 9110, and those that servers have been seen to write instead: with a zone of
    /// digits, with dashes (RFC 850), of C's `asctime`, or of ISO 8601.
    static func parseLeniently(_ text: String) -> Date? {
        var words = text.split(whereSeparator: { $0 == " " || $0 == "," })
        if words.count == 1 { return isoDate(text) }
        if words.first?.first?.isLetter == true { words.removeFirst() }
        if words.count == 3 || words.count == 2, words[0].contains("-") {
            words = words[0].split(separator: "-") + words.dropFirst()
        } else if words.count == 4, words[0].first?.isLetter == true {
            words = [words[1], words[0], words[3], words[2]]
        }
        guard words.count >= 4,
            let date = date(day: words[0], month: words[1], year: words[2], time: words[3])
        else { return nil }
        return words.count > 4 ? date.addingTimeInterval(-offset(words[4])) : date
    }

    private static func date(
        day: Substring, month: Substring, year: Substring, time: Substring
    ) -> Date? {
        guard let day = Int(day), let month = CivilTime.month(named: month.utf8),
            var year = Int(year)
        else { return nil }
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
        return date(year: year, month: month, day: day, time: time)
    }

    private static func date(year: Int, month: Int, day: Int, time: Substring) -> Date? {
        let time = time.split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, year >= 1970,
            let seconds = CivilTime.secondsSince1970(
                year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// `1994-11-06T08:49:37Z`, with or without a fraction, in whole seconds.
    private static func isoDate(_ text: String) -> Date? {
        let halves = text.split(separator: "T", maxSplits: 1)
        guard halves.count == 2 else { return nil }
        let day = halves[0].split(separator: "-").compactMap { Int($0) }
        let time = halves[1].prefix { $0.isNumber || $0 == ":" }
        guard day.count == 3,
            let date = date(year: day[0], month: day[1], day: day[2], time: time)
        else { return nil }
        let zone = halves[1].drop { $0.isNumber || $0 == ":" || $0 == "." }
        return date.addingTimeInterval(-offset(zone))
    }

    /// In seconds, of `+0130`, `-01:30`; 0 for names, which mean Greenwich here.
    private static func offset(_ zone: Substring) -> TimeInterval {
        guard let sign = zone.first, sign == "+" || sign == "-" else { return 0 }
        let digits = zone.dropFirst().filter(\.isNumber)
        guard digits.count == 4, let value = Int(digits) else { return 0 }
        return TimeInterval((value / 100 * 3600 + value % 100 * 60) * (sign == "-" ? -1 : 1))
    }
}
