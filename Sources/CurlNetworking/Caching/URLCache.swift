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

    private let memory: Mutex<MemoryCache>
    private let disk: DiskCache?
    let clock: @Sendable () -> Date
    /// The queue for disk access on behalf of the engine.
    let queue = DispatchQueue(label: "CurlNetworking.cache", qos: .utility)
    private let writesUnderWay = Atomic(0)
    /// How often the program has removed responses.
    private let removalCount = Atomic(0)

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
        memory = Mutex(MemoryCache(capacity: max(0, memoryCapacity)))
        disk = DiskCache(
            directory?.path(percentEncoded: false)
                ?? ProgramFolders.cache.map { $0 + "/URLCache" }, diskCapacity)
        clock = { Date() }
    }

    /// Creates a cache.
    ///
    /// - Parameter path: The folder; a relative path is within `$XDG_CACHE_HOME/<program>`.
    public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        let path = path ?? "URLCache"
        memory = Mutex(MemoryCache(capacity: max(0, memoryCapacity)))
        disk = DiskCache(
            path.hasPrefix("/") ? path : ProgramFolders.cache.map { $0 + "/" + path }, diskCapacity)
        clock = { Date() }
    }

    init(
        memoryCapacity: Int, diskCapacity: Int, folder: String?,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        memory = Mutex(MemoryCache(capacity: max(0, memoryCapacity)))
        disk = DiskCache(folder, diskCapacity)
        self.clock = clock
    }

    // MARK: - Apple's methods

    /// Returns the stored response for a request, fresh or not. May read from disk.
    open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = CacheKey(request.url) else { return nil }
        if let found = inMemory(key, request) { return found.response }
        return onDisk(key, request).map {
            CachedURLResponse(
                response: $0.plainResponse, body: $0.body, userInfo: $0.head.userInfo?.userInfo,
                head: $0.head)
        }
    }

    /// Stores a response, replacing an older one. May write to disk; responses of other protocols than HTTP
    /// are stored in memory only.
    open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard let url = request.url, let key = CacheKey(url) else { return }
        store(cachedResponse, head: head(of: cachedResponse, for: request, url), key: key)
    }

    /// Removes the stored response for a request.
    open func removeCachedResponse(for request: URLRequest) {
        guard let key = CacheKey(request.url) else { return }
        noteRemoval()
        removeAll(for: key)
    }

    /// Stores a response for a task's current request.
    open func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest else { return }
        storeCachedResponse(cachedResponse, for: request)
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
        noteRemoval()
        memory.withLock { $0.removeAll() }
        usedDisk?.removeAll()
    }

    /// Removes the responses that were stored at or after a date.
    open func removeCachedResponses(since date: Date) {
        noteRemoval()
        memory.withLock { $0.removeAll(since: date) }
        usedDisk?.removeAll(since: date)
    }

    /// The capacity in memory, in bytes. Reducing it removes the least recently used responses.
    open var memoryCapacity: Int {
        get { memory.withLock { $0.capacity } }
        set { memory.withLock { $0.capacity = max(0, newValue) } }
    }

    /// The capacity on disk, in bytes. Reducing it removes the least recently used responses.
    open var diskCapacity: Int {
        get { disk?.capacity ?? 0 }
        set { disk?.capacity = max(0, newValue) }
    }

    /// The current use of memory, in bytes.
    open var currentMemoryUsage: Int { memory.withLock { $0.byteCount } }

    /// The current use of the disk, in bytes. Reads the folder on first access.
    open var currentDiskUsage: Int { usedDisk?.byteCount ?? 0 }

    /// Nil for a cache in memory only: its folder may be that of another one, such as ``shared``.
    private var usedDisk: DiskCache? { disk.flatMap { $0.capacity > 0 ? $0 : nil } }
}

// MARK: - Internal access

extension URLCache {
    /// The maximum length of a body that a session stores: a twentieth of the disk's capacity, as in Apple's
    /// URLCache, or a fifth of the memory's.
    var largestBodyByteCount: Int { max(diskCapacity / 20, memoryCapacity / 5) }

    /// The folder; nil for a cache in memory.
    var folder: String? { disk?.folder }

