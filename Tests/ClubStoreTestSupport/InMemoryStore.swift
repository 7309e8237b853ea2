public import ClubStore
public import FoundationEssentials
import Synchronization

/// A club in memory that implements the contract of `RemoteStore`, and breaks it on request.
///
/// Its calls are recorded in ``calls``. ``failNext(_:with:)`` makes a call fail; ``hold(_:)``
/// suspends calls until ``release(_:)``, so that a test can examine the screen while they are in
/// progress.
public final class InMemoryStore: RemoteStore {
    let state: Mutex<InMemoryClub>
    let gate = CallGate()
    private let confirmations = CallGate()
    private let pace = Mutex<Pace?>(nil)
    private let notes = Mutex(Notes())
    /// Whether what is removed or replaced can be had again.
    public let keepsRevisions: Bool
    /// Whether what is kept has the revision that it had before; a Nextcloud's has another one.
    public let keepsEveryState: Bool

    /// Whether a listing contains names that begin with a dot.
    private let isListingHidden: Bool

    /// - Parameter hasTagsOfBytes: Whether a file that has the bytes of an earlier state has its revision again.
    public init(
        allocatedBytes: Int64? = nil, keepsRevisions: Bool = true, keepsEveryState: Bool = true,
        listsHiddenNames: Bool = true, hasHashes: Bool = false, hasTagsOfBytes: Bool = false
    ) {
        isListingHidden = listsHiddenNames
        self.keepsRevisions = keepsRevisions
        self.keepsEveryState = keepsEveryState
        state = Mutex(
            InMemoryClub(
                allocatedBytes: allocatedBytes, hasHashes: hasHashes,
                hasTagsOfBytes: hasTagsOfBytes))
    }

    // MARK: - For tests

    /// One recorded call.
    public struct Call: Hashable, Sendable {
        public var operation: StoreError.Operation
        public var path: RemotePath?

        public init(_ operation: StoreError.Operation, _ path: RemotePath? = nil) {
            self.operation = operation
            self.path = path
        }
    }

    /// Every call so far, in order.
    public var calls: [Call] { gate.calls }

    /// Returns once there were so many calls of this kind, those that are suspended included.
    public func waitForCalls(of operation: StoreError.Operation, count: Int = 1) async {
        await gate.waitForCalls(of: operation, count: count)
    }

    /// Makes the next call of this kind that is not already failing throw the code instead of doing
    /// anything.
    public func failNext(
        _ operation: StoreError.Operation, with code: StoreError.Code, wasAccepted: Bool = false
    ) {
        gate.failNext(operation, with: code, wasAccepted: wasAccepted)
    }

    /// Whether there is no connection: every call fails until there is one.
    public var isUnreachable: Bool {
        get { gate.isUnreachable }
        set { gate.isUnreachable = newValue }
    }

    /// Makes the next listing an empty one.
    public func listNothingNext() { notes.withLock { $0.nextListingIsEmpty = true } }

    /// The paths of the files that another program has confirmed, in order.
    public var confirmed: [RemotePath] { notes.withLock { $0.confirmed } }

    /// From now on, the last change is reported again and again, as a faulty server does.
    public func repeatLastChange() { notes.withLock { $0.repeatsLastChange = true } }

    private struct Notes {
        var nextListingIsEmpty = false
        var repeatsLastChange = false
        var lastChange: [RemoteEntry] = []
        var confirmed: [RemotePath] = []
    }

    /// Holds what is uploaded after its last byte, until the caller cancels.
    public func holdConfirmations() { confirmations.hold(.upload) }

    /// Returns once an upload is held after its last byte.
    public func waitForConfirmation() async {
        await confirmations.waitForCalls(of: .upload, count: 1)
    }

    /// Tells the callers of what is held that the server is silent.
    public func reportSilence(of duration: Duration) { gate.reportSilence(of: duration) }

    /// Suspends calls of this kind. Uploads and downloads are suspended after half of their bytes
    /// have moved.
    public func hold(_ operation: StoreError.Operation) {
        gate.hold(operation)
    }

    /// Resumes the calls suspended by ``hold(_:)``, and lets later ones pass.
    public func release(_ operation: StoreError.Operation) {
        gate.release(operation)
    }

    /// How transfers move: called before each quarter of the bytes. What it throws ends the transfer.
    public typealias Pace =
        @MainActor @Sendable (
            _ call: Call, _ byteCount: Int64
        ) async throws(StoreError) -> Void

