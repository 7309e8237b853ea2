public import ClubStore
public import FoundationEssentials

/// A file that this computer has written to the club, or is about to write.
public struct OwnWrite: Identifiable, Hashable, Sendable {
    /// Increasing.
    public let id: Int64
    public let path: RemotePath
    /// Nil until the club has confirmed it.
    public let revision: Revision?
    /// The content hash; nil if the bytes were not available.
    public let contentHash: String?
    public let begun: Date

    /// Whether a file is in the state that this write has created.
    public func made(_ file: RemoteFile) -> Bool {
        guard file.path == path else { return false }
        if let revision { return file.revision == revision }
        return contentHash != nil && file.contentHash == contentHash
    }

    /// Whether the club may still confirm it. An older one will never be confirmed: its program has ended.
    public func isUnderWay(at now: Date) -> Bool {
        revision == nil && abs(now.timeIntervalSince(begun)) < 60
    }
}

/// Several programs on one computer change a club, and each learns of the others' changes from the server,
/// which does not say who made them.
extension LocalCopy {
    /// Records a write before it starts: the server may announce it before confirming it.
    ///
    /// - Parameter data: The bytes, if available: the file is also recognized by them.
    public func beginOwnWrite(
        at path: RemotePath, _ data: Data? = nil, at now: Date = Date()
    ) throws -> OwnWrite.ID {
        let hash = data.map(Self.hash(of:))
        return try write { try OwnWrites.insert(path, hash, in: $0, at: now) }
    }

    /// The same of a file on this computer, which is read.
    public func beginOwnWrite(
        at path: RemotePath, fileAt file: URL, at now: Date = Date()
    ) throws -> OwnWrite.ID {
        let hash = Self.hash(ofFileAt: file)
        return try write { try OwnWrites.insert(path, hash, in: $0, at: now) }
    }

    /// Says that a write is still under way; a long one has to be renewed.
    public func renewOwnWrite(_ id: OwnWrite.ID, at now: Date = Date()) throws {
        try write { database in
            try database.run(
                "UPDATE own_writes SET begun = ? WHERE id = ? AND revision IS NULL", .date(now),
                .integer(id))
        }
    }

    /// Records the result of a write; without a file, that it has failed. Do not call it for a write that may
    /// have arrived.
    public func endOwnWrite(_ id: OwnWrite.ID, as file: RemoteFile?) throws {
        try write { database in
            try database.run("DELETE FROM own_writes WHERE id = ?", .integer(id))
            if let file { try OwnWrites.insert(file, in: database) }
        }
    }

    /// Records that a file is in the state written by this computer.
    public func recordOwnWrite(_ file: RemoteFile) throws {
        try write { try OwnWrites.insert(file, in: $0) }
    }

    /// The latest writes of this computer, unordered.
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

/// The table of own writes, used inside a transaction.
enum OwnWrites {
    /// The number of writes remembered.
    private static let limit = 500

    static func insert(_ file: RemoteFile, in database: Database, at now: Date = Date()) throws {
        try database.run(
            "INSERT INTO own_writes (path, revision, hash, begun) VALUES (?, ?, ?, ?)",
            .text(file.path.string), .text(file.revision.rawValue), .text(orNull: file.contentHash),
            .date(now))
        try trim(database)
    }

    /// - Returns: The number of the started write.
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
