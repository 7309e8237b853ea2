/// How much of a page is read: what somebody else wrote must not cost more than this.
public struct HTMLLimits: Hashable, Sendable {
    /// Of the body as it came.
    public var byteCount = 4 << 20
    /// What is nested deeper stands as if it were not.
    public var depth = 256
    public var elementCount = 250_000
    /// Attributes that an element may have: libxml2 compares each with all before it.
    public var attributeCount = 256
    /// Pictures beyond are words.
    public var pictureCount = 1000
    public var time = Duration.seconds(5)

    public init() {}
}
