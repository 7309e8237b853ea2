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
    }

    /// Opens the copy in a folder, which is made with its parents.
    ///
    /// Never fails: where nothing can be kept, ``isDurable`` is false and ``takeNotice()`` tells why.
    public init(folder: URL) {
        self.folder = folder
        file = LibraryFile(folder: folder)
        let opened = file.open()
        state = Mutex(State(isDurable: opened.isDurable, notices: opened.notice.map { [$0] } ?? []))
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
        do {
            return try attemptWrite(isDurable: isDurable, body)
        } catch LibraryError.damaged {
            rebuild()
            return try attemptWrite(isDurable: isDurable, body)
        }
    }

    func read<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        do {
            return try attemptRead(body)
        } catch LibraryError.damaged {
            rebuild()
            return try attemptRead(body)
        }
    }

    private func attemptWrite<Result: Sendable>(
        isDurable: Bool, _ body: @Sendable (Database) throws -> Result
    ) throws -> Result {
        try writer.withLock { database in
            try Self.translating {
                try database.transaction(isDurable: isDurable) { try body(database) }
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

    /// Sets a damaged database aside and goes on with another one.
    private func rebuild() {
        let opened = writer.withLock { database -> (isDurable: Bool, notice: String?) in
            let opened = file.replaceDamaged()
            let facts = (opened.isDurable, opened.notice)
            database = opened.database
            return facts
        }
        reader.withLock { $0 = opened.isDurable ? try? file.openAgain() : nil }
        state.withLock { state in
            state.isDurable = opened.isDurable
            if let notice = opened.notice { state.notices.append(notice) }
        }
    }
}
