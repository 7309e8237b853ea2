internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// The local copy of the club, asked from the main actor: every call runs elsewhere, in the order made.
@MainActor final class LocalClub {
    private let folder: URL
    private var opened: LocalCopy?
    private var opening: Task<LocalCopy, Never>?
    private var last: Task<Void, Never>?

    init(folder: URL) {
        self.folder = folder
    }

    /// What was there at the last look.
    struct Contents: Sendable {
        /// As the club has told, without what waits.
        var contents: ClubContents
        var isListed: Bool
        /// What the contents are up to; nil when the folder should be listed again.
        var cursor: Cursor?
        var skipped: [String]
        var waiting: [WaitingChange]
        var notice: String?
    }

    /// The database, opened on demand.
    func copy() async -> LocalCopy {
        if let opened { return opened }
        if opening == nil {
            let folder = folder
            opening = Task { await Self.open(folder) }
        }
        let copy = await opening?.value ?? LocalCopy(folder: folder)
        opened = copy
        return copy
    }

    /// Whether a change can wait here: what it keeps outlives the program.
    func canKeep() async -> Bool { await copy().isDurable }

    /// All that is shown at a start, before anybody is asked.
    func contents() async -> Contents {
        await Self.read(copy())
    }

    /// The changes that wait, in order.
    func waitingChanges() async -> [WaitingChange] {
        await run { try $0.waitingChanges() } ?? []
    }

    /// Asks the copy, after all that was asked of it before.
    ///
    /// - Returns: Nil when the disk has failed: the copy is a help, never a condition.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (LocalCopy) throws -> Value
    ) async -> Value? {
        try? await attempt(body)
    }

    /// Reads from the copy at once, beside what is being written.
    ///
    /// - Returns: Nil when the disk has failed.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LocalCopy) throws -> Value
    ) async -> Value? {
        try? await Self.perform(copy(), body)
    }

    /// Asks the copy, after all that was asked of it before.
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

    /// Tells the copy something without waiting for it.
    func note(_ body: @escaping @Sendable (LocalCopy) throws -> Void) {
        let before = last
        last = Task {
            await before?.value
            let copy = await copy()
            try? await Self.perform(copy, body)
        }
    }

    /// Returns when all that was told is on the disk.
    func finish() async { await last?.value }
}

extension LocalClub {
    @concurrent private nonisolated static func open(_ folder: URL) async -> LocalCopy {
        LocalCopy(folder: folder)
    }

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
    /// Whether what has changed since is enough. A whole listing once a day corrects what a server has not told,
    /// as Dropbox does not tell a new spelling of a name; names that cannot be shown are told only by it.
    fileprivate func isFresh(at now: Date) -> Bool {
        skipped.isEmpty && abs(now.timeIntervalSince(listedAt)) < 86_400
    }
}
