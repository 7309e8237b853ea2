/// Calendar arithmetic for the dates of HTTP: UTC, proleptic Gregorian, no leap seconds.
///
/// Foundation's calendars are more general, and a thousand times slower.
package enum CivilTime {
    /// Returns the seconds since 1970, or nil if the date or time does not exist.
    package static func secondsSince1970(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> Int? {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...dayCount(ofMonth: month, year: year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        return daysSince1970(year: year, month: month, day: day) * 86_400
            + hour * 3_600 + minute * 60 + second
    }

    /// Returns the number of a month from the first three letters of its English name, ignoring case.
    package static func month(named name: some Sequence<UInt8>) -> Int? {
        var key = 0
        for (index, byte) in name.enumerated() where index < 3 {
            key = key << 8 | Int(byte.asciiLowercased)
        }
        return monthKeys.firstIndex(of: key).map { $0 + 1 }
    }

    private static let monthKeys: [Int] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { $0.utf8.reduce(0) { $0 << 8 | Int($1) } }

    private static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts years from March, so that the leap day is the last of its year.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let century = year / 400
        let yearOfCycle = year - century * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return century * 146_097 + dayOfCycle - 719_468
    }
}