    /// Changes what is stored, on the cache's queue. Plans that are requested later are made after it.
    func write(_ change: @escaping @Sendable () -> Void) {
        writesUnderWay.add(1, ordering: .sequentiallyConsistent)
        queue.async { @Sendable [self] in
            change()
            writesUnderWay.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Stores a response on the cache's queue, unless the program has removed responses since this call: its
    /// task is complete then, and the program expects it to be removed.
    ///
    /// - Parameter store: Called with whether it is to be stored.
    func writeLater(_ key: CacheKey, _ store: @escaping @Sendable (_ isWanted: Bool) -> Void) {
        let count = removalCount.load(ordering: .sequentiallyConsistent)
        write { [self] in
            let isWanted = removalCount.load(ordering: .sequentiallyConsistent) == count
            store(isWanted)
            // A removal in the meantime may not have seen it.
            if isWanted, !isSubclassed,
                removalCount.load(ordering: .sequentiallyConsistent) != count
            {
                removeAll(for: key)
            }
        }
    }

    private func noteRemoval() { removalCount.add(1, ordering: .sequentiallyConsistent) }

    var hasWritesUnderWay: Bool { writesUnderWay.load(ordering: .sequentiallyConsistent) > 0 }

    func inMemory(
        _ key: CacheKey, _ request: URLRequest
    ) -> (response: CachedURLResponse, head: StoredHead)? {
        memory.withLock { $0.response(for: key, request: request.headers) }
    }

    /// Reads a stored response from disk, and adds a small one to memory.
    func onDisk(_ key: CacheKey, _ request: URLRequest) -> CacheEntry? {
        guard let disk = usedDisk,
            var entry = disk.entry(for: key, request: request.headers)
        else { return nil }
        if isSmall(entry.body) {
            entry.body = .data(entry.body.data)
            let response = CachedURLResponse(
                response: entry.plainResponse, body: entry.body,
                userInfo: entry.head.userInfo?.userInfo, head: entry.head)
            memory.withLock { $0.store(response, head: entry.head, key: key) }
        }
        return entry
    }

    /// Whether a body is small enough to be in memory, too.
    func isSmall(_ body: CacheBody) -> Bool {
        body.byteCount <= memoryCapacity / 5
    }

    func store(_ response: CachedURLResponse, head: StoredHead, key: CacheKey) {
        guard response.storagePolicy != .notAllowed else { return removeAll(for: key) }
        var head = head
        head.userInfo = StoredUserInfo(response.userInfo) ?? head.userInfo
        keepInMemory(response, head: head, key: key)
        guard let disk = usedDisk else { return }
        let fits = response.body.byteCount <= disk.capacity
        if fits, response.storagePolicy == .allowed, head.status != 0 {
            disk.store(CacheEntry(head: head, body: response.body), key: key)
        } else {
            disk.remove(head.variant, for: key)
        }
    }

    /// Stores a response in memory. A body in a file is only loaded if it is small.
    private func keepInMemory(_ response: CachedURLResponse, head: StoredHead, key: CacheKey) {
        var response = response
        if case .file = response.body {
            guard isSmall(response.body) else {
                return memory.withLock { $0.remove(head.variant, for: key) }
            }
            response = CachedURLResponse(
                response: response.response, body: .data(response.data),
                userInfo: response.userInfo, storagePolicy: response.storagePolicy, head: head)
        }
        memory.withLock { [response] in $0.store(response, head: head, key: key) }
    }

    /// Creates the head of a response that a caller stores.
    func head(of cached: CachedURLResponse, for request: URLRequest, _ url: URL) -> StoredHead {
        let http = cached.response as? HTTPURLResponse
        let now = clock()
        return StoredHead(
            url: url, status: http?.statusCode ?? 0, headers: http?.headers ?? HTTPHeaderFields(),
            request: request.headers, requestTime: cached.head?.requestTime ?? now,
            responseTime: cached.head?.responseTime ?? now)
    }

    /// Starts a file for a body; returns nil if it is stored in memory only.
    func makeScratchFile(for head: StoredHead) -> CacheScratchFile? {
        guard let disk = usedDisk else { return nil }
        return try? disk.makeScratchFile(for: head)
    }

    func publish(
        _ file: consuming CacheScratchFile, body: CacheBody, head: StoredHead, key: CacheKey
    ) {
        let entry = CacheEntry(head: head, body: body)
        keepInMemory(
            CachedURLResponse(response: entry.plainResponse, body: body, head: head), head: head,
            key: key)
        do throws(URLError) {
            try disk?.publish(file, head: head, key: key)
        } catch {
            disk?.remove(head.variant, for: key)  // no entry is better than the outdated one
        }
    }

    func removeAll(for key: CacheKey) {
        memory.withLock { $0.removeAll(for: key) }
        usedDisk?.removeAll(for: key)
    }
}

extension CacheEntry {
    /// The response as it was stored.
    var plainResponse: HTTPURLResponse {
        HTTPURLResponse(
            url: head.url, head: ResponseHead(status: head.status, headers: head.headers))
    }
}
