internal import ClubStore
internal import FoundationEssentials

/// Adds changes to the outbox, and removes those that become superfluous. Used inside a transaction.
struct OutboxEditor {
    let database: Database
    let now: Date

    func write(
        _ data: Data, hash: String, at path: RemotePath, mode: RemoteWriteMode, wasAttempted: Bool
    ) throws -> RemoteFile? {
        var change = OutboxRows.NewChange(
            action: "write", path: path, mode: mode.columnName, byteCount: Int64(data.count),
            contentHash: hash, date: now, wasAttempted: wasAttempted, body: data)
        if case .update(let revision, let baseHash) = mode {
            var base = try self.base(revision, hash: baseHash, path: &change.path)
            // An earlier save of the same note that was never sent is superfluous.
            if case .change(let id) = base, let earlier = try OutboxRows.one(id, in: database),
                case .write(let earlierMode) = earlier.action, try isUntouched(earlier)
            {
                base = earlier.base
                change.mode = earlierMode.columnName
                change.path = earlier.path
                try OutboxRows.remove(id, in: database)
            }
            change.base = base
            try retry(base)
            // Its base is unknown: it must not replace anything.
            if base == nil, change.mode == "update" { change.mode = "add" }
        }
        let id = try OutboxRows.insert(change, in: database)
        let file = RemoteFile(
            path: change.path, revision: .waiting(for: id), byteCount: change.byteCount,
            modified: now, contentHash: hash)
        let version = try LocalCopy.insert(
            data, of: file, hash: hash, isOwn: true, in: database, at: now)
        try LocalCopy.index(version, at: file.path, data, in: database)
        return file
    }

    func move(_ file: RemoteFile, to destination: RemotePath) throws -> RemoteFile? {
        var change = OutboxRows.NewChange(
            action: "move", path: file.path, destination: destination, byteCount: file.byteCount,
            contentHash: file.contentHash, modified: file.modified, date: now)
        change.base = try base(file.revision, hash: file.contentHash, path: &change.path)
        if case .change(let id) = change.base, let earlier = try OutboxRows.one(id, in: database),
            try isUntouched(earlier)
        {
            switch earlier.action {
            case .write(.add), .write(.create):
                // The club never had it, under any name.
                let body = try OutboxRows.body(of: id, in: database)
                try OutboxRows.remove(id, in: database)
                try LocalCopy.unindex(file.path, in: database)
                return try write(
                    body ?? Data(), hash: earlier.contentHash ?? "", at: destination, mode: .add,
                    wasAttempted: false)
            case .move where try isNameUnused(after: earlier):
                try OutboxRows.remove(id, in: database)
                change.path = earlier.path
                change.base = earlier.base
                guard earlier.path != destination else {
                    return try waiting(file, at: destination, change.base)
                        ?? LocalCopy.file(at: destination, in: database)
                }
            case .write, .move, .delete: break
            }
        }
        try retry(change.base)
        let id = try OutboxRows.insert(change, in: database)
        let moved = RemoteFile(
            path: destination, revision: .waiting(for: id), byteCount: file.byteCount,
            modified: file.modified, contentHash: file.contentHash)
        try copyText(of: file, to: moved)
        return moved
    }

    /// A note as an earlier change makes it that waits, too; nil if nothing waits for it.
    private func waiting(
        _ file: RemoteFile, at path: RemotePath, _ base: WaitingChange.Base?
    ) -> RemoteFile? {
        guard case .change(let id) = base else { return nil }
        return RemoteFile(
            path: path, revision: .waiting(for: id), byteCount: file.byteCount,
            modified: file.modified, contentHash: file.contentHash)
    }

