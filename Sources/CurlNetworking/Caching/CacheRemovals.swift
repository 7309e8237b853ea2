/// When stored responses were removed, so that a response that was under way does not replace the newer
/// knowledge: a GET that a POST has overtaken, or a 304 for an entry that is gone.
///
/// Removals are numbered. A plan takes a stamp before it looks for an entry; the response is stored only
/// if its URL was not removed since.
struct CacheRemovals: Sendable {
    /// How many removals had happened at a time.
    struct Stamp: Hashable, Sendable {
        var number: UInt64 = 0
    }

    /// The number of each key's last removal.
    private var numbers: [CacheKey: UInt64] = [:]
    /// The number of the last removal of all, including that of keys that were dropped from the table.
    private var numberForAll: UInt64 = 0
    private var lastNumber: UInt64 = 0

    /// The maximum number of keys in the table.
    static let capacity = 4096

    var count: Int { numbers.count }

    /// The stamp of a plan that is made now.
    var stamp: Stamp { Stamp(number: lastNumber) }

    /// Whether nothing was removed for a key since a stamp was taken.
    func isCurrent(_ stamp: Stamp, for key: CacheKey) -> Bool {
        stamp.number >= max(numberForAll, numbers[key] ?? 0)
    }

    mutating func note(_ key: CacheKey) {
        lastNumber += 1
        numbers[key] = lastNumber
        if numbers.count > Self.capacity { dropOldest() }
    }

    mutating func noteAll() {
        lastNumber += 1
        numberForAll = lastNumber
        numbers = [:]
    }

    /// Notes the removals that follow from a response.
    ///
    /// - Parameters:
    ///   - stamp: The stamp of the response's plan.
    ///   - own: The key of the response, if it has one.
    /// - Returns: The stamp to go on with: the response is newer than its own removals, but not than earlier
    ///   ones of others.
    mutating func note(_ keys: [CacheKey], from stamp: Stamp, of own: CacheKey?) -> Stamp {
        var wasCurrent = false
        if let own { wasCurrent = isCurrent(stamp, for: own) }
        for key in keys { note(key) }
        return wasCurrent ? self.stamp : stamp
    }

    /// Drops the older half of the table. Its keys then count as removed with the last one of them, which at
    /// worst keeps a response from being stored.
    private mutating func dropOldest() {
        let sorted = numbers.values.sorted()
        numberForAll = max(numberForAll, sorted[sorted.count / 2])
        numbers = numbers.filter { $0.value > numberForAll }
    }
}
