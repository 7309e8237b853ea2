import CurlNetworking
import FoundationEssentials

/// The header `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
enum RetryAfter {
    /// - Parameter now: The reference for a date.
    /// - Returns: How long to wait; nil for an invalid value. Never negative.
    static func parse(_ field: String, now: Date) -> Duration? {
        let field = field.trimmingBlanks
        if let seconds = Int64(field) {
            return seconds < 0 ? nil : .seconds(min(seconds, longest))
        }
        guard let date = HTTPDate.parse(field, now: now) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(now).rounded(.up)), Double(longest)))
    }

    /// A day. More would only overflow somewhere.
    private static let longest: Int64 = 86_400
}

extension String {
    fileprivate var trimmingBlanks: String {
        var slice = self[...]
        while slice.first == " " || slice.first == "\t" { slice.removeFirst() }
        while slice.last == " " || slice.last == "\t" { slice.removeLast() }
        return String(slice)
    }
}
