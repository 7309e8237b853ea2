package import FoundationEssentials
internal import Glibc
internal import ByteClubMessages

/// Formats sizes, ages and durations, everywhere in the app.
package enum Wording {
    /// A size in decimal units, as disks and clouds use: `0 B`, `980 B`, `1.2 KB`, `34 MB`.
    package static func byteCount(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(max(0, count)) B" }
        var value = Double(count)
        var unit = 0
        let units = ["B", "KB", "MB", "GB", "TB", "PB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if value >= 9.95 { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// A rate: `1.2 MB/s`.
    package static func speed(_ bytesPerSecond: Double) -> String {
        byteCount(Int64(bytesPerSecond.isFinite ? max(0, min(bytesPerSecond, 1e15)) : 0)) + "/s"
    }

    /// The remaining time, rounded so that it does not flicker: `8 s left`, `3 min left`, `2 h
    /// left`.
    package static func timeLeft(_ duration: Duration) -> String {
        let seconds = max(1, duration.components.seconds)
        switch seconds {
        case ..<60: return localized("\(seconds) s left")
        case ..<3600: return localized("\((seconds + 30) / 60) min left")
        case ..<172_800: return localized("\((seconds + 1800) / 3600) h left")
        default: return localized("days left")
        }
    }

    /// The age of a file, short enough for a list: `now`, `5 min`, `3 h`, `2 d`, else a date.
    ///
    /// Dates are in the local time zone: `12 Mar` this year, `Mar 2024` before. A time in the future (another
    /// member's clock is ahead) counts as now.
    package static func age(of date: Date, at now: Date) -> String {
        let seconds = Int(max(0, min(now.timeIntervalSince(date), 1e12)))
        switch seconds {
        case ..<60: return localized("now")
        case ..<3600: return localized("\(seconds / 60) min")
        case ..<86_400: return localized("\(seconds / 3600) h")
        case ..<604_800: return localized("\(seconds / 86_400) d")
        default: break
        }
        let then = localTime(date)
        let month = month(Int(then.tm_mon))
        let isThisYear = then.tm_year == localTime(now).tm_year
        return isThisYear
            ? localized("\(then.tm_mday) \(month)", context: "day and month")
            : localized("\(month) \(then.tm_year + 1900)", context: "month and year")
    }

    /// The same in a sentence: `just now`, `5 min ago`, `12 Mar`.
    package static func timeAgo(_ date: Date, at now: Date) -> String {
        let age = age(of: date, at: now)
        return switch now.timeIntervalSince(date) {
        case ..<60: localized("just now")
        case ..<604_800: localized("\(age) ago")
        default: age
        }
    }

    /// The local time of day, to distinguish versions of one minute: `14:03:27`.
    package static func time(of date: Date) -> String {
        let then = localTime(date)
        return [then.tm_hour, then.tm_min, then.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// When the text of an age changes, in seconds from now; nil once it is a date.
    package static func nextAgeChange(of date: Date, at now: Date) -> TimeInterval? {
        let age = max(0, now.timeIntervalSince(date))
        let unit: TimeInterval
        switch age {
        case ..<3600: unit = 60
        case ..<86_400: unit = 3600
        case ..<604_800: unit = 86_400
        default: return nil
        }
        // A time in the future stays "now" until a minute after it.
        let ahead = max(0, date.timeIntervalSince(now))
        return min(ahead, 1e9) + unit - age.truncatingRemainder(dividingBy: unit)
    }

    /// - Parameter index: Zero-based.
    private static func month(_ index: Int) -> String {
        switch index {
        case 0: localized("Jan")
        case 1: localized("Feb")
        case 2: localized("Mar")
        case 3: localized("Apr")
        case 4: localized("May")
        case 5: localized("Jun")
        case 6: localized("Jul")
        case 7: localized("Aug")
        case 8: localized("Sep")
        case 9: localized("Oct")
        case 10: localized("Nov")
        default: localized("Dec")
        }
    }

    private static func localTime(_ date: Date) -> tm {
        var seconds = time_t(date.timeIntervalSince1970)
        var fields = tm()
        localtime_r(&seconds, &fields)
        return fields
    }
}
