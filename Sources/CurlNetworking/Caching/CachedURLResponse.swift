public import FoundationEssentials

/// An answer as a cache keeps it: its head, its body, and whether it may be written to the disk.
public final class CachedURLResponse: @unchecked Sendable {
    // Unchecked for `userInfo` alone, a constant whose values are its maker's: they must not change
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
}

extension CachedURLResponse: Hashable {
    /// Equal are answers with the same URL, status, fields and body.
    public static func == (one: CachedURLResponse, other: CachedURLResponse) -> Bool {
        one === other
            || one.identity == other.identity && one.storagePolicy == other.storagePolicy
                && one.body.byteCount == other.body.byteCount && one.data == other.data
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(response.url)
        hasher.combine(body.byteCount)
    }

    private struct Identity: Equatable {
        var url: URL?
        var mimeType: String?
        var status: Int?
        var fields: [String: String]?
    }

    private var identity: Identity {
        let http = response as? HTTPURLResponse
        return Identity(
            url: response.url, mimeType: response.mimeType, status: http?.statusCode,
            fields: http?.headers.dictionary)
    }
}
