import CurlNetworkingPlatform
import Dispatch
public import FoundationEssentials
import Synchronization

/// Stores responses in memory and on disk. All methods can be called from any thread.
///
/// Sessions use it according to the rules of HTTP for a private cache (RFC 9111); the methods here store and
/// return responses without such rules. On disk each response is a file with mode 0600, replaced atomically;
/// a damaged file is ignored.
///
/// Subclasses can override Apple's methods: sessions then find responses with `cachedResponse(for:)` and
/// store them with `storeCachedResponse(_:for:)`, on a separate queue.
open class URLCache: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and a
    // subclass declares its own conformance.

    /// Where a response may be stored.
    public enum StoragePolicy: UInt, Sendable {
        case allowed = 0
        case allowedInMemoryOnly = 1
        case notAllowed = 2
    }

    /// The responses, without Apple's methods.
    let responses: ResponseStore
    let clock: @Sendable () -> Date
    /// The queue for disk access on behalf of the engine.
    let queue = DispatchQueue(label: "CurlNetworking.cache", qos: .utility)
    private let writesUnderWay = Atomic(0)
    /// The thread that calls a subclass's methods for a session, on the queue.
    private let sessionThread = Mutex<pthread_t?>(nil)

    private static let current = Mutex(
        URLCache(memoryCapacity: 4 << 20, diskCapacity: 20 << 20, directory: nil))

    /// The default cache of sessions: 4 MiB in memory, 20 MiB on disk.
    open class var shared: URLCache {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: In bytes.
    ///   - diskCapacity: In bytes; 0 stores nothing on disk.
    ///   - directory: A folder for this cache only, created when needed, accessible to the user only. nil for
    ///     `$XDG_CACHE_HOME/<program>/URLCache` (`~/.cache/…`).
    public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        responses = ResponseStore(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            folder: directory?.path(percentEncoded: false)
                ?? ProgramFolders.cache.map { $0 + "/URLCache" })
        clock = { Date() }
    }

    /// Creates a cache.
    ///
    /// - Parameter path: The folder; a relative path is within `$XDG_CACHE_HOME/<program>`.
    public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        let path = path ?? "URLCache"
        responses = ResponseStore(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            folder: path.hasPrefix("/") ? path : ProgramFolders.cache.map { $0 + "/" + path })
        clock = { Date() }
    }

    init(
        memoryCapacity: Int, diskCapacity: Int, folder: String?,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        responses = ResponseStore(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, folder: folder)
        self.clock = clock
    }

    // MARK: - Apple's methods

    /// Returns the stored response for a request, fresh or not. May read from disk.
    ///
    /// For a request without `Authorization`, that is the newest one, whichever account it is for. Sessions
    /// use a response only for the account that has requested it, unless its `Cache-Control` is `public`.
    open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        response(for: request, CacheQuery(request: request.headers))
    }

    /// Returns the newest stored response that matches a query.
    final func response(for request: URLRequest, _ query: CacheQuery) -> CachedURLResponse? {
        guard let key = CacheKey(request.url) else { return nil }
        if let found = responses.inMemory(key, query) {
            let isPlain = type(of: found.response) == CachedURLResponse.self
            return isSubclassed && isPlain ? found.response.with(found.head) : found.response
        }
        return responses.onDisk(key, query).map {
            CachedURLResponse(
                response: $0.plainResponse, body: $0.body, userInfo: $0.head.userInfo?.userInfo,
                head: $0.head)
        }
    }

    /// Stores a response, replacing an older one. May write to disk; responses of other protocols than HTTP
    /// are stored in memory only.
    open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard let url = request.url, let key = CacheKey(url) else { return }
        let head = head(of: cachedResponse, for: request, url)
        // It replaces what each account has.
        if head.variant.account == StoredHead.Variant.anyAccount {
            responses.removeAccounts(of: head.variant, for: key)
        }
        responses.store(cachedResponse, head: head, key: key)
    }

    /// Removes the stored response for a request.
    open func removeCachedResponse(for request: URLRequest) {
        guard let key = CacheKey(request.url) else { return }
        // A session has noted what it removes by a subclass's methods.
        if isCalledBySession {
            responses.removeAll(for: key)
        } else {
            responses.removeAndNote(key)
        }
    }

    /// Stores a response for a task's current request.
    open func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest else { return }
        storeCachedResponse(cachedResponse, for: dataTask.withAdditionalHeaders(request))
    }

    /// Calls a handler on the session's delegate queue with the stored response for a task's request. Does
    /// not block on the disk.
    open func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        findResponse(for: dataTask, completionHandler: completionHandler)
    }

    /// Removes the stored response for a task's current request.
    open func removeCachedResponse(for dataTask: URLSessionDataTask) {
        guard let request = dataTask.currentRequest else { return }
        removeCachedResponse(for: request)
    }

    /// Removes all responses, in memory and on disk.
    open func removeAllCachedResponses() {
        responses.removeAll()
    }

    /// Removes the responses that were stored at or after a date.
    open func removeCachedResponses(since date: Date) {
        responses.removeAll(since: date)
    }

    /// The capacity in memory, in bytes. Reducing it removes the least recently used responses.
    open var memoryCapacity: Int {
        get { responses.memoryCapacity }
        set { responses.memoryCapacity = newValue }
    }

    /// The capacity on disk, in bytes. Reducing it removes the least recently used responses.
    open var diskCapacity: Int {
        get { responses.diskCapacity }
        set { responses.diskCapacity = newValue }
    }

    /// The current use of memory, in bytes.
    open var currentMemoryUsage: Int { responses.memoryByteCount }

    /// The current use of the disk, in bytes. Reads the folder on first access.
    open var currentDiskUsage: Int { responses.diskByteCount }
}

