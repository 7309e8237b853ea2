internal import ClubStore
internal import FoundationEssentials

/// At a start: rows and files are made to agree. While no other program writes.
extension OutboxFiles {
    /// What decides where a row and a file describe the same change.
    enum Trust {
        case rows
        /// The rows come out of a damaged database. The bytes in a file are those that its hash is of.
        case files
    }

    /// Puts what the files alone know back into the outbox, and writes the files that are missing.
    ///
    /// What comes back may have been sent already: it is marked so, and the store recognizes its own work.
    ///
    /// - Returns: How many changes came back.
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
                let adopted = try lost.filter { try insert($0, in: database) }
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

    /// The changes of which a later one says all that they said, and is there itself.
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

    /// Removes the files of what has arrived, or is replaced: they could not be removed in time, and would bring it
    /// back once the later change has left.
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

    private func insert(_ header: Header, in database: Database) throws -> Bool {
        let data = header.action == "write" ? text(of: header) : nil
        guard header.action != "write" || data != nil, var change = header.change(body: data)
        else { return false }
        change.id = header.id
        // The commit of what took them up was lost, and theirs was not.
        for id in header.replaces ?? [] {
            if let earlier = try OutboxRows.one(id, in: database),
                try OutboxRows.isUntouched(earlier, in: database)
            {
                try OutboxRows.remove(id, in: database)
            }
        }
        try OutboxRows.remove(header.id, in: database)
        _ = try OutboxRows.insert(change, in: database)
        guard let data, let hash = header.contentHash else { return true }
        let file = RemoteFile(
            path: change.path, revision: .waiting(for: header.id), byteCount: header.byteCount,
            modified: change.date, contentHash: hash)
        let version = try LocalCopy.insert(
            data, of: file, hash: hash, isOwn: true, in: database, at: change.date)
        try LocalCopy.index(version, at: file.path, data, in: database)
        return true
    }

    /// What it builds on may have arrived since, or be lost: then it builds on nothing.
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

    /// What another version, or a killed program, has not written. The disk may be full: the rows are there.
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

    /// Removes what killed programs have left of files, and bytes that no change needs. A file that says
    /// what is to happen is left where it is, whatever is wrong with it, and so are its bytes.
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
