internal import ClubStore
internal import ByteClubFiles
public import FoundationEssentials
internal import Glibc

/// A club's transfers, stored as files in their own folder.
///
/// `ID.order` is written by the program that requests a transfer, `ID.status` by the one that performs it,
/// and `ID.upload` is the store's record of an upload. A damaged file affects only its own transfer. Calls
/// block on the disk: do not call them on the main actor. Safe to use from any thread, and by several
/// programs at once.
public struct TransferJournal: Sendable {
    public let folder: URL
    private let memory = TransferMemory()
    private let isDiskFull: Bool

    public init(folder: URL) {
        self.init(folder: folder, isDiskFull: false)
    }

    /// - Parameter isDiskFull: True simulates a disk without room for another file, in tests.
    package init(folder: URL, isDiskFull: Bool) {
        self.folder = folder
        self.isDiskFull = isDiskFull
    }

    /// Why a transfer could not be written.
    public struct Failure: Error, CustomStringConvertible {
        public var reason: String
        public var folder: String

        public var description: String {
            "The list of transfers in \(folder) cannot be written: \(reason)."
        }
    }

    /// Creates the folder, so that it can be watched.
    public func makeFolder() throws(Failure) {
        do throws(AtomicFile.Failure) {
            try AtomicFile.makeFolder(folder)
        } catch {
            throw Failure(reason: error.reason, folder: folder.path)
        }
        removeLeftovers()
    }

    /// How long a completed transfer stays in the list.
    package static let doneAge: TimeInterval = 30 * 86_400
    /// As many completed ones at most, the latest: all of them are read each time.
    package static let doneLimit = 1000

    /// Removes completed transfers of long ago. What has failed, or can go on, is removed only by the user.
    ///
    /// - Parameter limit: See ``doneLimit``.
    package func removeExpired(at now: Date, limit: Int = TransferJournal.doneLimit) {
        let done = items(limit: .max, at: now).filter { $0.state == .done }
        let surplus = done.dropLast(limit)
        let old = done.suffix(limit).filter { item in
            let updated = item.status.updated
            // Without a date, its age is not known.
            return updated.timeIntervalSince1970 > 0
                && now.timeIntervalSince(updated) > Self.doneAge
        }
        for item in surplus + old { remove(item.id) }
    }

