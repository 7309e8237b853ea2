internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Caches a journal's transfers, so that only changed files are read again: of a thousand finished transfers
/// and a few active ones, the active ones.
final class TransferMemory: Sendable {
    /// Identifies a file's state: each state is written as a new file.
    struct Stamp: Hashable {
        private var inode: UInt64
        private var byteCount: Int64
        private var seconds: Int
        private var nanoseconds: Int

        /// - Returns: nil if the file does not exist.
        init?(_ file: URL) {
            var facts = stat()
            guard stat(file.path, &facts) == 0 else { return nil }
            inode = UInt64(facts.st_ino)
            byteCount = Int64(facts.st_size)
            (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
        }

        /// Whether the file could be replaced again within the same clock tick and look unchanged.
        func isRecent(at now: Int) -> Bool { (now - 1...now + 1).contains(seconds) }
    }

    private struct Entry {
        var order: Stamp
        var status: Stamp?
        var item: TransferItem
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - order: The file of the order.
    ///   - status: The file of the status.
    ///   - read: Reads both. Incomplete results are not cached.
    func item(
        _ id: String, order: URL, status: URL, read: () -> (item: TransferItem, hasStatus: Bool)?
    ) -> TransferItem? {
        guard let orderStamp = Stamp(order) else { return nil }
        let statusStamp = Stamp(status)
        let known = entries.withLock { $0[id] }
        if let known, known.order == orderStamp, known.status == statusStamp { return known.item }
        // Taken before reading: a later change is detected next time.
        guard let (item, hasStatus) = read() else { return nil }
        let now = time(nil)
        if hasStatus == (statusStamp != nil), !orderStamp.isRecent(at: now),
            statusStamp?.isRecent(at: now) != true
        {
            let entry = Entry(order: orderStamp, status: statusStamp, item: item)
            entries.withLock { $0[id] = entry }
        }
        return item
    }

    /// Removes all others.
    func keep(_ ids: [String]) {
        entries.withLock { entries in
            guard entries.count > ids.count else { return }
            let ids = Set(ids)
            entries = entries.filter { ids.contains($0.key) }
        }
    }
}
