import FoundationEssentials

/// The most recently used responses in memory, as a value without a lock.
struct MemoryCache: Sendable {
    private struct Item: Sendable {
        var response: CachedURLResponse
        var head: StoredHead
        var byteCount: Int
        var lastUse: Int
    }

    var capacity: Int {
        didSet { shrink() }
    }
    private(set) var byteCount = 0
    private var items: [CacheKey: [Item]] = [:]
    private var useCount = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the newest variant that matches a query.
    mutating func response(
        for key: CacheKey, _ query: CacheQuery
    ) -> (response: CachedURLResponse, head: StoredHead)? {
        guard var found = items[key] else { return nil }
        let best = found.indices.filter { query.matches(found[$0].head) }
            .max { found[$0].head.responseTime < found[$1].head.responseTime }
        guard let best else { return nil }
        useCount += 1
        found[best].lastUse = useCount
        items[key] = found
        return (found[best].response, found[best].head)
    }

    /// Returns what is stored of a variant, without counting as a use.
    func head(of variant: StoredHead.Variant, for key: CacheKey) -> StoredHead? {
        items[key]?.first { $0.head.variant == variant }?.head
    }

    /// Stores a response if it fits, replacing one of the same variant.
    mutating func store(_ response: CachedURLResponse, head: StoredHead, key: CacheKey) {
        remove(head.variant, for: key)
        let byteCount = response.body.byteCount + head.byteCount
        guard byteCount <= capacity else { return }
        useCount += 1
        items[key, default: []].append(
            Item(response: response, head: head, byteCount: byteCount, lastUse: useCount))
        self.byteCount += byteCount
        if let found = items[key], found.count > StoredHead.Variant.maximumCount,
            let oldest = found.map(\.lastUse).min()
        {
            remove(key) { $0.lastUse == oldest }
        }
        shrink()
    }

    mutating func remove(_ variant: StoredHead.Variant, for key: CacheKey) {
        remove(key) { $0.head.variant == variant }
    }

    /// Removes a variant of each account.
    mutating func removeAccounts(of variant: StoredHead.Variant, for key: CacheKey) {
        remove(key) { $0.head.variant.withoutAccount == variant.withoutAccount }
    }

    mutating func removeAll(for key: CacheKey) {
        remove(key) { _ in true }
    }

    mutating func removeAll(since date: Date = .distantPast) {
        for key in Array(items.keys) { remove(key) { $0.head.responseTime >= date } }
    }

    private mutating func remove(_ key: CacheKey, where isMeant: (Item) -> Bool) {
        guard var found = items.removeValue(forKey: key) else { return }
        byteCount -= found.filter(isMeant).reduce(0) { $0 + $1.byteCount }
        found.removeAll(where: isMeant)
        if !found.isEmpty { items[key] = found }
    }

    private mutating func shrink() {
        guard byteCount > capacity else { return }
        let goal = capacity / 10 * 9
        var uses = items.values.flatMap { $0.map(\.lastUse) }.sorted()[...]
        var doomed: Set<Int> = []
        var rest = byteCount
        let sizes = Dictionary(
            items.values.joined().map { ($0.lastUse, $0.byteCount) }, uniquingKeysWith: +)
        while rest > goal, let use = uses.popFirst() {
            doomed.insert(use)
            rest -= sizes[use] ?? 0
        }
        for key in Array(items.keys) { remove(key) { doomed.contains($0.lastUse) } }
    }
}

extension StoredHead {
    /// The approximate memory of a response.
    fileprivate var byteCount: Int {
        headers.fields.reduce(url.absoluteString.utf8.count + 128) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 32
        }
    }
}
