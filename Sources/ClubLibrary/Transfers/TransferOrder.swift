public import ClubStore
public import FoundationEssentials
internal import Synchronization

/// A requested transfer. Written by the program that requests it, read by the one that performs it.
public struct TransferOrder: Codable, Hashable, Sendable, Identifiable {
    public enum Direction: String, Codable, Sendable {
        case upload, download
    }

    /// What the user wants.
    public enum Intent: String, Codable, Sendable {
        case run
        /// Stops and keeps the progress, to resume later.
        case pause
        case cancel
    }

    /// Sorts by creation.
    public let id: String
    public var direction: Direction
    /// The file's path in the club: `/photos/alps.jpg`.
    public var path: String
    /// The absolute path of the file on this computer.
    public var file: String
    public var created: Date
    public var intent = Intent.run
    /// The maximum rate in bytes per second; nil for no limit.
    public var bytesPerSecondLimit: Int64?
    /// Whether a download may replace an existing file.
    public var replaces = false
    /// The JPEG quality of an upload, from 0.1 to 1.
    public var quality = 0.6
    /// Whether a JPEG is uploaded unchanged; nil in orders of earlier versions.
    public var keepsOriginal: Bool?
    /// Whether an uploaded photo keeps its location; nil in orders of earlier versions.
    public var keepsLocation: Bool?
    /// How often a retry was requested.
    public var retryCount = 0
    /// Its place among those that wait: the highest begins first, the oldest of several. Nil, as in orders of earlier
    /// versions: 0.
    public var precedence: Int?

    /// The keys of the file, the same in every version.
    private enum CodingKeys: String, CodingKey {
        case id, direction, path, file, created
        case intent = "wish"
        case bytesPerSecondLimit, replaces, quality, keepsOriginal, keepsLocation, retryCount,
            precedence
    }

    public init(_ direction: Direction, _ path: RemotePath, file: URL, at now: Date = Date()) {
        id = Self.newID(at: now)
        self.direction = direction
        self.path = path.string
        self.file = file.path
        created = now
    }

    /// Requests a retry, continuing from the current progress.
    public mutating func askAgain() {
        intent = .run
        retryCount += 1
    }

    /// The last component of the path in the club.
    public var name: String { path.pathNames().last ?? "" }

    /// Eight letters for the time in milliseconds, four for a counter of this process, and 64 random bits:
    /// unique among all programs, and ordered within one.
    private static func newID(at now: Date) -> String {
        // Eight letters suffice until the year 2059; later times only lose the order.
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

    /// Limits the values of a damaged file: sums must not overflow, and dates must be valid.
    var corrected: TransferOrder {
        var order = self
        order.retryCount = max(0, min(retryCount, 1 << 30))
        order.quality = max(0.1, min(quality, 1))
        order.bytesPerSecondLimit = bytesPerSecondLimit.flatMap { $0 > 0 ? min($0, 1 << 50) : nil }
        order.created = min(max(created, .distantPast), .distantFuture)
        order.precedence = precedence.map { max(0, min($0, 1 << 30)) }
        return order
    }

    /// Whether it is a file name within the journal's folder.
    static func isValid(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 32
            && id.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x7a }
    }
}
