import FoundationEssentials

/// The tasks of a user's background sessions on disk, one file per task, replaced atomically. Whenever a
/// helper is killed, the next one finds each task in its last state or the one before.
///
/// One process writes at a time: the one that holds the helper's lock.
struct BackgroundJournal: Sendable {
    private let folder: PrivateFolder
    private var records: [Key: BackgroundTaskRecord] = [:]
    /// Files that are not records: moved aside for inspection.
    private(set) var damagedNames: [String] = []
    /// Files that could be neither read nor moved aside. Their tasks wait for the next helper.
    private(set) var unreadableNames: [String] = []

    private struct Key: Hashable, Sendable {
        var session: String
        var number: Int
    }

    /// Opens the journal of a folder, and creates the folder if needed.
    ///
    /// Tasks that were running are queued again, because their process is gone; delivered ones are
    /// removed. A bad file costs its own task and no other.
    ///
    /// - Throws: When the folder itself cannot be used.
    init(path: String) throws(URLError) {
        folder = try PrivateFolder(path: path)
        try folder.removeUnfinished()
        for name in try folder.names() where name.hasSuffix(Self.suffix) { load(name) }
    }

    private mutating func load(_ name: String) {
        let data: Data?
        do throws(URLError) {
            data = try folder.read(name, atMost: BackgroundTaskRecord.largestByteCount)
        } catch {
            // A file that cannot be opened now may be valid.
            if error.code == .cannotOpenFile, folder.isRegularFile(name) {
                unreadableNames.append(name)
            } else {
                setAside(name)
            }
            return
        }
        guard let data else { return }
        guard var record = BackgroundTaskRecord.read(data), Self.name(of: record) == name else {
            return setAside(name)
        }
        if case .delivered = record.state {
            // What cannot be removed now is removed by the next helper.
            try? folder.remove(name)
            return
        }
        _ = record.apply(.interrupt)
        records[Key(session: record.session, number: record.number)] = record
    }

    private mutating func setAside(_ name: String) {
        do throws(URLError) {
            try folder.setAside(name)
            damagedNames.append(name)
        } catch {
            unreadableNames.append(name)
        }
    }

    /// The tasks of a session in the order of their numbers.
    func tasks(of session: String) -> [BackgroundTaskRecord] {
        records.values.filter { $0.session == session }.sorted { $0.number < $1.number }
    }

    /// The identifiers of the sessions that have tasks here, sorted.
    var sessions: [String] {
        Set(records.keys.map(\.session)).sorted()
    }

    /// The next free number in a session.
    func nextNumber(in session: String) -> Int {
        (records.keys.lazy.filter { $0.session == session }.map(\.number).max() ?? 0) + 1
    }

    subscript(session: String, number: Int) -> BackgroundTaskRecord? {
        records[Key(session: session, number: number)]
    }

    /// Adds a task. When this returns, it is on disk.
    mutating func add(_ record: BackgroundTaskRecord) throws {
        let key = Key(session: record.session, number: record.number)
        precondition(records[key] == nil, "task \(record.number) is in the journal already")
        try write(record)
        records[key] = record
    }

    /// Records an event of a task. Once it is applied the new state is on disk; when this throws, the task is
    /// unchanged.
    ///
    /// Progress is kept in memory only: a later helper does not need it.
    ///
    /// - Returns: `notAllowed` also when there is no such task.
    mutating func note(
        _ event: BackgroundTaskRecord.Event, of number: Int, in session: String,
        along change: (inout BackgroundTaskRecord) -> Void = { _ in }
    ) throws -> BackgroundTaskRecord.EventResult {
        let key = Key(session: session, number: number)
        guard var record = records[key], record.apply(event) == .applied else {
            return .notAllowed
        }
        change(&record)
        switch event {
        case .progress:
            break
        case .deliver:
            // Needs no room on a full disk.
            try folder.remove(Self.name(of: record))
            records[key] = nil
            return .applied
        default:
            try write(record)
        }
        records[key] = record
        return .applied
    }

    /// Changes the fields of a record other than its state. When this throws, nothing has changed.
    mutating func change(
        _ number: Int, in session: String, _ change: (inout BackgroundTaskRecord) -> Void
    ) throws {
        let key = Key(session: session, number: number)
        guard var record = records[key] else { return }
        change(&record)
        guard record != records[key] else { return }
        try write(record)
        records[key] = record
    }

    /// Removes a task, whatever its state.
    mutating func remove(_ number: Int, in session: String) throws {
        let key = Key(session: session, number: number)
        guard let record = records[key] else { return }
        try folder.remove(Self.name(of: record))
        records[key] = nil
    }

    private func write(_ record: BackgroundTaskRecord) throws {
        let data = try record.render()
        guard data.count <= BackgroundTaskRecord.largestByteCount else {
            throw URLError(
                .dataLengthExceedsMaximum,
                underlyingText: "the request of a background task may have 1 MiB in all")
        }
        try folder.write(data, to: Self.name(of: record))
    }

    static let suffix = ".task"

    private static func name(of record: BackgroundTaskRecord) -> String {
        BackgroundPaths.prefix(of: record.session) + "\(record.number)\(suffix)"
    }
}
