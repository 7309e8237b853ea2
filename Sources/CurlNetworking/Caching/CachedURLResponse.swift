public import FoundationEssentials

/// A response as a cache stores it: its head, its body, and where it may be stored.
open class CachedURLResponse: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass, which has no state, and for `userInfo`, whose values must not be changed
    // after they are passed here.

    /// The head of the response.
    public let response: URLResponse
    /// Values that the caller attaches. On disk, the property list values are stored.
    public let userInfo: [AnyHashable: Any]?
    /// Where it may be stored.
    public let storagePolicy: URLCache.StoragePolicy

    let body: CacheBody
    /// When it was received, if a cache knows.
    let head: StoredHead?

    /// Creates a response that may be stored in memory and on disk.
    public convenience init(response: URLResponse, data: Data) {
        self.init(response: response, data: data, storagePolicy: .allowed)
    }

    /// Creates a response that may be stored according to `storagePolicy`.
    public convenience init(
        response: URLResponse, data: Data, userInfo: [AnyHashable: Any]? = nil,
        storagePolicy: URLCache.StoragePolicy
    ) {
        self.init(
            response: response, body: .data(data), userInfo: userInfo, storagePolicy: storagePolicy)
    }

    init(
        response: URLResponse, body: CacheBody, userInfo: [AnyHashable: Any]? = nil,
        storagePolicy: URLCache.StoragePolicy = .allowed, head: StoredHead? = nil
    ) {
        self.response = response
        self.body = body
        self.head = head
        self.userInfo = userInfo
        self.storagePolicy = storagePolicy
    }

    /// The body. A large one is read from disk when it is first accessed.
    public var data: Data { body.data }

    /// Returns whether two objects have the same response, body, user info and storage policy.
    ///
    /// User info values that are neither `Hashable` nor collections of such values are never equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CachedURLResponse else { return false }
        return other === self
            || response == other.response && storagePolicy == other.storagePolicy
                && Self.isSame(userInfo ?? [:], other.userInfo ?? [:])
                && body.byteCount == other.body.byteCount && data == other.data
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(response.url)
        hasher.combine(body.byteCount)
        return hasher.finalize()
    }

    private static func isSame(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as AnyHashable, let other as AnyHashable): one == other
        case (let one as [AnyHashable: Any], let other as [AnyHashable: Any]):
            one.count == other.count
                && one.allSatisfy { key, value in
                    other[key].map { isSame(value, $0) } ?? false
                }
        case (let one as [Any], let other as [Any]):
            one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        default: false
        }
    }
}
