import FoundationEssentials

// `earliestBeginDate`: when the first attempt of a task may start.

extension BackgroundTaskRecord {
    /// ``times``, with fractions.
    static let moments = Double(times.lowerBound)...Double(times.upperBound)

    /// Seconds since 1970, within `moments`.
    static func time(of date: Date) -> Double {
        let seconds = date.timeIntervalSince1970
        return max(moments.lowerBound, min(seconds, moments.upperBound))
    }

    var earliestBeginDate: Date? { earliestBegin.map { Date(timeIntervalSince1970: $0) } }

    /// How many seconds the first attempt still has to wait; 0 for a task that may start, or has started before.
    func delay(at now: Date) -> Double {
        guard attempts == 0, let earliestBegin else { return 0 }
        return max(0, earliestBegin - now.timeIntervalSince1970)
    }

    /// When the resource timeout is over, in seconds since 1970; nil without one. The time before the earliest
    /// date does not count.
    var deadline: Double? {
        guard settings.resourceTimeout > 0 else { return nil }
        return max(Double(created), earliestBegin ?? 0) + settings.resourceTimeout
    }
}
