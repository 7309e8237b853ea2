internal import Files
internal import FoundationEssentials
internal import Glibc

/// The file that a local copy lives in: how it is opened, and set aside when it is of no use.
struct LibraryFile {
    let folder: URL

    static let name = "library.sqlite"

    var outboxFiles: OutboxFiles { OutboxFiles(beside: folder) }

    private var path: String { folder.path + "/" + Self.name }

    struct Opened: ~Copyable {
        var database: Database
        /// False when it is kept in memory, and gone with the program.
        var isDurable: Bool
        /// What a person should know; a sentence or two.
        var notice: String?
        /// Which file it is; nil in memory.
        var identity: Identity?
    }

    /// A file, whatever its name is by now.
    struct Identity: Equatable, Sendable {
        var device: UInt
        var inode: UInt
    }

    /// The identity of the file that has the name now; nil if no file has it.
    var identity: Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// Opens the database, makes it, or puts another one in place of one that is of no use.
    ///
    /// Never fails: where nothing can be kept, it is kept in memory, and ``Opened/notice`` says so.
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

    /// Puts another database in place of one that has turned out to be damaged, unless another program
    /// has done so.
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
            ? "The local copy of this club was empty, and is made again from the club."
                + Self.sentence(keeping: count) : nil
        return Opened(database: database, isDurable: true, notice: notice, identity: identity)
    }

    /// Whether there is a file with something in it: SQLite makes a new database of an empty one.
    private var hasContents: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Brings back what the database does not have of what waits.
    private func adopt(
        into database: Database, trusting trust: OutboxFiles.Trust = .rows
    ) throws -> Int {
        do {
            return try outboxFiles.adopt(into: database, trusting: trust)
        } catch let error as DatabaseError where error.isDamage {
            throw error
        } catch {
            // A full disk: the files stay for the next start.
            return 0
        }
    }

    private static func sentence(keeping count: Int) -> String {
        switch count {
        case 0: ""
        case 1: " The change that waited in it was kept."
        default: " The \(count) changes that waited in it were kept."
        }
    }

    /// A second connection to the same file.
    func openAgain() throws -> Database { try openFile() }

    private func openFile() throws -> Database {
        try makeFile()
        let database = try Database(path: path)
        try database.execute("PRAGMA journal_mode = WAL")
        try Self.configure(database)
        try Schema.migrate(database)
        // Reads a page of each table that matters: what is broken there shows now, not in the middle of a save.
        _ = try database.first("SELECT count(*) FROM outbox", read: { $0.integer(0) })
        _ = try database.first("SELECT path FROM entries LIMIT 1", read: { $0.text(0) })
        return database
    }

    /// SQLite gives its other files the mode of this one.
    ///
    /// A file that is there already is not touched: closing any descriptor of it would let go of all locks
    /// that SQLite's connections in this process have on it (POSIX), and the next program to look would
    /// take the log away beneath them.
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

    /// What the person is told, by what went wrong.
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
        // A full disk says nothing about the file; it stays where it is.
        case .unwritable where isOfNoUse: word = "unwritable"
        // Its holder may be writing what must not be lost.
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
            notice:
                "\(reason) It was set aside as \(aside.lastPathComponent) and is made again from the "
                + "club.\(Self.sentence(keeping: kept))", identity: identity)
    }

    private func openInMemory(because reason: LibraryError) -> Opened {
        // A database in memory opens on any machine that runs at all.
        guard let database = try? Database(path: ":memory:"),
            (try? Self.configure(database)) != nil, (try? Schema.migrate(database)) != nil
        else { preconditionFailure("SQLite cannot open a database in memory.") }
        return Opened(
            database: database, isDurable: false,
            notice:
                "\(reason) Byte Club works without it this time: what you save must reach the club."
        )
    }

    /// Whether it is something other than a file, or may not be written.
    private var isOfNoUse: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG || access(path, W_OK) != 0
    }

    /// Nothing could take its place: better a bad one than none.
    private func moveBack(_ aside: URL) {
        for suffix in ["", "-wal", "-shm"] {
            unlink(path + suffix)
            rename(aside.path + suffix, path + suffix)
        }
    }

    /// Renames it, with what SQLite keeps beside it.
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
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Runs something while no other program opens the file, nor sets it aside.
    func inPlace<Result>(_ body: () throws -> Result) rethrows -> Result {
        let descriptor = Glibc.open(folder.path + "/library.lock", O_RDWR | O_CLOEXEC)
        // Removed with its folder, which the caller finds out.
        guard descriptor >= 0 else { return try body() }
        defer { LockedFile.close(descriptor) }
        while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
        return try body()
    }

    /// One program at a time opens it: two that set it aside would lose one of two new ones.
    private func withLock(_ body: () throws -> Opened) throws -> Opened {
        let descriptor = Glibc.open(
            folder.path + "/library.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
        defer { LockedFile.close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw LibraryError.locked }
        return try body()
    }
}
