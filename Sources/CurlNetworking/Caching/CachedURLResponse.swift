public import FoundationEssentials

/// A response as a cache stores it: its head, its body, and where it may be stored.
open class CachedURLResponse: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass, which has no state, and for `userInfo`, whose values must not be changed
    // after they are passed here.

    /// The head of the response.
    open var response: URLResponse { parts.response }
    /// Values that the caller attaches. On disk, the property list values are stored.
    open var userInfo: [AnyHashable: Any]? { parts.userInfo }
    /// Where it may be stored.
    open var storagePolicy: URLCache.StoragePolicy { parts.storagePolicy }

    let body: CacheBody
    /// When it was received, if a cache knows.
    let head: StoredHead?

    /// Creates a response that may be stored in memory and on disk.
    public init(response: URLResponse, data: Data) {
        parts = Parts(response: response, userInfo: nil, storagePolicy: .allowed)
        body = .data(data)
        head = nil
    }

    /// Creates a response that may be stored according to `storagePolicy`.
    public init(
        response: URLResponse, data: Data, userInfo: [AnyHashable: Any]? = nil,
        storagePolicy: URLCache.StoragePolicy
    ) {
        parts = Parts(response: response, userInfo: userInfo, storagePolicy: storagePolicy)
        body = .data(data)
        head = nil
    }

    init(
        response: URLResponse, body: CacheBody, userInfo: [AnyHashable: Any]? = nil,
        storagePolicy: URLCache.StoragePolicy = .allowed, head: StoredHead? = nil
    ) {
        parts = Parts(response: response, userInfo: userInfo, storagePolicy: storagePolicy)
        self.body = body
        self.head = head
    }

    private struct Parts {
        var response: URLResponse
        var userInfo: [AnyHashable: Any]?
        var storagePolicy: URLCache.StoragePolicy
    }

    private let parts: Parts

    /// The body. A large one is read from disk when it is first accessed.
    open var data: Data { body.data }

    /// Returns whether two objects have the same response, body, user info and storage policy.
    ///
    /// User info values that are neither `Hashable` nor collections of such values are never equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CachedURLResponse else { return false }
        return other === self
            || response == other.response && storagePolicy == other.storagePolicy
                && Self.isSame(userInfo ?? [:], other.userInfo ?? [:])
                && body.byteCount == other.body.byteCount && data == other.data
    }

    open override var hash: Int {
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

extension CachedURLResponse {
    /// Returns the response with a head, unless it has one.
    func with(_ head: StoredHead) -> CachedURLResponse {
        guard self.head == nil else { return self }
        return CachedURLResponse(
            response: response, body: body, userInfo: userInfo, storagePolicy: storagePolicy,
            head: head)
    }
}
