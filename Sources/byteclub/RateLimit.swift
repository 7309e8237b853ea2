import ArgumentParser
import ClubAccess

/// The speed limit of a transfer: a rate such as `4M`, or `none`.
struct RateLimit: ExpressibleByArgument {
    /// Nil for no limit.
    var bytesPerSecond: Int64?

    init?(argument: String) {
        guard argument != "none" else { return }
        guard let rate = ByteRate(argument) else { return nil }
        bytesPerSecond = rate.bytesPerSecond
    }

    private init(_ bytesPerSecond: Int64?) { self.bytesPerSecond = bytesPerSecond }

    /// The limit of the settings.
    static func standard(_ settings: TransferSettings) -> RateLimit {
        RateLimit(settings.bytesPerSecondLimit)
    }
}
