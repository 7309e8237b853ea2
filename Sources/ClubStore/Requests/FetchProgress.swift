/// How much of a picture has been received: for the caller that waits for it.
///
/// ```swift
/// let pictures = FetchProgress.$observer.withValue(.init { print($0.received) }) {
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

    /// For the pictures that its task requests.
    @TaskLocal public static var observer: Observer?

    /// A function in a value: a task-local closure of another module is passed with a type that the optimizer makes
    /// and the runtime does not know (Swift 6.3.1), which ends the program.
    public struct Observer: Sendable {
        /// Called on any thread, at most every 100 ms and at the end of each response.
        public let report: @Sendable (FetchProgress) -> Void

        public init(_ report: @escaping @Sendable (FetchProgress) -> Void) {
            self.report = report
        }
    }

    public init(received: Int64, expected: Int64?) {
        self.received = received
        self.expected = expected
    }
}