    func delete(_ file: RemoteFile) throws {
        var change = OutboxRows.NewChange(
            action: "delete", path: file.path, byteCount: file.byteCount,
            contentHash: file.contentHash, modified: file.modified, date: now)
        change.base = try base(file.revision, hash: file.contentHash, path: &change.path)
        try LocalCopy.unindex(file.path, in: database)
        while case .change(let id) = change.base,
            let earlier = try OutboxRows.one(id, in: database),
            earlier.action != .write(.overwrite), try isUntouched(earlier),
            try isNameUnused(after: earlier)
        {
            try OutboxRows.remove(id, in: database)
            switch earlier.action {
            // The club never had it: there is nothing to delete.
            case .write(.add), .write(.create): return try recordDeletion(of: file)
            case .write, .move, .delete: break
            }
            change.path = earlier.path
            change.base = earlier.base
        }
        try retry(change.base)
        _ = try OutboxRows.insert(change, in: database)
    }

    /// A note that existed only here can be restored, too.
    private func recordDeletion(of file: RemoteFile) throws {
        try LocalCopy.insertDeletion(of: file, in: database, isOwn: true, at: now)
    }

    /// The origin of a revision: another change, or the club. Nil if unknown.
    private func base(
        _ revision: Revision, hash: String?, path: inout RemotePath
    ) throws -> WaitingChange.Base? {
        guard let id = revision.waitingChange else { return .state(revision, contentHash: hash) }
        if let change = try OutboxRows.one(id, in: database) {
            return try makes(change, revision, at: path) ? .change(id) : nil
        }
        guard let file = try OutboxRows.sentFile(for: id, in: database) else { return nil }
        path = file.path
        return .state(file.revision, contentHash: file.contentHash)
    }

    /// Whether a change has created a revision. After the loss of a database, another note's change may have
    /// its number.
    private func makes(
        _ change: WaitingChange, _ revision: Revision, at path: RemotePath
    ) throws -> Bool {
        if let made = change.destination, made.string.utf8.elementsEqual(path.string.utf8) {
            return true
        }
        // Its base may have been sent under another name since.
        return try database.first(
            "SELECT 1 FROM versions WHERE path = ? AND revision = ? AND hash = ? LIMIT 1",
            .text(path.string), .text(revision.rawValue), .text(orNull: change.contentHash),
            read: { _ in true }) != nil
    }

    /// Whether no later change needs the name that a move releases: it would be sent before that move if the
    /// move were merged into a still later one.
    private func isNameUnused(after change: WaitingChange) throws -> Bool {
        guard case .move = change.action else { return true }
        return try database.first(
            """
            SELECT 1 FROM outbox WHERE id > ? AND ((action = 'write' AND path = ? COLLATE NOCASE)
                OR destination = ? COLLATE NOCASE) LIMIT 1
            """, .integer(change.id), .text(change.path.string), .text(change.path.string),
            read: { _ in true }) == nil
    }

    /// Has the changes that a new one builds on sent again if the club has refused them: they would hold it up until the
    /// next request to try again, and to save again is such a request.
    private func retry(_ base: WaitingChange.Base?) throws {
        var (base, last) = (base, WaitingChange.ID.max)
        // Each builds on an earlier one; in a damaged database that may be otherwise.
        while case .change(let id) = base, id < last {
            last = id
            try database.run(
                "UPDATE outbox SET problem = NULL WHERE id = ? AND problem IS NOT NULL",
                .integer(id))
            base = try OutboxRows.one(id, in: database)?.base
        }
    }

    private func isUntouched(_ change: WaitingChange) throws -> Bool {
        try OutboxRows.isUntouched(change, in: database)
    }

    private func copyText(of file: RemoteFile, to moved: RemoteFile) throws {
        let text = try database.first(
            "SELECT body, hash FROM versions WHERE path = ? AND revision = ? ORDER BY id DESC LIMIT 1",
            .text(file.path.string), .text(file.revision.rawValue),
            read: { ($0.data(0), $0.text(1)) })
        try LocalCopy.unindex(file.path, in: database)
        guard let (data, hash) = text else { return }
        let id = try LocalCopy.insert(
            data, of: moved, hash: hash, isOwn: true, in: database, at: now)
        try LocalCopy.index(id, at: moved.path, data, in: database)
    }
}
