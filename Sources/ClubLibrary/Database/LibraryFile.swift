internal import ByteClubFiles
internal import ByteClubMessages
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The file of a local copy: opens it, and sets it aside if it is unusable.
struct LibraryFile {
    let folder: URL
    /// How long another program may keep it locked; as long as SQLite waits for a transaction.
    var lockLimit = Duration.seconds(10)

    static let name = "library.sqlite"

    var outboxFiles: OutboxFiles { OutboxFiles(beside: folder) }

    private var path: String { folder.path + "/" + Self.name }

    struct Opened: ~Copyable {
        var database: Database
        /// False if it is kept in memory and lost with the process.
        var isDurable: Bool
        /// Why it is not durable.
        var problem: LibraryError?
        /// A notice for the user; a sentence or two.
        var notice: String?
        /// The file's identity; nil in memory.
        var identity: Identity?
    }

    /// Identifies a file, whatever its current name.
    struct Identity: Equatable, Sendable {
        var device: UInt
        var inode: UInt
    }

    /// The identity of the file that currently has the name; nil if there is none.
    var identity: Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// Opens or creates the database, or replaces an unusable one.
    ///
    /// Never fails: if it cannot be stored, it is kept in memory, and ``Opened/notice`` says so.
    func open() -> Opened {
        do {
            try makeFolder()
            return try withLock { () throws -> Opened in
                do {
                    return try openNamed()
                } catch {
                    return try openAnother(insteadOf: Self.reason(error))
                }
            }
        } catch {
            return openInMemory(because: Self.reason(error))
        }
    }

    /// Replaces a database that was found to be damaged, unless another program has done so.
    func replaceDamaged(_ damaged: Identity?) -> Opened {
        do {
            return try withLock { () throws -> Opened in
                if let damaged, let identity, identity != damaged {
                    do { return try openNamed() } catch {}
                }
                return try openAnother(insteadOf: .damaged)
            }
        } catch {
            return openInMemory(because: Self.reason(error))
        }
    }

    private func openNamed() throws -> Opened {
        let isNew = !hasContents
        let database = try openFile()
        let count = try adopt(into: database)
        let notice =
            isNew && count > 0
            ? localized(
                "The local copy of this club was empty, and is made again from the club.")
                + Self.sentence(keeping: count) : nil
        return Opened(database: database, isDurable: true, notice: notice, identity: identity)
    }

    /// Whether the file exists and is not empty: SQLite creates a new database in an empty one.
    private var hasContents: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Restores changes of the outbox that the database does not have.
    private func adopt(
        into database: Database, trusting trust: OutboxFiles.Trust = .rows
    ) throws -> Int {
        do {
            return try outboxFiles.adopt(into: database, trusting: trust)
        } catch let error as DatabaseError where error.isDamage {
            throw error
        } catch {
            // The disk is full: the files stay for the next start.
            return 0
        }
    }

    private static func sentence(keeping count: Int) -> String {
        switch count {
        case 0: ""
        case 1: localized(" The change that waited in it was kept.")
        default: localized(" The \(count) changes that waited in it were kept.")
        }
    }

    /// Opens a second connection to the same file.
    func openAgain() throws -> Database { try openFile() }

    private func openFile() throws -> Database {
        try makeFile()
        let database = try Database(path: path)
        try database.execute("PRAGMA journal_mode = WAL")
        try Self.configure(database)
        try Schema.migrate(database)
        // Reads a page of each important table: damage is found now, not in the middle of a save.
        _ = try database.first("SELECT count(*) FROM outbox", read: { $0.integer(0) })
        _ = try database.first("SELECT path FROM entries LIMIT 1", read: { $0.text(0) })
        return database
    }

    /// Creates the file with its mode, which SQLite copies to its other files.
    ///
    /// An existing file is not opened: closing any descriptor of it would release all locks of SQLite's
    /// connections in this process (POSIX), and the next program would remove the log while it is in use.
    private func makeFile() throws {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
    }

    private static func configure(_ database: Database) throws {
        try database.execute(
            "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2000")
    }

    /// The error for the user.
    private static func reason(_ error: any Error) -> LibraryError {
        (error as? LibraryError) ?? (error as? DatabaseError).map(LibraryError.init)
            ?? .unwritable("\(error)")
    }
}

// MARK: - In its place

