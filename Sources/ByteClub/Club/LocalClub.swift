internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubFiles
internal import Dispatch
internal import FoundationEssentials
internal import TextEditing

/// The local copy for the main actor: each call runs elsewhere, in the order of the calls.
@MainActor final class LocalClub {
    private let folder: URL
    private var opened: LocalCopy?
    private var opening: Task<LocalCopy, Never>?
    private var reading: Task<Contents, Never>?
    private var last: Task<Void, Never>?

    init(folder: URL) {
        self.folder = folder
    }

    /// The stored contents.
    struct Contents: Sendable {
        /// As last reported by the club, without the outbox.
        var contents: ClubContents
        var isListed: Bool
        /// The cursor of the contents; nil if the folder should be listed again.
        var cursor: Cursor?
        var skipped: [String]
        var waiting: [WaitingChange]
        var notice: String?
    }

    /// The database, opened on demand.
    func copy() async -> LocalCopy {
        if let opened { return opened }
        let copy = await startOpening().value
        opened = copy
        return copy
    }

    /// Whether a change can be queued: it is stored durably.
    func canKeep() async -> Bool { await copy().isDurable }

    /// Begins to read what is shown at the start, while the main actor prepares the screen.
    func startReading() {
        guard opening == nil, reading == nil else { return }
        let opening = startOpening()
        reading = Task { @concurrent in await Self.read(opening.value) }
    }

    private func startOpening() -> Task<LocalCopy, Never> {
        let task = opening ?? Task { @concurrent [folder] in LocalCopy(folder: folder) }
        opening = task
        return task
    }

    /// Follows what other programs on this computer do to the copy.
    ///
    /// - Parameter didChange: Called when one has closed it, as each command of the shell does in the end.
    /// - Returns: Nil if the system has no further watches.
    func watch(_ didChange: @escaping @MainActor () -> Void) -> FolderWatch? {
        FolderWatch(folder.path, on: .main) { @Sendable names in
            guard names.isEmpty || names.contains(where: LocalCopy.isDatabase) else { return }
            MainActor.assumeIsolated { didChange() }
        }
    }

    /// Everything shown at the start, before the first request.
    func contents() async -> Contents {
        if let reading {
            self.reading = nil
            return await reading.value
        }
        return await Self.read(copy())
    }

    /// The changes in the outbox, in order; nil on a disk error.
    func waitingChanges() async -> [WaitingChange]? {
        await run { try $0.waitingChanges() }
    }

    /// Runs a call on the copy, after all earlier calls.
    ///
    /// - Returns: Nil on a disk error: the copy is optional.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (LocalCopy) throws -> Value
    ) async -> Value? {
        try? await attempt(body)
    }

    /// Reads from the copy immediately, concurrently with writes.
    ///
    /// - Returns: Nil on a disk error.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LocalCopy) throws -> Value
    ) async -> Value? {
        try? await Self.perform(copy(), body)
    }

    /// Runs a call on the copy, after all earlier calls.
    ///
    /// - Throws: `LibraryError`.
    func attempt<Value: Sendable>(
        _ body: @escaping @Sendable (LocalCopy) throws -> Value
    ) async throws -> Value {
        let copy = await copy()
        let before = last
        let task = Task {
            await before?.value
            return try await Self.perform(copy, body)
        }
        last = Task { _ = try? await task.value }
        return try await task.value
    }

    /// Writes to the copy without waiting.
    func note(_ body: @escaping @Sendable (LocalCopy) throws -> Void) {
        let before = last
        last = Task {
            await before?.value
            let copy = await copy()
            try? await Self.perform(copy, body)
        }
    }

    /// Returns when all earlier calls have completed.
    func finish() async { await last?.value }
}

extension LocalClub {
    @concurrent private nonisolated static func perform<Value: Sendable>(
        _ copy: LocalCopy, _ body: @Sendable (LocalCopy) throws -> Value
    ) async throws -> Value {
        try body(copy)
    }

    @concurrent private nonisolated static func read(_ copy: LocalCopy) async -> Contents {
        let listing = (try? copy.listing()) ?? nil
        let waiting = (try? copy.waitingChanges()) ?? []
        var contents = ClubContents()
        if let listing { contents.apply(listing.entries) }
        return Contents(
            contents: contents, isListed: listing != nil,
            cursor: listing.flatMap { $0.isFresh(at: Date()) ? $0.cursor : nil },
            skipped: listing?.skipped ?? [], waiting: waiting,
            notice: copy.takeNotice())
    }
}

extension StoredListing {
    /// Whether an incremental listing suffices. A full listing once a day catches changes the server does not
    /// report (Dropbox: a new spelling of a name) and names that cannot be shown.
    fileprivate func isFresh(at now: Date) -> Bool {
        skipped.isEmpty && abs(now.timeIntervalSince(listedAt)) < 86_400
    }
}
