import CurlNetworking
import FoundationEssentials

extension HTTPURLResponse {
    /// What time it is by the server's clock, which need not go as ours does.
    var date: Date? {
        value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parseLeniently)
    }
}

/// Dates as they stand in header fields and in properties of WebDAV.
enum HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may be sent today (RFC 9110 §5.6.7).
    static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT" else { return nil }
        return date(day: words[1], month: words[2], year: words[3], time: words[4])
    }

    /// That form, and those that servers have been seen to write instead: with a zone of digits, with
    /// dashes (RFC 850), of C's `asctime`, or of ISO 8601.
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

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func date(
        day: Substring, month: Substring, year: Substring, time: Substring
    ) -> Date? {
        guard let day = Int(day), let month = months.firstIndex(of: String(month.prefix(3))),
            var year = Int(year)
        else { return nil }
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
        return date(year: year, month: month + 1, day: day, time: time)
    }

    private static func date(year: Int, month: Int, day: Int, time: Substring) -> Date? {
        let time = time.split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (1...31).contains(day), (1...12).contains(month),
            (1970...9999).contains(year), (0...23).contains(time[0]), (0...59).contains(time[1]),
            (0...60).contains(time[2])
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        let seconds = days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
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

    /// Counts in years that begin with March, so that the leap day is the last.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
