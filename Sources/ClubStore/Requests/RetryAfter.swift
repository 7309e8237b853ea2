import FoundationEssentials

/// The header `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
enum RetryAfter {
    /// - Parameter now: What a date is counted from.
    /// - Returns: How long to wait; nil for anything that is neither. Never negative.
    static func parse(_ field: String, now: Date) -> Duration? {
        let field = field.trimmingBlanks
        if let seconds = Int64(field) {
            return seconds < 0 ? nil : .seconds(min(seconds, longest))
        }
        guard let date = httpDate(field) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(now).rounded(.up)), Double(longest)))
    }

    /// A day. More than that would only overflow somewhere.
    private static let longest: Int64 = 86_400

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may be sent today.
    private static func httpDate(_ text: String) -> Date? {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]),
            let month = months.firstIndex(of: String(words[2])), let year = Int(words[3])
        else { return nil }
        let time = words[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (1...31).contains(day), (1970...9999).contains(year),
            (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        let seconds = days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
        return Date(timeIntervalSince1970: TimeInterval(seconds))
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

extension String {
    fileprivate var trimmingBlanks: String {
        var slice = self[...]
        while slice.first == " " || slice.first == "\t" { slice.removeFirst() }
        while slice.last == " " || slice.last == "\t" { slice.removeLast() }
        return String(slice)
    }
}
