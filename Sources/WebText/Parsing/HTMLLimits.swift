/// The limits for parsing untrusted pages.
public struct HTMLLimits: Hashable, Sendable {
    /// The size of the body.
    public var byteCount = 4 << 20
    /// Deeper elements are handled as if they were not nested.
    public var depth = 256
    public var elementCount = 250_000
    /// Attributes per element: libxml2 compares each with all previous ones.
    public var attributeCount = 256
    /// Further pictures are replaced by words.
    public var pictureCount = 1000
    public var time = Duration.seconds(5)

    public init() {}
}
