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

    private let memory: Mutex<MemoryCache>
    private let disk: DiskCache?
    let clock: @Sendable () -> Date
    /// The queue for disk access on behalf of the engine.
    let queue = DispatchQueue(label: "CurlNetworking.cache", qos: .utility)
    private let writesUnderWay = Atomic(0)
    /// The thread that calls a subclass's methods for a session, on the queue.
    private let sessionThread = Mutex<pthread_t?>(nil)
    /// Locked while the memory is, never the other way round.
    private let removals = Mutex(CacheRemovals())

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
    ///
    /// For a request without `Authorization`, that is the newest one, whichever account it is for. Sessions
    /// use a response only for the account that has requested it, unless its `Cache-Control` is `public`.
    open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        response(for: request, CacheQuery(request: request.headers))
    }

    /// Returns the newest stored response that matches a query.
    final func response(for request: URLRequest, _ query: CacheQuery) -> CachedURLResponse? {
        guard let key = CacheKey(request.url) else { return nil }
        if let found = inMemory(key, query) {
            let isPlain = type(of: found.response) == CachedURLResponse.self
            return isSubclassed && isPlain ? found.response.with(found.head) : found.response
        }
        return onDisk(key, query).map {
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
            memory.withLock { $0.removeAccounts(of: head.variant, for: key) }
            usedDisk?.removeAccounts(of: head.variant, for: key)
        }
        store(cachedResponse, head: head, key: key)
    }

    /// Removes the stored response for a request.
    open func removeCachedResponse(for request: URLRequest) {
        guard let key = CacheKey(request.url) else { return }
        noteRemoval(of: key)
        usedDisk?.removeAll(for: key)
        memory.withLock { memory in
            // A plan that was made meanwhile may have found it.
            noteRemoval(of: key)
            memory.removeAll(for: key)
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
        noteRemovalOfAll()
        usedDisk?.removeAll()
        memory.withLock { memory in
            noteRemovalOfAll()
            memory.removeAll()
        }
    }

    /// Removes the responses that were stored at or after a date.
    open func removeCachedResponses(since date: Date) {
        noteRemovalOfAll()
        usedDisk?.removeAll(since: date)
        memory.withLock { memory in
            noteRemovalOfAll()
            memory.removeAll(since: date)
        }
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
            let isWanted = isCurrent(stamp, for: key)
            store(isWanted)
            // A removal in the meantime may not have seen it.
            if isWanted, !isSubclassed, !isCurrent(stamp, for: key) { removeAll(for: key) }
        }
    }

    // MARK: - Removals

    /// The stamp of a plan that is made now. Take it before looking for an entry.
    var stamp: CacheRemovals.Stamp { removals.withLock { $0.stamp } }

    /// Whether nothing was removed for a key since a stamp was taken.
    func isCurrent(_ stamp: CacheRemovals.Stamp, for key: CacheKey) -> Bool {
        removals.withLock { $0.isCurrent(stamp, for: key) }
    }

    /// Notes the removals that follow from a response. Returns its plan with the stamp to go on with.
    func noteRemovals(of keys: [CacheKey], by plan: CachePlan?) -> CachePlan? {
        guard !keys.isEmpty else { return plan }
        let (stamp, sent) = (plan?.stamp ?? CacheRemovals.Stamp(), plan?.sendingStamp)
        let own = CacheKey(plan?.request.url)
        let renewed = removals.withLock { removals in
            var isSentCurrent = false
            if let own, let sent { isSentCurrent = removals.isCurrent(sent, for: own) }
            let renewed = removals.note(keys, from: stamp, of: own)
            return (lookup: renewed, sending: isSentCurrent ? removals.stamp : sent)
        }
        var plan = plan
        plan?.stamp = renewed.lookup
        plan?.sendingStamp = renewed.sending
        return plan
    }

    private func noteRemoval(of key: CacheKey) {
        // A session has noted what it removes by a subclass's methods.
        guard !isCalledBySession else { return }
        removals.withLock { $0.note(key) }
    }

    /// Calls a subclass's methods on behalf of a session.
    func asSession(_ body: () -> Void) {
        sessionThread.withLock { $0 = pthread_self() }
        body()
        sessionThread.withLock { $0 = nil }
    }

    private var isCalledBySession: Bool { sessionThread.withLock { $0 == pthread_self() } }

    private func noteRemovalOfAll() { removals.withLock { $0.noteAll() } }

    var hasWritesUnderWay: Bool { writesUnderWay.load(ordering: .sequentiallyConsistent) > 0 }

    // MARK: - Entries

    func inMemory(
        _ key: CacheKey, _ query: CacheQuery
    ) -> (response: CachedURLResponse, head: StoredHead)? {
        memory.withLock { $0.response(for: key, query) }
    }

    /// Reads a stored response from disk, and adds a small one to memory, unless it was removed or replaced
    /// meanwhile.
    func onDisk(_ key: CacheKey, _ query: CacheQuery) -> CacheEntry? {
        let stamp = stamp
        guard let disk = usedDisk, let found = disk.entry(for: key, query) else { return nil }
        guard isSmall(found.body) else { return found }
        let head = found.head
        let entry = CacheEntry(head: head, body: .data(found.body.data))
        let response = CachedURLResponse(
            response: entry.plainResponse, body: entry.body, userInfo: head.userInfo?.userInfo,
            head: head)
        memory.withLock { memory in
            let known = memory.head(of: head.variant, for: key)
            let isNewest = known.map { $0.responseTime <= head.responseTime } ?? true
            if isNewest, isCurrent(stamp, for: key) {
                memory.store(response, head: head, key: key)
            }
        }
        return entry
    }

    /// Whether a later response of the same variant is stored, by this process or another: this one is older,
    /// even though it is complete only now.
    func hasNewer(than head: StoredHead, for key: CacheKey) -> Bool {
        // A clock that was set back must not keep an entry forever.
        let latest = max(clock(), head.responseTime) + 60
        let isNewer: (StoredHead) -> Bool = { stored in
            stored.responseTime > head.responseTime && stored.responseTime <= latest
        }
        if let known = memory.withLock({ $0.head(of: head.variant, for: key) }), isNewer(known) {
            return true
        }
        return usedDisk?.head(of: head.variant, for: key).map(isNewer) ?? false
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

extension CachedURLResponse {
    /// Returns the response with a head, unless it has one.
    func with(_ head: StoredHead) -> CachedURLResponse {
        guard self.head == nil else { return self }
        return CachedURLResponse(
            response: response, body: body, userInfo: userInfo, storagePolicy: storagePolicy,
            head: head)
    }
}

extension CacheEntry {
    /// The response as it was stored.
    var plainResponse: HTTPURLResponse {
        HTTPURLResponse(
            url: head.url, head: ResponseHead(status: head.status, headers: head.headers))
    }
}
