/// How far the body of an answer may expand when it is decompressed.
///
/// A small body that expands without end would fill the memory or the disk. What people compress
/// seldom shrinks to a hundredth, so bodies up to that ratio are never refused, whatever their length.
enum DecompressionLimit {
    static let ratio: Int64 = 100

    /// How large a body may become that expands more than that.
    static func byteCount(for destination: TaskReceiver.Destination) -> Int64 {
        switch destination {
        case .memory: 64 << 20
        case .pieces, .file: 16 << 30  // is written to a disk, or thrown away piece by piece
        }
    }

    /// - Parameters:
    ///   - decoded: How many bytes came out so far.
    ///   - received: How many went in.
    static func isExceeded(
        decoded: Int64, received: Int64, destination: TaskReceiver.Destination
    ) -> Bool {
        decoded > byteCount(for: destination) && decoded / ratio > received
    }
}
