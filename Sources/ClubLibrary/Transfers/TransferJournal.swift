internal import ClubStore
internal import Files
public import FoundationEssentials
internal import Glibc

/// The transfers of one club, as files in a folder of its own: they outlive every program.
///
/// `ID.order` is written by who asks, `ID.status` by the one program that carries them out, `ID.upload` is the
/// store's record of an upload. A damaged file costs the one transfer. Calls block until the disk has answered:
/// none belongs on the main actor. Safe from any thread, and by several programs at once.
public struct TransferJournal: Sendable {
    public let folder: URL
    private let memory = TransferMemory()

    public init(folder: URL) {
        self.folder = folder
    }

    /// Why a transfer could not be written down.
    public struct Failure: Error, CustomStringConvertible {
        public var reason: String
        public var folder: String

        public var description: String {
            "The list of transfers in \(folder) cannot be written: \(reason)."
        }
    }

    /// Makes the folder, so that it can be watched.
    public func makeFolder() throws(Failure) {
        do throws(AtomicFile.Failure) {
            try AtomicFile.makeFolder(folder)
        } catch {
            throw Failure(reason: error.reason, folder: folder.path)
        }
        removeLeftovers()
    }

    /// Removes the temporary files of programs that were killed while they wrote, an hour after.
    private func removeLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(".") && name.contains(".order.") {
            let path = folder.path + "/" + name
            var facts = stat()
            guard lstat(path, &facts) == 0, facts.st_mtim.tv_sec < time(nil) - 3600 else {
                continue
            }
            unlink(path)
        }
    }

    // MARK: - Orders

    /// Writes an order, durably, in place of its earlier state.
    public func write(_ order: TransferOrder) throws(Failure) { try write([order]) }

    /// Writes orders, durably, in place of their earlier states.
    ///
    /// - Throws: When one cannot be written; some of the others may be.
    public func write(_ orders: [TransferOrder]) throws(Failure) {
        var files: [(file: AtomicFile, data: Data)] = []
        for order in orders {
            guard TransferOrder.isValid(order.id), let data = Self.encode(order) else {
                throw Failure(reason: "it cannot be written as JSON", folder: folder.path)
            }
            files.append((AtomicFile(url: url(order.id, "order")), data))
        }
        do throws(AtomicFile.Failure) {
            try AtomicFile.write(files)
        } catch {
            throw Failure(reason: error.reason, folder: folder.path)
        }
    }

    /// Changes what is wanted of transfers; names that no transfer has are passed over.
    public func change(
        _ ids: [String], _ change: (inout TransferOrder) -> Void
    ) throws(Failure) {
        // A few at a time: what another program wants of them between reading and writing is lost.
        for start in stride(from: 0, to: ids.count, by: 20) {
            try write(
                ids[start..<min(start + 20, ids.count)].compactMap { id in
                    guard var order = item(id)?.order else { return nil }
                    change(&order)
                    return order
                })
        }
    }

    /// Forgets a transfer.
    public func remove(_ id: String) {
        guard TransferOrder.isValid(id) else { return }
        for kind in ["order", "status", "upload"] { unlink(url(id, kind).path) }
    }

    /// Forgets a transfer and removes what has arrived of it, unless it is all there.
    public func clear(_ item: TransferItem) {
        remove(item.id)
        guard item.order.direction == .download, item.state != .done else { return }
        DownloadRemains.remove(of: item.order.file)
    }

    // MARK: - Reading

    /// All transfers, the oldest first; of very many the latest.
    ///
    /// - Parameter now: See ``item(_:at:)``.
    public func items(limit: Int = 10_000, at now: Date = Date()) -> [TransferItem] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let ids = names.filter { $0.hasSuffix(".order") }.sorted().suffix(limit)
            .map { String($0.dropLast(6)) }
        memory.keep(ids)
        return ids.compactMap { item($0, at: now) }
    }

    /// - Parameter now: What time it is; see ``TransferStatus/nextAttempt``.
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

    /// Whether an order was removed; not one that cannot be read.
    public func isForgotten(_ id: String) -> Bool {
        access(url(id, "order").path, F_OK) != 0 && errno == ENOENT
    }

    // MARK: - For the carrier

    /// Says how far a transfer is. What is left of it when power fails may be an earlier state.
    public func write(_ status: TransferStatus, of id: String) throws(Failure) {
        guard TransferOrder.isValid(id), let data = Self.encode(status) else { return }
        do throws(AtomicFile.Failure) {
            try AtomicFile(url: url(id, "status")).write(data, isSynced: status.isFinished)
        } catch {
            throw Failure(reason: error.reason, folder: folder.path)
        }
    }

    /// Where the store keeps how far an upload is.
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
