public import FoundationEssentials

/// An answer as a cache keeps it: its head, its body, and whether it may be written to the disk.
public final class CachedURLResponse: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass, which has no state, and for `userInfo`, a constant whose values are its maker's: they must not change
    // once they are in here.

    /// The head of the answer.
    public let response: URLResponse
    /// Whatever its maker wants to remember of it. On disk what a property list can hold is kept.
    public let userInfo: [AnyHashable: Any]?
    /// Where it may be kept.
    public let storagePolicy: URLCache.StoragePolicy

    let body: CacheBody
    /// When it came, if a cache knows.
    let head: StoredHead?

    /// An answer that may be kept in memory and on disk.
    public convenience init(response: URLResponse, data: Data) {
        self.init(response: response, data: data, storagePolicy: .allowed)
    }

    /// An answer that may be kept where `storagePolicy` says.
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

    /// The body. A large one is read from the disk when it is first asked for.
    public var data: Data { body.data }

    /// Equal are answers with the same response, body, user info and storage policy.
    ///
    /// User info is compared as far as its values can be: what is neither `Hashable` nor a collection of
    /// such values is equal to nothing.
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