// MARK: - Internal access

extension URLCache {
    /// The maximum length of a body that a session stores: a twentieth of the disk's capacity, as in Apple's
    /// URLCache, or a fifth of the memory's.
    var largestBodyByteCount: Int { max(diskCapacity / 20, memoryCapacity / 5) }

    /// The folder; nil for a cache in memory.
    var folder: String? { responses.folder }

    /// Changes what is stored, on the cache's queue. Plans that are requested later are made after it.
    func write(_ change: @escaping @Sendable () -> Void) {
        writesUnderWay.add(1, ordering: .sequentiallyConsistent)
        queue.async { @Sendable [self] in
            change()
            writesUnderWay.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Stores a response on the cache's queue, unless something was removed for its URL since its request.
    ///
    /// - Parameters:
    ///   - stamp: The stamp of the response's plan.
    ///   - store: Called with whether it is to be stored.
    func writeLater(
        _ key: CacheKey, ifCurrent stamp: CacheRemovals.Stamp,
        _ store: @escaping @Sendable (_ isWanted: Bool) -> Void
    ) {
        write { [self] in
            let isWanted = responses.isCurrent(stamp, for: key)
            store(isWanted)
            // A removal in the meantime may not have seen it.
            if isWanted, !isSubclassed, !responses.isCurrent(stamp, for: key) {
                responses.removeAll(for: key)
            }
        }
    }

    // MARK: - Subclasses

    /// Calls a subclass's methods on behalf of a session.
    func asSession(_ body: () -> Void) {
        sessionThread.withLock { $0 = pthread_self() }
        body()
        sessionThread.withLock { $0 = nil }
    }

    private var isCalledBySession: Bool { sessionThread.withLock { $0 == pthread_self() } }

    var hasWritesUnderWay: Bool { writesUnderWay.load(ordering: .sequentiallyConsistent) > 0 }

    /// Creates the head of a response that a caller stores. One that a cache has found for an account remains
    /// that account's, unless the request names another. One that a program has made is for anybody, unless the
    /// request names an account.
    func head(of cached: CachedURLResponse, for request: URLRequest, _ url: URL) -> StoredHead {
        let http = cached.response as? HTTPURLResponse
        let now = clock()
        let isNamed = request.headers["Authorization"] != nil
        var head = StoredHead(
            url: url, status: http?.statusCode ?? 0, headers: http?.headers ?? HTTPHeaderFields(),
            request: request.headers, account: isNamed ? nil : cached.head?.variant.account,
            requestTime: cached.head?.requestTime ?? now,
            responseTime: cached.head?.responseTime ?? now)
        if !isNamed, cached.head == nil, !isCalledBySession {
            head.variant = head.variant.with(account: StoredHead.Variant.anyAccount)
        }
        return head
    }
}