    /// Has further transfers move in quarters, each in its time.
    public func setPace(_ pace: @escaping Pace) { self.pace.withLock { $0 = pace } }

    /// Writes a file as another member would, which ends waits for changes.
    @discardableResult
    public func plant(_ data: Data, at path: String) throws(StoreError) -> RemoteFile {
        let path = try RemotePath(validating: path)
        return try change { club throws(StoreError) in
            try club.write(data, at: path, mode: .overwrite, during: .put)
        }
    }

    @discardableResult
    public func plant(_ text: String, at path: String) throws(StoreError) -> RemoteFile {
        try plant(Data(text.utf8), at: path)
    }

    /// Removes a file as another member would.
    public func uproot(_ path: String) throws(StoreError) {
        let path = try RemotePath(validating: path)
        try change { club throws(StoreError) in try club.delete(path) }
    }

    /// The current bytes at a path; nil when there is no file.
    public func contents(of path: String) -> Data? {
        guard let path = try? RemotePath(validating: path) else { return nil }
        return state.withLock { try? $0.read(path, during: .fetch).data }
    }

    /// Invalidates every cursor so far.
    public func forgetCursors() {
        state.withLock { $0.forgetCursors() }
    }

    /// Forgets the earlier states of every file, as a store without room for them does.
    public func forgetRevisions() {
        state.withLock { $0.forgetRevisions() }
    }

    // MARK: - RemoteStore

    @concurrent public func account() async throws(StoreError) -> Account {
        try await gate.pass(.account, at: nil)
        return state.withLock { $0.account }
    }

    @concurrent public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing {
        try await gate.pass(.list, at: folder)
        var listing = visible(
            try state.withStoreLock { club throws(StoreError) in
                try club.list(folder, recursive: recursive)
            })
        let isEmpty = notes.withLock { notes in
            defer { notes.nextListingIsEmpty = false }
            return notes.nextListingIsEmpty
        }
        if isEmpty { listing.entries = [] }
        return listing
    }

    public func noteConfirmed(_ file: RemoteFile) {
        notes.withLock { $0.confirmed.append(file.path) }
    }

    @concurrent public func probeHiddenNames() async -> HiddenNames {
        isListingHidden ? .listed : .leftOut
    }

    private func visible(_ listing: Listing) -> Listing {
        guard !isListingHidden else { return listing }
        var listing = listing
        listing.entries.removeAll { $0.path.name.hasPrefix(".") }
        return listing
    }

    @concurrent public func changes(since cursor: Cursor) async throws(StoreError) -> Listing {
        try await gate.pass(.changes, at: nil)
        var listing = visible(
            try state.withStoreLock { club throws(StoreError) in
                try club.changes(since: cursor)
            })
        listing.entries = notes.withLock { [entries = listing.entries] notes in
            if !entries.isEmpty { notes.lastChange = entries }
            return notes.repeatsLastChange ? notes.lastChange : entries
        }
        return listing
    }

    @concurrent public func waitForChanges(
        after cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> Bool {
        try await gate.pass(.waitForChanges, at: nil)
        let has = try state.withStoreLock { club throws(StoreError) in
            try club.hasChanges(since: cursor, during: .waitForChanges)
        }
        if has || notes.withLock({ $0.repeatsLastChange && !$0.lastChange.isEmpty }) { return true }
        let isWoken = await gate.waitForWakeUp(atMost: longest) { [self] in
            state.withLock {
                (try? $0.hasChanges(since: cursor, during: .waitForChanges)) ?? true
            }
        }
        if Task.isCancelled { throw StoreError(.cancelled, during: .waitForChanges) }
        return isWoken
    }

    @concurrent public func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        try await gate.pass(.metadata, at: path)
        return try state.withStoreLock { club throws(StoreError) in
            try club.read(path, during: .metadata).file
        }
    }

