import CByteClubCurl
import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// Tasks that were resumed and are in no helper's journal yet, one file each in a folder beside it. If their
/// program ends before it could send them, the next helper takes them from here.
///
/// The files are not synced, so that `resume()` does not wait for the disk: they survive the end of the
/// process, not necessarily that of the machine.
struct PendingTaskSpool: Sendable {
    private let path: String

    init(_ paths: BackgroundPaths) {
        path = paths.spool
    }

    // MARK: - In the program

    /// The prefix of this process's files. The process is alive while the lock on its `….owner` is held.
    static let owner = String(UInt64.random(in: .min ... .max), radix: 36)

    /// The locks of this process, by folder.
    private static let locks = Mutex<[String: Int32]>([:])

    /// Failures are ignored: the file only covers the moment until a helper has the task.
    func put(_ record: BackgroundTaskRecord) {
        guard let folder = try? PrivateFolder(path: path), claim(folder) == .claimed,
            let data = try? record.render(), data.count <= BackgroundTaskRecord.largestByteCount
        else { return }
        let name = Self.name(Self.owner, record.session, record.number)
        _ = try? AtomicFile.write(data, to: folder.path(of: name), isBroughtToDisk: false)
    }

    /// Called by the helper when a task is in the journal, and by its owner when the task is not to run.
    func remove(_ number: Int, of session: String, owner: String = Self.owner) {
        let name = Self.name(owner, session, number)
        if PrivateFolder.isPlain(name) { unlink(path + "/" + name) }
    }

    private enum Claim {
        case claimed
        case impossible
    }

    /// Lets others see that this process is alive, by a locked file.
    private func claim(_ folder: PrivateFolder) -> Claim {
        Self.locks.withLock { locks in
            if let lock = locks[path] {
                if access(folder.path(of: Self.owner + Self.ownerSuffix), F_OK) == 0 {
                    return .claimed
                }
                LockedFile.close(lock)  // the folder was removed
            }
            locks[path] = Self.lock(folder)
            return locks[path] == nil ? .impossible : .claimed
        }
    }

    private static func lock(_ folder: PrivateFolder) -> Int32? {
        // Locked before it is visible to others.
        let unfinished = folder.path + "/" + AtomicFile.unfinishedPrefix + owner
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let lock = open(unfinished, flags, 0o600)
        guard lock >= 0 else { return nil }
        guard LockedFile.attempt(lock) == .taken,
            rename(unfinished, folder.path(of: owner + ownerSuffix)) == 0
        else {
            unlink(unfinished)
            close(lock)
            return nil
        }
        return lock
    }

    // MARK: - Names

    private static let ownerSuffix = ".owner"

    private static func name(_ owner: String, _ session: String, _ number: Int) -> String {
        owner + "-" + BackgroundPaths.prefix(of: session) + "\(number)" + BackgroundJournal.suffix
    }

    /// The numbers of a session's tasks, of all processes.
    func numbers(of session: String) -> [Int] {
        let prefix = BackgroundPaths.prefix(of: session)
        return names.compactMap { name in
            let parts = name.split(separator: "-")
            guard parts.count == 3, parts[1] + "-" == prefix,
                parts[2].hasSuffix(BackgroundJournal.suffix)
            else { return nil }
            return BackgroundPaths.number(parts[2].dropLast(BackgroundJournal.suffix.count))
        }
    }

    private var names: [String] { allNames.filter(PrivateFolder.isPlain) }

    private var allNames: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// All readable records, of all processes.
    var records: [BackgroundTaskRecord] {
        guard access(path, F_OK) == 0, let folder = try? PrivateFolder(path: path) else {
            return []
        }
        return names.compactMap { name in
            if case .record(let record) = Self.read(name, in: folder) { record } else { nil }
        }
    }

    private enum Finding {
        case record(BackgroundTaskRecord)
        case damaged
        /// It could not be opened just now.
        case unreadable
    }

    private static func read(_ name: String, in folder: PrivateFolder) -> Finding {
        guard name.hasSuffix(BackgroundJournal.suffix) else { return .damaged }
        let data: Data?
        do throws(URLError) {
            data = try folder.read(name, atMost: BackgroundTaskRecord.largestByteCount)
        } catch {
            return error.code == .cannotOpenFile && folder.isRegularFile(name)
                ? .unreadable : .damaged
        }
        guard let record = data.flatMap(BackgroundTaskRecord.read) else { return .damaged }
        switch record.state {
        case .queued, .failed: return .record(record)
        case .running, .finished, .delivered: return .damaged
        }
    }

    // MARK: - In the helper

    /// Hands over the tasks of processes that have ended.
    ///
    /// - Parameter take: Returns whether the task is safe elsewhere now.
    /// - Returns: The names of files that were removed because they are no records.
    @discardableResult
    func takeAbandoned(_ take: (BackgroundTaskRecord) -> Bool) -> [String] {
        guard access(path, F_OK) == 0, let folder = try? PrivateFolder(path: path) else {
            return []
        }
        var isLeft: [String: Bool] = [:]
        var damaged: [String] = []
        let names = names
        for name in names where name.hasSuffix(BackgroundJournal.suffix) {
            guard let owner = name.split(separator: "-").first.map(String.init),
                !Self.isAlive(owner, in: folder)
            else { continue }
            switch Self.read(name, in: folder) {
            case .unreadable:
                isLeft[owner] = true
                continue
            case .record(let record) where !take(record):
                isLeft[owner] = true
                continue
            case .record: break
            case .damaged: damaged.append(name)
            }
            unlink(path + "/" + name)
        }
        for name in names where name.hasSuffix(Self.ownerSuffix) {
            let owner = String(name.dropLast(Self.ownerSuffix.count))
            if isLeft[owner] == nil, !Self.isAlive(owner, in: folder) { unlink(path + "/" + name) }
        }
        for name in allNames where name.hasPrefix(AtomicFile.unfinishedPrefix) {
            // `.unfinished`, a number, and the name it was to have.
            let parts = name.split(separator: "-")
            if parts.count == 5, !Self.isAlive(String(parts[2]), in: folder) {
                unlink(path + "/" + name)
            }
        }
        return damaged
    }

    private static func isAlive(_ owner: String, in folder: PrivateFolder) -> Bool {
        let name = owner + ownerSuffix
        guard PrivateFolder.isPlain(name) else { return false }
        let file = open(folder.path(of: name), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { LockedFile.close(file) }
        return LockedFile.attempt(file) != .taken
    }
}
