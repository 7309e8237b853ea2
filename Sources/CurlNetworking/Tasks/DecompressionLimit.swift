/// How far a response body may expand when it is decompressed.
///
/// A small body that expands without limit would fill the memory or the disk. Ordinary data seldom compresses
/// to less than a hundredth, so bodies up to that ratio are accepted, whatever their length.
enum DecompressionLimit {
    static let ratio: Int64 = 100

    /// The maximum length of a body that expands by more than the ratio.
    static func byteCount(for destination: TaskReceiver.Destination) -> Int64 {
        switch destination {
        case .memory: 64 << 20
        case .pieces, .file: 16 << 30  // written to disk, or delivered and released piece by piece
        }
    }

    /// Whether a body has expanded too far.
    ///
    /// - Parameters:
    ///   - decoded: The bytes decoded so far.
    ///   - received: The compressed bytes received so far.
    static func isExceeded(
        decoded: Int64, received: Int64, destination: TaskReceiver.Destination
    ) -> Bool {
        decoded > byteCount(for: destination) && decoded / ratio > received
    }
}
