internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The transfers of a journal as they were read last. Their files are read again only when they have changed:
/// of a list with a thousand ended ones, those that move.
final class TransferMemory: Sendable {
    /// Tells the states of a file apart: each is written as a file of its own.
    struct Stamp: Hashable {
        private var inode: UInt64
        private var byteCount: Int64
        private var seconds: Int
        private var nanoseconds: Int

        /// - Returns: nil when there is no such file.
        init?(_ file: URL) {
            var facts = stat()
            guard stat(file.path, &facts) == 0 else { return nil }
            inode = UInt64(facts.st_ino)
            byteCount = Int64(facts.st_size)
            (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
        }

        /// Whether the file could be replaced once more within the same tick of its clock, and look the same.
        func isRecent(at now: Int) -> Bool { (now - 1...now + 1).contains(seconds) }
    }

    private struct Entry {
        var order: Stamp
        var status: Stamp?
        var item: TransferItem
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - order: The file of its order.
    ///   - status: The file of its status.
    ///   - read: Reads both. What it could not read of them whole is not remembered.
    func item(
        _ id: String, order: URL, status: URL, read: () -> (item: TransferItem, hasStatus: Bool)?
    ) -> TransferItem? {
        guard let orderStamp = Stamp(order) else { return nil }
        let statusStamp = Stamp(status)
        let known = entries.withLock { $0[id] }
        if let known, known.order == orderStamp, known.status == statusStamp { return known.item }
        // Taken before they are read: a change after that is seen the next time.
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

    /// Forgets all others.
    func keep(_ ids: [String]) {
        entries.withLock { entries in
            guard entries.count > ids.count else { return }
            let ids = Set(ids)
            entries = entries.filter { ids.contains($0.key) }
        }
    }
}
