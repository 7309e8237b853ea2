internal import ClubStore
internal import FoundationEssentials

/// Makes the outbox's rows and files agree at startup, while no other program writes.
extension OutboxFiles {
    /// Which source counts if a row and a file describe the same change differently.
    enum Trust {
        case rows
        /// The rows come from a damaged database. A file's bytes are checked by its hash.
        case files
    }

    /// Restores changes that exist only as files to the outbox, and writes missing files.
    ///
    /// A restored change may have been sent already. It is marked as such, and the store recognizes its own write.
    ///
    /// - Returns: The number of restored changes.
    func adopt(into database: Database, trusting trust: Trust) throws -> Int {
        let found = headers()
        var rows = try OutboxRows.all(in: database)
        let known = trust == .files ? [] : Set(rows.map(\.id))
        let replaced = replacedNumbers(in: found, Set(rows.map(\.id)))
        let lost = try found.filter { header in
            try !known.contains(header.id) && !replaced.contains(header.id)
                && OutboxRows.sentFile(for: header.id, in: database) == nil
        }
        var count = 0
        if !lost.isEmpty {
            count = try database.transaction(isDurable: true) {
                let adopted = try lost.filter { try insert($0, in: database) == .inserted }
                for header in adopted { try connect(header, in: database) }
                return adopted.count
            }
            rows = try OutboxRows.all(in: database)
        }
        try removeDone(among: found, rows, in: database)
        try write(rows, unlike: found, from: database)
        cleanUp()
        return count
    }

    /// The changes that are included in a later one that exists.
    private func replacedNumbers(
        in found: [Header], _ rows: Set<WaitingChange.ID>
    ) -> Set<WaitingChange.ID> {
        let later = found.filter { header in
            header.replaces != nil
                && (rows.contains(header.id) || header.action != "write"
                    || text(of: header) != nil)
        }
        return Set(later.flatMap { $0.replaces ?? [] })
    }

    /// Removes the files of changes that were sent or replaced. They could not be removed in time, and would restore
    /// the change once the later one has been sent.
    private func removeDone(
        among found: [Header], _ rows: [WaitingChange], in database: Database
    ) throws {
        let there = Set(rows.map(\.id))
        let replaced = Set(
            found.filter { there.contains($0.id) }.flatMap { $0.replaces ?? [] })
        for header in found where !there.contains(header.id) {
            let isDone = try OutboxRows.sentFile(for: header.id, in: database) != nil
            guard isDone || replaced.contains(header.id) else { continue }
            removeHeader(header.id)
            removeText(of: header)
        }
    }

    private enum Insertion {
        case inserted
        /// The file is incomplete, or from a newer version.
        case unreadable
    }

    private func insert(_ header: Header, in database: Database) throws -> Insertion {
        let data = header.action == "write" ? text(of: header) : nil
        guard header.action != "write" || data != nil, var change = header.change(body: data)
        else { return .unreadable }
        change.id = header.id
        // Their rows survived, but the commit of the change that replaces them was lost.
        for id in header.replaces ?? [] {
            if let earlier = try OutboxRows.one(id, in: database),
                try OutboxRows.isUntouched(earlier, in: database)
            {
                try OutboxRows.remove(id, in: database)
            }
        }
        // The files do not say what the club has refused: it is not sent again for nothing.
        let problem = try OutboxRows.one(header.id, in: database)?.problem
        try OutboxRows.remove(header.id, in: database)
        _ = try OutboxRows.insert(change, in: database)
        if let problem {
            try database.run(
                "UPDATE outbox SET problem = ? WHERE id = ?", .text(problem), .integer(header.id))
        }
        guard let data, let hash = header.contentHash else { return .inserted }
        let file = RemoteFile(
            path: change.path, revision: .waiting(for: header.id), byteCount: header.byteCount,
            modified: change.modified ?? change.date, contentHash: hash)
        let version = try LocalCopy.insert(
            data, of: file, hash: hash, isOwn: true, in: database, at: change.date)
        try LocalCopy.index(version, at: file.path, data, in: database)
        return .inserted
    }

    /// Replaces a base change that was sent since by its file, and drops one that is lost.
    private func connect(_ header: Header, in database: Database) throws {
        guard let base = header.baseChange, try OutboxRows.one(base, in: database) == nil else {
            return
        }
        if let file = try OutboxRows.sentFile(for: base, in: database) {
            try OutboxRows.rebase(on: base, file, in: database)
        } else {
            try OutboxRows.orphan(base, in: database)
        }
    }

    /// Writes files that another version or a killed program did not. The disk may be full; the rows suffice.
    private func write(
        _ rows: [WaitingChange], unlike found: [Header], from database: Database
    ) throws {
        var written: [Int64: Header] = [:]
        for var header in found {
            header.replaces = nil
            written[header.id] = header
        }
        for change in rows {
            let header = Header(change)
            let isThere =
                header.textName.map { hasFile($0, byteCount: header.byteCount) } ?? true
            if isThere, written[change.id] == header { continue }
            do {
                try write(header) { try OutboxRows.body(of: change.id, in: database) }
            } catch let error as DatabaseError {
                throw error
            } catch {}
        }
    }

    /// Removes temporary files of killed programs, and texts that no change needs. A change's header and its text are
    /// never removed, even if they cannot be read.
    private func cleanUp() {
        let names = names
        let numbers = Set(names.filter { $0.hasSuffix(".json") }.map { $0.dropLast(5) })
        for name in names {
            let isRest = name.hasPrefix(".")
            let isUnused =
                name.hasSuffix(".text") && !numbers.contains(name.prefix { $0 != "-" })
            if isRest || isUnused { remove(name) }
        }
    }
}
