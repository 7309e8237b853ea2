public import ClubStore
public import FoundationEssentials
internal import Synchronization

/// What a person wants transferred. Written by who asks for it, read by who carries it out.
public struct TransferOrder: Codable, Hashable, Sendable, Identifiable {
    public enum Direction: String, Codable, Sendable {
        case upload, download
    }

    /// What is to become of it.
    public enum Wish: String, Codable, Sendable {
        case run
        /// What has moved is kept, and it goes on from there later.
        case pause
        case cancel
    }

    /// Later ones sort behind earlier ones.
    public let id: String
    public var direction: Direction
    /// Where it is, or will be, in the club: `/photos/alps.jpg`.
    public var path: String
    /// Where it is, or will be, on this computer: an absolute path.
    public var file: String
    public var created: Date
    public var wish = Wish.run
    /// At most so many bytes a second; nil for no limit.
    public var bytesPerSecondLimit: Int64?
    /// Whether a file that is there already may be replaced by a download.
    public var replaces = false
    /// The JPEG quality of an upload, from 0.1 to 1.
    public var quality = 0.6
    /// Whether a JPEG is uploaded as it is; nil in orders of earlier versions.
    public var keepsOriginal: Bool?
    /// Whether the club learns where an uploaded photo was taken; nil in orders of earlier versions.
    public var keepsLocation: Bool?
    /// How often it was asked to be tried again.
    public var retryCount = 0

    public init(_ direction: Direction, _ path: RemotePath, file: URL, at now: Date = Date()) {
        id = Self.newID(at: now)
        self.direction = direction
        self.path = path.string
        self.file = file.path
        created = now
    }

    /// Has it tried again, from where it stopped.
    public mutating func askAgain() {
        wish = .run
        retryCount += 1
    }

    /// Of the path in the club.
    public var name: String { String(path.split(separator: "/").last ?? "") }

    /// Eight letters for the time in milliseconds, four that count what this program has ordered, and 64
    /// random bits: unique among all programs, and in the order of one.
    private static func newID(at now: Date) -> String {
        // Eight letters last until the year 2059; a clock beyond that costs the order alone.
        let time = UInt64(max(0, min(now.timeIntervalSince1970 * 1000, 2_821_109_907_455)))
        let number = orderCount.wrappingAdd(1, ordering: .relaxed).oldValue
        return letters(time, 8) + letters(number % 1_679_616, 4)
            + letters(UInt64.random(in: .min ... .max), 13)
    }

    private static let orderCount = Atomic<UInt64>(0)

    private static func letters(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 36)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// What a damaged file must not do to who reads it: sums overflow, dates have no calendar.
    var corrected: TransferOrder {
        var order = self
        order.retryCount = max(0, min(retryCount, 1 << 30))
        order.quality = max(0.1, min(quality, 1))
        order.bytesPerSecondLimit = bytesPerSecondLimit.flatMap { $0 > 0 ? min($0, 1 << 50) : nil }
        order.created = min(max(created, .distantPast), .distantFuture)
        return order
    }

    /// Whether it names a file in the journal's folder, and nothing else.
    static func isValid(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 32
            && id.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x7a }
    }
}