    /// Removes temporary files of killed programs after an hour.
    private func removeLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names
        where name.hasPrefix(".") && (name.contains(".order.") || name.contains(".status.")) {
            let path = folder.path + "/" + name
            var facts = stat()
            guard lstat(path, &facts) == 0, facts.st_mtim.tv_sec < time(nil) - 3600 else {
                continue
            }
            unlink(path)
        }
    }

    // MARK: - Orders

    /// Writes an order durably, replacing its earlier state.
    public func write(_ order: TransferOrder) throws(Failure) { try write([order]) }

    /// Writes orders durably, replacing their earlier states.
    ///
    /// - Throws: If one cannot be written; some of the others may be.
    public func write(_ orders: [TransferOrder]) throws(Failure) {
        var files: [(file: AtomicFile, data: Data)] = []
        for order in orders {
            guard TransferOrder.isValid(order.id), let data = Self.encode(order) else {
                throw Failure(reason: "it cannot be written as JSON", folder: folder.path)
            }
            files.append((AtomicFile(url: url(order.id, "order")), data))
        }
        try replace(files, isSynced: true)
    }

    /// Replaces files; on a full disk it writes over those that are there.
    private func replace(
        _ files: [(file: AtomicFile, data: Data)], isSynced: Bool
    ) throws(Failure) {
        do throws(AtomicFile.Failure) {
            try replaceAtomically(files, isSynced: isSynced)
        } catch {
            guard error.isDiskFull else {
                throw Failure(reason: error.reason, folder: folder.path)
            }
            try overwrite(files, isSynced: isSynced)
        }
    }

    private func replaceAtomically(
        _ files: [(file: AtomicFile, data: Data)], isSynced: Bool
    ) throws(AtomicFile.Failure) {
        if isDiskFull { throw AtomicFile.Failure(ENOSPC) }
        guard !isSynced else { return try AtomicFile.write(files) }
        for (file, data) in files { try file.write(data, isSynced: false) }
    }

    private func overwrite(
        _ files: [(file: AtomicFile, data: Data)], isSynced: Bool
    ) throws(Failure) {
        do throws(AtomicFile.Failure) {
            for (file, data) in files { try file.overwrite(data, isSynced: isSynced) }
        } catch {
            throw Failure(reason: error.reason, folder: folder.path)
        }
    }

    /// Changes the orders of transfers; unknown identifiers are ignored.
    public func change(
        _ ids: [String], _ change: (inout TransferOrder) -> Void
    ) throws(Failure) {
        // In small groups: changes by another program between reading and writing are lost.
        for start in stride(from: 0, to: ids.count, by: 20) {
            try write(
                ids[start..<min(start + 20, ids.count)].compactMap { id in
                    guard var order = item(id)?.order else { return nil }
                    change(&order)
                    return order
                })
        }
    }

    /// Removes a transfer.
    public func remove(_ id: String) {
        guard TransferOrder.isValid(id) else { return }
        for kind in ["order", "status", "upload"] { unlink(url(id, kind).path) }
    }

    /// Removes a transfer and its partial file.
    public func clear(_ item: TransferItem) {
        remove(item.id)
        guard item.order.direction == .download, item.state != .done else { return }
        DownloadRemains.remove(of: item.order.file)
    }

    // MARK: - Reading

    /// All transfers, oldest first.
    ///
    /// - Parameters:
    ///   - limit: Of more than this, the oldest that are done or cancelled are left out, and no others.
    ///   - now: See ``item(_:at:)``.
    public func items(limit: Int = 10_000, at now: Date = Date()) -> [TransferItem] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let ids = names.filter { $0.hasSuffix(".order") }.sorted().map { String($0.dropLast(6)) }
        memory.keep(ids)
        let items = ids.compactMap { item($0, at: now) }
        var surplus = items.count - limit
        guard surplus > 0 else { return items }
        return items.filter { item in
            guard surplus > 0, [.done, .cancelled].contains(item.state) else { return true }
            surplus -= 1
            return false
        }
    }

    /// - Parameter now: The current time; see ``TransferStatus/nextAttempt``.
    public func item(_ id: String, at now: Date = Date()) -> TransferItem? {
        guard TransferOrder.isValid(id),
            var item = memory.item(
                id, order: url(id, "order"), status: url(id, "status"), read: { read(id) })
        else { return nil }
        item.status = item.status.corrected(at: now)
        return item
    }

    private func read(_ id: String) -> (item: TransferItem, hasStatus: Bool)? {
        guard let order: TransferOrder = read(id, "order"), order.id == id else { return nil }
        let status: TransferStatus? = read(id, "status")
        let item = TransferItem(order: order.corrected, status: status ?? TransferStatus())
        return (item, status != nil)
    }

    /// Whether an order was removed; false for an unreadable one.
    public func isForgotten(_ id: String) -> Bool {
        access(url(id, "order").path, F_OK) != 0 && errno == ENOENT
    }

    // MARK: - For the carrier

    /// As many bytes a status takes at least: room for a longer one, on a full disk.
    private static let leastStatusByteCount = 4096

    /// Writes a status. After a power cut an earlier one may remain.
    public func write(_ status: TransferStatus, of id: String) throws(Failure) {
        guard TransferOrder.isValid(id), let data = Self.encode(status) else { return }
        let file = AtomicFile(url: url(id, "status"))
        try replace(
            [(file, data.padded(to: Self.leastStatusByteCount))], isSynced: status.isFinished)
    }

    /// Creates the status of a new transfer if it has none, so that there is a file to write over when the disk is
    /// full. It is left out without room for it.
    public func reserveStatus(of id: String) {
        guard !isDiskFull, TransferOrder.isValid(id), let data = Self.encode(TransferStatus())
        else { return }
        let path = url(id, "status").path
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let all = data.padded(to: Self.leastStatusByteCount)
        let written = all.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // The transfer may have been cleared meanwhile.
        if written != all.count || isForgotten(id) { unlink(path) }
    }

    /// The file in which the store keeps an upload's progress.
    public func uploadRecord(of id: String) -> URL { url(id, "upload") }

    private func url(_ id: String, _ kind: String) -> URL {
        folder.appending(path: "\(id).\(kind)")
    }

    private func read<Value: Decodable>(_ id: String, _ kind: String) -> Value? {
        guard let data = try? AtomicFile(url: url(id, kind)).read() else { return nil }
        return try? JSONDecoder().decode(Value.self, from: data)
    }

    private static func encode(_ value: some Encodable) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(value)
    }
}
