internal import FoundationEssentials

/// Updates the outbox's files for one transaction.
///
/// Writes new files first, then removes those of removed changes, then commits. A program killed in between
/// leaves one file more or less than there are rows: ``OutboxFiles/adopt(into:)`` corrects that at the next
/// start.
final class OutboxUpdate {
    private let files: OutboxFiles
    /// The bytes to write, if available.
    private let text: Data?
    private let hash: String?
    private var added: [OutboxFiles.Header] = []
    private var removed: [OutboxFiles.Header] = []
    /// The state before.
    private var changed: [OutboxFiles.Header] = []

    init(_ files: OutboxFiles, text: Data?, hash: String?) {
        (self.files, self.text, self.hash) = (files, text, hash)
    }

    /// Runs the changes inside a transaction.
    ///
    /// - Throws: `LibraryError.unwritable` if a new change cannot be written as a file.
    func run<Result>(
        in database: Database, _ body: (Database) throws -> Result
    ) throws -> Result {
        let before = try Self.headers(in: database)
        let result = try body(database)
        let after = try Self.headers(in: database)
        removed = before.values.filter { after[$0.id] == nil }
        for header in after.values.sorted(by: { $0.id < $1.id }) {
            guard let old = before[header.id] else {
                var header = header
                header.replaces = removed.isEmpty ? nil : removed.map(\.id).sorted()
                added.append(header)
                try files.write(header) { try self.bytes(of: header, in: database) }
                continue
            }
            guard old != header else { continue }
            changed.append(old)
            // The change was sent: a full disk must not undo that. The next start writes the file.
            try? files.write(header)
        }
        for header in removed { files.removeHeader(header.id) }
        return result
    }

    /// Restores the files after a rollback, while the database is locked.
    func undo() {
        for header in added {
            files.removeHeader(header.id)
            files.removeText(of: header)
        }
        for header in removed + changed { try? files.write(header) }
        (added, removed, changed) = ([], [], [])
    }

    /// Called after the commit.
    func finish() {
        for header in removed { files.removeText(of: header) }
    }

    private func bytes(of header: OutboxFiles.Header, in database: Database) throws -> Data? {
        if let text, hash == header.contentHash { return text }
        return try OutboxRows.body(of: header.id, in: database)
    }

    private static func headers(
        in database: Database
    ) throws -> [WaitingChange.ID: OutboxFiles.Header] {
        // A damaged database may contain a number twice.
        Dictionary(
            try OutboxRows.all(in: database).map { change in
                (change.id, OutboxFiles.Header(change))
            }, uniquingKeysWith: { $1 })
    }
}
