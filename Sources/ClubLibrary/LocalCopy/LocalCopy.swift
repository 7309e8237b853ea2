public import FoundationEssentials
internal import Synchronization

/// What this machine knows of one club: its listing, every text once seen, and the changes that wait.
///
/// A SQLite database in a folder of the club's own. Every call blocks until the disk has answered: none
/// belongs on the main actor. Safe to call from any thread, and by several programs at once.
///
/// Errors are ``LibraryError`` throughout. A database that is found to be damaged is set aside and made
/// again, with all that could be saved from it; ``takeNotice()`` reports it.
public final class LocalCopy: Sendable {
    let folder: URL
    private let file: LibraryFile
    private let writer: Mutex<Database>
    /// Reads while the other one writes; nil where both must be one: in memory.
    private let reader: Mutex<Database?>
    private let state: Mutex<State>

    private struct State {
        var isDurable: Bool
        var notices: [String]
        /// Which file the writer has; nil in memory.
        var identity: LibraryFile.Identity?
        /// Counts the databases that were opened one after the other.
        var generation = 0
    }

    /// The database has another name now, and another one has its place.
    private struct Moved: Error {}

    enum Fault { case damaged, moved }

    /// Opens the copy in a folder, which is made with its parents.
    ///
    /// Never fails: where nothing can be kept, ``isDurable`` is false and ``takeNotice()`` tells why.
    public init(folder: URL) {
        self.folder = folder
        file = LibraryFile(folder: folder)
        let opened = file.open()
        state = Mutex(
            State(
                isDurable: opened.isDurable, notices: opened.notice.map { [$0] } ?? [],
                identity: opened.identity))
        reader = Mutex(opened.isDurable ? try? file.openAgain() : nil)
        writer = Mutex(opened.database)
    }

    /// Whether what it keeps outlives the program.
    public var isDurable: Bool { state.withLock { $0.isDurable } }

    /// What a person should know of the copy, told once.
    public func takeNotice() -> String? {
        state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
    }

    /// Writes all of it or nothing.
    ///
    /// - Parameter isDurable: Whether it must outlive a power cut too.
    func write<Result: Sendable>(
        isDurable: Bool = false, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        try write(isDurable: isDurable, updating: nil, body)
    }

    /// Writes all of it or nothing, and what becomes of the outbox into its files too, so that it outlives
    /// the database.
    ///
    /// - Parameters:
    ///   - text: The bytes of a new change, where they are at hand.
    ///   - hash: Theirs.
    func changeOutbox<Result: Sendable>(
        _ text: Data? = nil, hash: String? = nil, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        try write(isDurable: true, updating: OutboxText(bytes: text, hash: hash), body)
    }

    /// That the outbox is changed, and what comes in.
    private struct OutboxText: Sendable {
        var bytes: Data?
        var hash: String?
    }

    private func write<Result: Sendable>(
        isDurable: Bool, updating text: OutboxText?, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        let generation = state.withLock { $0.generation }
        do {
            return try attemptWrite(isDurable: isDurable, text, body)
        } catch LibraryError.damaged {
            replace(generation, because: .damaged)
        } catch is Moved {
            replace(generation, because: .moved)
        }
        // What was promised to outlive the program must not go into memory instead.
        guard self.isDurable || !isDurable else { throw LibraryError.notDurable }
        do {
            return try attemptWrite(isDurable: isDurable, text, body)
        } catch is Moved {
            throw LibraryError.locked
        }
    }

    /// Moves what was written from the log into the file, and empties the log; later, where another program
    /// is reading.
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
                        // Removed with its folder: only what must be kept brings it back.
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

    /// Goes on with another database in place of a damaged one, which is set aside, or with the one that
    /// another program has put there.
    ///
    /// - Parameter generation: The one that failed; when another is open by now, nothing is to be done.
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
            database = opened.database
            reader.withLock { $0 = isDurable ? try? file.openAgain() : nil }
            state.withLock { state in
                state.isDurable = isDurable
                state.identity = found
                state.generation += 1
                if let notice { state.notices.append(notice) }
            }
        }
    }
}
