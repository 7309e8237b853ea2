import FoundationEssentials
import Synchronization

/// Responses in memory and on disk, by key and variant.
///
/// What was removed is noted, so that a response that was requested before is not stored after it.
final class ResponseStore: Sendable {
    private let memory: Mutex<MemoryCache>
    private let disk: DiskCache?
    /// Locked while the memory is, never the other way round.
    private let removals = Mutex(CacheRemovals())

    /// - Parameters:
    ///   - memoryCapacity: In bytes.
    ///   - diskCapacity: In bytes; 0 stores nothing on disk.
    ///   - folder: Nil stores nothing on disk, either.
    init(memoryCapacity: Int, diskCapacity: Int, folder: String?) {
        memory = Mutex(MemoryCache(capacity: max(0, memoryCapacity)))
        disk = DiskCache(folder, diskCapacity)
    }

    /// In bytes.
    var memoryCapacity: Int {
        get { memory.withLock { $0.capacity } }
        set { memory.withLock { $0.capacity = max(0, newValue) } }
    }

    /// In bytes.
    var diskCapacity: Int {
        get { disk?.capacity ?? 0 }
        set { disk?.capacity = max(0, newValue) }
    }

    var memoryByteCount: Int { memory.withLock { $0.byteCount } }

    /// Reads the folder on first access.
    var diskByteCount: Int { usedDisk?.byteCount ?? 0 }

    /// The folder; nil for a store in memory.
    var folder: String? { disk?.folder }

    /// Nil for a store in memory only: its folder may be that of another one, such as the shared cache's.
    private var usedDisk: DiskCache? { disk.flatMap { $0.capacity > 0 ? $0 : nil } }

    // MARK: - Finding

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
    func hasNewer(than head: StoredHead, for key: CacheKey, now: Date) -> Bool {
        // A clock that was set back must not keep an entry forever.
        let latest = max(now, head.responseTime) + 60
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

    // MARK: - Storing

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

    // MARK: - Removing

    func removeAll(for key: CacheKey) {
        memory.withLock { $0.removeAll(for: key) }
        usedDisk?.removeAll(for: key)
    }

    /// Removes the variants that belong to accounts.
    func removeAccounts(of variant: StoredHead.Variant, for key: CacheKey) {
        memory.withLock { $0.removeAccounts(of: variant, for: key) }
        usedDisk?.removeAccounts(of: variant, for: key)
    }

    /// Removes what is stored for a key; what was requested before is not stored any more.
    func removeAndNote(_ key: CacheKey) {
        removals.withLock { $0.note(key) }
        usedDisk?.removeAll(for: key)
        memory.withLock { memory in
            // A plan that was made meanwhile may have found it.
            removals.withLock { $0.note(key) }
            memory.removeAll(for: key)
        }
    }

    /// Removes everything that was stored at or after a date; nil for all. What was requested before is not
    /// stored any more.
    func removeAll(since date: Date? = nil) {
        removals.withLock { $0.noteAll() }
        if let date { usedDisk?.removeAll(since: date) } else { usedDisk?.removeAll() }
        memory.withLock { memory in
            removals.withLock { $0.noteAll() }
            if let date { memory.removeAll(since: date) } else { memory.removeAll() }
        }
    }

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
}