extension LibraryFile {
    private func openAnother(insteadOf reason: LibraryError) throws -> Opened {
        let word: String
        switch reason {
        case .damaged: word = "damaged"
        case .newer: word = "newer"
        // A full disk says nothing about the file, which stays in place.
        case .unwritable where isOfNoUse: word = "unwritable"
        // Another program may be writing to it.
        default: throw reason
        }
        let aside = try setAside(as: word)
        let database: Database
        do {
            database = try openFile()
        } catch {
            moveBack(aside)
            throw error
        }
        Salvage.copy(from: aside, into: database)
        _ = try? adopt(into: database, trusting: reason == .damaged ? .files : .rows)
        let kept = (try? OutboxRows.all(in: database).count) ?? 0
        return Opened(
            database: database, isDurable: true,
            notice: localized(
                "\(reason.description) It was set aside as \(aside.lastPathComponent) and is made again from the club."
            ) + Self.sentence(keeping: kept), identity: identity)
    }

    private func openInMemory(because reason: LibraryError) -> Opened {
        // An in-memory database can always be opened.
        guard let database = try? Database(path: ":memory:"),
            (try? Self.configure(database)) != nil, (try? Schema.migrate(database)) != nil
        else { preconditionFailure("SQLite cannot open a database in memory.") }
        return Opened(
            database: database, isDurable: false, problem: reason,
            notice: localized(
                "\(reason.description) Byte Club works without it this time: what you save must reach the club."
            ))
    }

    /// Whether it is not a regular file, or not writable.
    private var isOfNoUse: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG || access(path, W_OK) != 0
    }

    /// No new file could be created: a bad one is better than none.
    private func moveBack(_ aside: URL) {
        for suffix in ["", "-wal", "-shm"] {
            unlink(path + suffix)
            rename(aside.path + suffix, path + suffix)
        }
    }

    /// Renames it together with SQLite's other files.
    private func setAside(as word: String) throws -> URL {
        var number = 1
        var name = "library-\(word).sqlite"
        while access(folder.path + "/" + name, F_OK) == 0 {
            number += 1
            name = "library-\(word)-\(number).sqlite"
        }
        let aside = folder.appending(path: name)
        for suffix in ["-wal", "-shm", ""]
        where rename(path + suffix, aside.path + suffix) != 0 && errno != ENOENT {
            throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
        return aside
    }

    private func makeFolder() throws {
        do {
            try AtomicFile.makeFolder(folder)
        } catch {
            throw LibraryError.unwritable(error.reason)
        }
    }

    /// Runs a closure while no other program opens the file or sets it aside.
    ///
    /// - Throws: `.locked` if another program does so for too long, or was stopped while it did.
    func inPlace<Result>(_ body: () throws -> Result) throws -> Result {
        try TransactionGate.shared.pass { () throws -> Result in
            let descriptor = Glibc.open(folder.path + "/library.lock", O_RDWR | O_CLOEXEC)
            // Removed with its folder; the caller will notice.
            guard descriptor >= 0 else { return try body() }
            defer { LockedFile.close(descriptor) }
            // A file system without locks keeps nobody out: SQLite's own locks are left.
            guard take(descriptor, .shared) != .busy else {
                throw LibraryError.locked
            }
            return try body()
        }
    }

    /// The folders whose lock another program held for too long when it was wanted last.
    private static let held = Mutex<Set<String>>([])

    /// Takes the lock, and waits for it at most once as long as ``lockLimit``: while another program holds it, what
    /// follows is told at once.
    private func take(_ descriptor: CInt, _ mode: LockedFile.Mode) -> LockedFile.Attempt {
        let isHeld = Self.held.withLock { $0.contains(folder.path) }
        let result = LockedFile.wait(
            for: descriptor, mode, atMost: isHeld ? min(lockLimit, .milliseconds(50)) : lockLimit)
        Self.held.withLock { held in
            if result == .busy {
                _ = held.insert(folder.path)
            } else {
                _ = held.remove(folder.path)
            }
        }
        return result
    }

    /// Only one program opens it at a time: if two set it aside, one of the two new files would be lost.
    private func withLock(_ body: () throws -> Opened) throws -> Opened {
        try TransactionGate.shared.pass { () throws -> Opened in
            let descriptor = Glibc.open(
                folder.path + "/library.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw LibraryError.unwritable(String(cString: strerror(errno)))
            }
            defer { LockedFile.close(descriptor) }
            guard take(descriptor, .exclusive) == .taken else {
                throw LibraryError.locked
            }
            return try body()
        }
    }
}
