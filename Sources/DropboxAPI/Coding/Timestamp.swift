public import FoundationEssentials

/// A moment in whole seconds, written `%Y-%m-%dT%H:%M:%SZ`.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let secondsSince1970: Int64

    /// The years 0000 to 9999, all that the format can represent: file systems may store others.
    private static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// A time outside the years 0000 to 9999 is clamped.
    public init(secondsSince1970: Int64) {
        self.secondsSince1970 = min(
            max(secondsSince1970, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The second that contains `date`.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(secondsSince1970: Int64(exactly: seconds) ?? 0)
    }

    public var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

    public static func < (a: Self, b: Self) -> Bool { a.secondsSince1970 < b.secondsSince1970 }
}

extension Timestamp: LosslessStringConvertible {
    public init?(_ text: String) {
        let text = Array(text.utf8)
        let shape = Array("0000-00-00T00:00:00Z".utf8)
        guard text.count == shape.count else { return nil }
        for (unit, expected) in zip(text, shape) {
            let isDigit = (0x30...0x39).contains(unit)
            guard expected == 0x30 ? isDigit : unit == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            text[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        guard Self.civil(days: days) == (year, month, day) else { return nil }
        secondsSince1970 = days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    public var description: String {
        let days = (Double(secondsSince1970) / 86_400).rounded(.down)
        let rest = secondsSince1970 - Int64(days) * 86_400
        let (year, month, day) = Self.civil(days: Int64(days))
        func padded(_ value: Int64, _ width: Int = 2) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))"
            + "T\(padded(rest / 3_600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))Z"
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Timestamp: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(text) else {
            throw ArgumentError(
                field: ArgumentError.name(of: decoder.codingPath),
                problem: "time data '\(text)' does not match format '%Y-%m-%dT%H:%M:%SZ'")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
