/// How much of a picture has been received: for the caller that waits for it.
///
/// ```swift
/// let pictures = FetchProgress.$observer.withValue({ print($0.received) }) {
///     store.thumbnails(of: [path], size: .w2048h1536)
/// }
/// ```
///
/// Reported where a store fetches the picture itself to make a thumbnail of it, which may take a while; a preview
/// made by the server is small.
public struct FetchProgress: Hashable, Sendable {
    /// In bytes.
    public var received: Int64
    /// The size of the picture in bytes; nil if the server did not report it.
    public var expected: Int64?

    /// Called on any thread for the pictures that its task requests, at most every 100 ms and at the end of each
    /// response.
    @TaskLocal public static var observer: (@Sendable (FetchProgress) -> Void)?

    public init(received: Int64, expected: Int64?) {
        self.received = received
        self.expected = expected
    }
}
