public import FoundationEssentials
internal import Synchronization

/// A club's data on this computer: its listing, texts, versions, and the outbox.
///
/// A SQLite database in the club's own folder. Calls block on the disk: do not call them on the main actor.
/// Safe to use from any thread, and by several programs at once.
///
/// All errors are ``LibraryError``. A damaged database is set aside and recreated with all data that can be
/// recovered; ``takeNotice()`` reports it.
public final class LocalCopy: Sendable {
    let folder: URL
    private let file: LibraryFile
    private let writer: Mutex<Database>
    /// Reads concurrently with the writer; nil in memory, where both must be the same.
    private let reader: Mutex<Database?>
    private let state: Mutex<State>

    private struct State {
        var isDurable: Bool
        /// Why it is not durable.
        var problem: LibraryError?
        var notices: [String]
        /// The writer's file; nil in memory.
        var identity: LibraryFile.Identity?
        /// Counts the databases opened.
        var generation = 0
    }

    /// The database was renamed and replaced.
    private struct Moved: Error {}

    enum Fault { case damaged, moved }

    /// Opens the copy in a folder, which is created with its parents.
    ///
    /// Never fails: if nothing can be stored, ``isDurable`` is false and ``takeNotice()`` says why.
    public convenience init(folder: URL) {
        self.init(LibraryFile(folder: folder))
    }

    init(_ file: LibraryFile) {
        folder = file.folder
        self.file = file
        let opened = file.open()
        state = Mutex(
            State(
                isDurable: opened.isDurable, problem: opened.problem,
                notices: opened.notice.map { [$0] } ?? [],
                identity: opened.identity))
        reader = Mutex(opened.isDurable ? try? file.openAgain() : nil)
        writer = Mutex(opened.database)
    }

    /// Opens the local copy in a folder; nil if the folder does not exist: ``init(folder:)`` creates it.
    public convenience init?(existingIn folder: URL) {
        guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
        self.init(folder: folder)
    }

    /// Whether data outlives the process.
    public var isDurable: Bool { state.withLock { $0.isDurable } }

    /// Throws if what was written is in memory alone. It opens nothing: what is kept there would be lost then.
    package func requireDurable() throws {
        guard let problem = state.withLock({ $0.isDurable ? nil : $0.problem ?? .notDurable })
        else { return }
        throw problem == .locked ? .locked : LibraryError.notDurable
    }

    /// A notice for the user, returned once.
    public func takeNotice() -> String? {
        state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
    }

    /// Runs a write transaction.
    ///
    /// - Parameter isDurable: Whether it must survive a power cut, too.
    func write<Result: Sendable>(
        isDurable: Bool = false, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        try write(isDurable: isDurable, updating: nil, body)
    }

    /// Runs a transaction that also writes the outbox's changes to its files, so that they survive the loss
    /// of the database.
    ///
    /// - Parameters:
    ///   - text: The bytes of a new change, if available.
    ///   - hash: Their content hash.
    func changeOutbox<Result: Sendable>(
        _ text: Data? = nil, hash: String? = nil, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        try write(isDurable: true, updating: OutboxText(bytes: text, hash: hash), body)
    }

    /// Marks a change of the outbox, with the text being added.
    private struct OutboxText: Sendable {
        var bytes: Data?
        var hash: String?
    }

    private func write<Result: Sendable>(
        isDurable: Bool, updating text: OutboxText?, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        if isDurable { reopenIfUnlocked() }
        let generation = state.withLock { $0.generation }
        do {
            return try attemptWrite(isDurable: isDurable, text, body)
        } catch LibraryError.damaged {
            replace(generation, because: .damaged)
        } catch is Moved {
            replace(generation, because: .moved)
        }
        // Data that must be durable must not be kept in memory instead.
        if isDurable { try requireDurable() }
        do {
            return try attemptWrite(isDurable: isDurable, text, body)
        } catch is Moved {
            throw LibraryError.locked
        }
    }

    /// Opens the file that another program kept locked, if it has let go of it. What was deleted meanwhile may be in
    /// memory alone, and can be brought back until the program ends: then it stays as it is.
    func reopenIfUnlocked() {
        guard let locked = state.withLock({ $0.problem == .locked ? $0.generation : nil }),
            (try? read { try $0.rows("SELECT 1 FROM deletions LIMIT 1") { $0.integer(0) } })?
                .isEmpty
                == true
        else { return }
        replace(locked, because: .moved)
    }

    /// Moves the log's contents to the file and empties the log; postponed while another program reads.
    func emptyLog() {
        writer.withLock { try? $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    func read<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        let generation = state.withLock { $0.generation }
        do {
            return try attemptRead(body)
        } catch LibraryError.damaged {
            replace(generation, because: .damaged)
            return try attemptRead(body)
        }
    }

    private func attemptWrite<Result: Sendable>(
        isDurable: Bool, _ text: OutboxText?, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        try writer.withLock { database in
            try Self.translating {
                guard let identity = state.withLock({ $0.identity }) else {
                    return try database.transaction(isDurable: isDurable) { try body(database) }
                }
                return try file.inPlace {
                    let update = text.map {
                        OutboxUpdate(file.outboxFiles, text: $0.bytes, hash: $0.hash)
                    }
                    let result = try database.transaction(
                        isDurable: isDurable, willRollBack: { update?.undo() }
                    ) {
                        let found = file.identity
                        // Removed with its folder: recreated only for data that must be kept.
                        guard found == identity || (found == nil && !isDurable) else {
                            throw Moved()
                        }
                        guard let update else { return try body(database) }
                        return try update.run(in: database, body)
                    }
                    update?.finish()
                    return result
                }
            }
        }
    }

    private func attemptRead<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        let result = try reader.withLock { database -> Result? in
            guard let database else { return nil }
            return try Self.translating { try body(database) }
        }
        if let result { return result }
        return try writer.withLock { database in try Self.translating { try body(database) } }
    }

    private static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw LibraryError(error)
        }
    }

    /// Replaces a damaged database, which is set aside, or opens the one with which another program has
    /// replaced it.
    ///
    /// - Parameter generation: The generation that failed; does nothing if another one is open.
    func replace(_ generation: Int, because fault: Fault) {
        writer.withLock { database in
            let (current, identity) = state.withLock { ($0.generation, $0.identity) }
            guard current == generation else { return }
            let opened =
                switch fault {
                case .damaged: file.replaceDamaged(identity)
                case .moved: file.open()
                }
            let (isDurable, notice, found) = (opened.isDurable, opened.notice, opened.identity)
            let problem = opened.problem
            database = opened.database
            reader.withLock { $0 = isDurable ? try? file.openAgain() : nil }
            state.withLock { state in
                state.isDurable = isDurable
                state.problem = problem
                state.identity = found
                state.generation += 1
                if let notice { state.notices.append(notice) }
            }
        }
    }
}

extension LocalCopy {
    /// Whether a file of the copy's folder belongs to the database.
    package static func isDatabase(_ name: String) -> Bool { name.hasPrefix(LibraryFile.name) }
}
