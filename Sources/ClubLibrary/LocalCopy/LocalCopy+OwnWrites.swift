public import ClubStore
public import FoundationEssentials

/// A file that this computer has written into the club, or is about to write.
public struct OwnWrite: Identifiable, Hashable, Sendable {
    /// Larger for later ones.
    public let id: Int64
    public let path: RemotePath
    /// Nil while the club has not confirmed it.
    public let revision: Revision?
    /// Of the bytes, in Dropbox's form; nil where they were not at hand.
    public let contentHash: String?
    public let begun: Date

    /// Whether a file is in the state that this has made.
    public func made(_ file: RemoteFile) -> Bool {
        guard file.path == path else { return false }
        if let revision { return file.revision == revision }
        return contentHash != nil && file.contentHash == contentHash
    }

    /// Whether the club may still confirm it. One that was begun longer ago never will: its program has ended.
    public func isUnderWay(at now: Date) -> Bool {
        revision == nil && abs(now.timeIntervalSince(begun)) < 60
    }
}

/// Several programs change a club from one computer, and each learns of the others' changes from the server,
/// which does not say who has made them.
extension LocalCopy {
    /// Says what is about to be written: the server may announce it before it confirms it.
    ///
    /// - Parameter data: The bytes, where they are at hand: the file is recognized by them too.
    public func beginOwnWrite(
        at path: RemotePath, _ data: Data? = nil, at now: Date = Date()
    ) throws -> OwnWrite.ID {
        let hash = data.map(Self.hash(of:))
        return try write { try OwnWrites.insert(path, hash, in: $0, at: now) }
    }

    /// Says what has become of a write; without a file, that it has failed. One that may have arrived is
    /// neither.
    public func endOwnWrite(_ id: OwnWrite.ID, as file: RemoteFile?) throws {
        try write { database in
            try database.run("DELETE FROM own_writes WHERE id = ?", .integer(id))
            if let file { try OwnWrites.insert(file, in: database) }
        }
    }

    /// Says that a file is as this computer has made it.
    public func recordOwnWrite(_ file: RemoteFile) throws {
        try write { try OwnWrites.insert(file, in: $0) }
    }

    /// The latest writes of this computer, in no order that matters.
    public func ownWrites() throws -> [OwnWrite] {
        try read { database in
            try database.rows("SELECT id, path, revision, hash, begun FROM own_writes") { row in
                (try? RemotePath(validating: row.text(1))).map { path in
                    OwnWrite(
                        id: row.integer(0), path: path,
                        revision: row.optionalText(2).map(Revision.init(rawValue:)),
                        contentHash: row.optionalText(3), begun: row.date(4))
                }
            }.compactMap { $0 }
        }
    }
}

/// The table of them, inside a transaction.
enum OwnWrites {
    /// Of more files, nobody remembers which are one's own.
    private static let limit = 500

    static func insert(_ file: RemoteFile, in database: Database, at now: Date = Date()) throws {
        try database.run(
            "INSERT INTO own_writes (path, revision, hash, begun) VALUES (?, ?, ?, ?)",
            .text(file.path.string), .text(file.revision.rawValue), .text(orNull: file.contentHash),
            .date(now))
        try trim(database)
    }

    /// - Returns: The number of what has begun.
    static func insert(
        _ path: RemotePath, _ hash: String?, in database: Database, at now: Date
    ) throws -> Int64 {
        try database.run(
            "INSERT INTO own_writes (path, hash, begun) VALUES (?, ?, ?)", .text(path.string),
            .text(orNull: hash), .date(now))
        let id = database.lastRow
        try trim(database)
        return id
    }

    private static func trim(_ database: Database) throws {
        try database.execute(
            """
            DELETE FROM own_writes
            WHERE id < (SELECT id FROM own_writes ORDER BY id DESC LIMIT 1 OFFSET \(limit))
            """)
    }
}