    @concurrent public func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await gate.pass(.fetch, at: path)
        let found = try state.withStoreLock { club throws(StoreError) in
            try club.read(path, during: .fetch)
        }
        guard found.file.byteCount <= fetchLimit else {
            throw StoreError(.tooLarge, during: .fetch, at: path)
        }
        return found
    }

    @concurrent public func put(
        _ data: Data, at path: RemotePath, mode: RemoteWriteMode
    ) async throws(StoreError) -> RemoteFile {
        try await gate.pass(.put, at: path)
        return try change { club throws(StoreError) in
            try club.write(data, at: path, mode: mode, during: .put)
        }
    }

    public func thumbnails(
        of paths: [RemotePath], size: RemoteThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)> {
        AsyncStream { continuation in
            let work = Task { [self] in
                for path in paths {
                    continuation.yield((path, await thumbnail(of: path)))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?, contentHash: String?
    ) async throws(StoreError) {
        try await gate.pass(.delete, at: path)
        try change { club throws(StoreError) in try club.delete(path, ifRevision: revision) }
    }

    @concurrent public func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        try await gate.pass(.move, at: path)
        return try change { club throws(StoreError) in try club.move(path, to: destination) }
    }

    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        try await gate.pass(.createFolder, at: path)
        try change { club throws(StoreError) in try club.createFolder(path) }
    }

    @concurrent public func search(
        _ query: String, in folder: RemotePath
    ) async throws(StoreError) -> [RemoteFile] {
        try await gate.pass(.search, at: folder)
        return try state.withStoreLock { club throws(StoreError) in
            try club.search(query, in: folder)
        }
    }

    @MainActor public func upload(
        fileAt file: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        InMemoryTransfer(.upload, of: path, delegate: delegate) {
            [self] transfer throws(StoreError) in
            try await gate.admit(.upload, at: path)
            guard let data = try? Data(contentsOf: file) else {
                throw StoreError(.fileUnreadable, during: .upload, at: path)
            }
            try await move(transfer, .upload, Int64(data.count))
            if confirmations.isHeld(.upload) {
                let count = Int64(data.count)
                // The last byte counts as moved only once it is confirmed.
                await MainActor.run { transfer.move(count - 1, of: count) }
                try await confirmations.pass(.upload, at: path)
            }
            return try change { club throws(StoreError) in
                try club.write(data, at: path, mode: mode, during: .upload)
            }
        }
    }

    @MainActor public func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, replaces: Bool,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        InMemoryTransfer(.download, of: path, delegate: delegate) {
            [self] transfer throws(StoreError) in
            try await gate.admit(.download, at: path)
            let found = try state.withStoreLock { club throws(StoreError) in
                try club.read(path, during: .download)
            }
            try await move(transfer, .download, found.file.byteCount)
            do {
                try found.data.write(to: file, options: replaces ? .atomic : .withoutOverwriting)
            } catch {
                if !replaces, FileManager.default.fileExists(atPath: file.path) {
                    throw StoreError(
                        .fileUnwritable, during: .download, at: path,
                        underlying: DestinationProblem.isThere)
                }
                throw StoreError(.fileUnwritable, during: .download, at: path, underlying: error)
            }
            return found.file
        }
    }
}

extension InMemoryStore {
    /// Changes the club and ends waits for changes.
    func change<Value: Sendable>(
        _ body: (inout sending InMemoryClub) throws(StoreError) -> sending Value
    ) throws(StoreError) -> Value {
        let value = try state.withStoreLock(body)
        gate.wakeAll()
        return value
    }

    /// Half of the bytes, and then a suspension if held; or in quarters where a pace is set.
    @MainActor private func move(
        _ transfer: InMemoryTransfer, _ operation: StoreError.Operation, _ count: Int64
    ) async throws(StoreError) {
        guard let pace = pace.withLock({ $0 }) else {
            transfer.move(count / 2, of: count)
            return try await gate.waitUntilReleased(operation, at: transfer.path)
        }
        for part in Int64(1)...4 {
            try await pace(Call(operation, transfer.path), count / 4)
            transfer.move(count * part / 4, of: count)
        }
    }

    /// Any JPEG is its own thumbnail here, so that a test can recognize it.
    private func thumbnail(of path: RemotePath) async -> Result<Data, StoreError> {
        do throws(StoreError) {
            let count = try? state.withStoreLock { club throws(StoreError) in
                Int64(try club.read(path, during: .thumbnail).data.count)
            }
            if let count {
                FetchProgress.observer?.report(FetchProgress(received: count / 2, expected: count))
            }
            try await gate.pass(.thumbnail, at: path)
            let data = try state.withStoreLock { club throws(StoreError) in
                try club.read(path, during: .thumbnail).data
            }
            guard data.starts(with: [0xFF, 0xD8]) else {
                throw StoreError(.noThumbnail, during: .thumbnail, at: path)
            }
            return .success(data)
        } catch {
            return .failure(error)
        }
    }
}

extension Mutex {
    /// `withLock` for closures that throw a store's error.
    borrowing func withStoreLock<Result: Sendable>(
        _ body: (inout sending Value) throws(StoreError) -> sending Result
    ) throws(StoreError) -> sending Result {
        try withLock { value throws(StoreError) in try body(&value) }
    }
}
