public import ClubStore
public import FoundationEssentials

/// Something that is to be done in the club.
public enum Intent: Sendable {
    /// `mode` may name the state of a change that waits: ``Revision/waiting(for:)``.
    case write(Data, at: RemotePath, mode: WriteMode)
    case move(RemoteFile, to: RemotePath)
    case delete(RemoteFile)
}

extension LocalCopy {
    /// Puts a change into the outbox: in one transaction, on the disk when this returns, in the database and
    /// as a file beside it.
    ///
    /// What waits for the same file already and has never been sent is taken up into it: of ten saves the
    /// last one is sent, and a new note that is deleted again is never sent at all. The texts stay among
    /// the ``versions(of:)``.
    ///
    /// - Parameter wasAttempted: Whether it was sent, and may have arrived.
    /// - Returns: The file as it is shown while the change waits; nil after a deletion.
    /// - Throws: `.notDurable` when the copy is kept in memory alone.
    @discardableResult
    public func enqueue(
        _ intent: Intent, wasAttempted: Bool = false, at now: Date = Date()
    ) throws -> RemoteFile? {
        guard isDurable else { throw LibraryError.notDurable }
        // Outside the lock: it takes longer than all the rest.
        var (hash, text) = ("", Data?.none)
        if case .write(let data, _, _) = intent { (hash, text) = (Self.hash(of: data), data) }
        return try changeOutbox(text, hash: hash) { [hash] database in
            // Files are told in whole seconds.
            let now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
            let editor = OutboxEditor(database: database, now: now)
            switch intent {
            case .write(let data, let path, let mode):
                return try editor.write(
                    data, hash: hash, at: path, mode: mode, wasAttempted: wasAttempted)
            case .move(let file, let destination):
                return try editor.move(file, to: destination)
            case .delete(let file):
                try editor.delete(file)
                return nil
            }
        }
    }

    /// All changes that wait, in the order they will be sent.
    public func waitingChanges() throws -> [WaitingChange] {
        try read { try OutboxRows.all(in: $0) }
    }

    /// The bytes that a change will write; nil when it writes none, or has gone.
    public func text(ofChange id: WaitingChange.ID) throws -> Data? {
        try read { try OutboxRows.body(of: id, in: $0) }
    }

    /// Takes a change back, with those that build on it. The texts stay among the ``versions(of:)``.
    ///
    /// - Returns: What was taken back.
    /// - Throws: `.noSuchChange` when it has been sent, or is on its way.
    @discardableResult
    public func takeBack(_ id: WaitingChange.ID) throws -> [WaitingChange] {
        try changeOutbox { database in
            let all = try OutboxRows.all(in: database)
            guard let first = all.first(where: { $0.id == id }), !first.isSending else {
                throw LibraryError.noSuchChange
            }
            var taken: [WaitingChange] = []
            var ids: Set<WaitingChange.ID> = []
            for change in all {
                var buildsOnTaken = false
                if case .change(let base) = change.base { buildsOnTaken = ids.contains(base) }
                guard change.id == id || buildsOnTaken else { continue }
                ids.insert(change.id)
                taken.append(change)
                try database.run("DELETE FROM outbox WHERE id = ?", .integer(change.id))
            }
            return taken
        }
    }

    /// What has become of a state in which a file waited: the file in the club now; nil while the
    /// change still waits, or when it was taken back.
    public func sentFile(for revision: Revision) throws -> RemoteFile? {
        guard let change = revision.waitingChange else { return nil }
        return try read { try OutboxRows.sentFile(for: change, in: $0) }
    }
}

// MARK: - Sending

extension LocalCopy {
    /// What was on its way when a program ended waits again. For who holds ``OutboxLock`` alone.
    public func recoverInterrupted() throws {
        try write { try $0.execute("UPDATE outbox SET is_sending = 0 WHERE is_sending = 1") }
    }

    /// Marks a change as on its way, durably: from now on it may have arrived.
    ///
    /// - Returns: The change as it is now; nil when it has been taken back, or builds on another.
    public func beginSending(_ id: WaitingChange.ID) throws -> WaitingChange? {
        try write(isDurable: true) { database in
            try database.run(
                """
                UPDATE outbox SET is_sending = 1, attempts = attempts + 1
                WHERE id = ? AND base_change IS NULL
                """, .integer(id))
            guard database.changedRows == 1 else { return nil }
            return try OutboxRows.all(in: database).first { $0.id == id }
        }
    }

    /// A change did not arrive; it waits for the next attempt, or for a person when there is a problem.
    public func endSending(_ id: WaitingChange.ID, problem: String? = nil) throws {
        try write(isDurable: true) { database in
            try database.run(
                "UPDATE outbox SET is_sending = 0, problem = ? WHERE id = ?",
                .text(orNull: problem),
                .integer(id))
        }
    }

    /// Forgets what kept changes from being sent: they are tried once more.
    public func clearProblems() throws {
        try write { try $0.execute("UPDATE outbox SET problem = NULL WHERE problem IS NOT NULL") }
    }

    /// A change has arrived: it leaves, what builds on it learns what it is now, and the listing too.
    ///
    /// - Parameters:
    ///   - file: What is in the club now; nil when nothing is there any more.
    ///   - data: Its bytes, where they are other ones than the change's: after a merge.
    ///   - isSeen: Whether it holds what this machine has seen, and nothing of another member's besides. What
    ///     builds on a change that does not is compared with the club's text when it is sent.
    public func complete(
        _ change: WaitingChange, with file: RemoteFile?, data: Data? = nil, isSeen: Bool = true,
        at now: Date = Date()
    ) throws {
        try changeOutbox { database in
            let own = try OutboxRows.body(of: change.id, in: database)
            try OutboxRows.remove(change.id, in: database)
            if case .move = change.action {
                try Self.removeMoved(
                    change.path, was: change.baseState?.revision, in: database)
            } else if file == nil {
                try Self.setOwnDeletion(of: change.gone, in: database, at: now)
            }
            guard let file else {
                // What was to happen to a file that is gone cannot happen; its text is kept.
                try OutboxRows.orphan(change.id, in: database)
                return
            }
            try Self.set(.file(file), in: database, isOwn: true, at: now)
            var base = file
            if let text = data ?? own {
                let hash = file.contentHash ?? Self.hash(of: text)
                base.contentHash = hash
                let id = try Self.insert(
                    text, of: file, hash: hash, isOwn: true, in: database, at: now)
                try Self.index(id, at: file.path, text, in: database)
            }
            if !isSeen || data != nil, case .state(let revision, let hash) = change.base {
                // The state before: the store finds that it is not there any more, and both texts are merged.
                base.revision = revision
                base.contentHash = own.map { Self.hash(of: $0) } ?? hash
            }
            if isSeen, data == nil { try OwnWrites.insert(file, in: database, at: now) }
            try OutboxRows.rebase(on: change.id, base, in: database)
        }
    }

    /// A change is not to happen any more; what builds on it happens to what is there.
    public func drop(_ change: WaitingChange) throws {
        try changeOutbox { database in
            try OutboxRows.remove(change.id, in: database)
            try OutboxRows.orphan(change.id, in: database)
        }
    }

    /// Whether anything waits that builds on a change.
    public func hasFollowers(_ id: WaitingChange.ID) throws -> Bool {
        try read { database in
            try database.first(
                "SELECT id FROM outbox WHERE base_change = ? LIMIT 1", .integer(id),
                read: { $0.integer(0) }) != nil
        }
    }
}
