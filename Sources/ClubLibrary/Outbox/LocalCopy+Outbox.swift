public import ClubStore
public import FoundationEssentials

/// A change to be made in the club.
public enum Intent: Sendable {
    /// `mode` may refer to a change in the outbox: ``Revision/waiting(for:)``.
    case write(Data, at: RemotePath, mode: RemoteWriteMode)
    case move(RemoteFile, to: RemotePath)
    case delete(RemoteFile)
}

extension LocalCopy {
    /// Adds a change to the outbox in one transaction; when this returns, it is on disk in the database and
    /// as a file.
    ///
    /// A waiting change of the same file that was never sent is merged into it: of ten saves only the last
    /// one is sent, and a new note that is deleted again is not sent at all. The texts stay among the
    /// ``versions(of:)``.
    ///
    /// - Parameter wasAttempted: Whether it was sent, and may have arrived.
    /// - Returns: The file as shown while the change waits; nil after a deletion.
    /// - Throws: `.notDurable` if the copy is in memory, `.locked` if another program is the reason.
    @discardableResult
    public func enqueue(
        _ intent: Intent, wasAttempted: Bool = false, at now: Date = Date()
    ) throws -> RemoteFile? {
        reopenIfUnlocked()
        try requireDurable()
        // Outside the lock: it takes longer than everything else.
        var (hash, text) = ("", Data?.none)
        if case .write(let data, _, _) = intent { (hash, text) = (Self.hash(of: data), data) }
        return try changeOutbox(text, hash: hash) { [hash] database in
            // Files have times in whole seconds.
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

    /// All changes in the outbox, in the order they are sent.
    public func waitingChanges() throws -> [WaitingChange] {
        try read { try OutboxRows.all(in: $0) }
    }

    /// The bytes that a change writes; nil if it writes none, or no longer exists.
    public func text(ofChange id: WaitingChange.ID) throws -> Data? {
        try read { try OutboxRows.body(of: id, in: $0) }
    }

    /// Removes a change and those based on it. The texts stay among the ``versions(of:)``; of a note that is then no
    /// longer listed, such as a new one, the last text is among the deleted notes.
    ///
    /// - Returns: The removed changes.
    /// - Throws: `.noSuchChange` if it was sent, or is being sent.
    @discardableResult
    public func takeBack(_ id: WaitingChange.ID, at now: Date = Date()) throws -> [WaitingChange] {
        // A program that was sending may have been killed.
        if let lock = try? OutboxLock(of: self) {
            try recoverInterrupted()
            withExtendedLifetime(lock) {}
        }
        return try changeOutbox { database in
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
            let rest = all.filter { !ids.contains($0.id) }
            if let file = try Self.unlisted(by: taken, rest, in: database) {
                // Not as a deletion of its own, which `z` would send to the club.
                try Self.insertDeletion(of: file, in: database, isOwn: false, at: now)
            }
            return taken
        }
    }

    /// The last text of changes that were taken back, if no row of the list leads to it any more.
    private static func unlisted(
        by taken: [WaitingChange], _ rest: [WaitingChange], in database: Database
    ) throws -> RemoteFile? {
        let isWrite: (WaitingChange) -> Bool = {
            if case .write = $0.action { true } else { false }
        }
        guard let written = taken.last(where: isWrite), var file = taken.compactMap(\.file).last,
            try self.file(at: file.path, in: database) == nil,
            try self.file(at: written.path, in: database) == nil,
            !rest.contains(where: { $0.destination?.string == file.path.string })
        else { return nil }
        file.contentHash = written.contentHash
        return file
    }

    /// The file in the club that a waiting revision has become; nil if the change still waits, or was
    /// removed.
    public func sentFile(for revision: Revision) throws -> RemoteFile? {
        guard let change = revision.waitingChange else { return nil }
        return try read { try OutboxRows.sentFile(for: change, in: $0) }
    }

    /// The changes in the outbox of the copy in a folder, by its files: the copy is not opened.
    public static func waitingNumbers(in folder: URL) -> Set<WaitingChange.ID> {
        let names = OutboxFiles(beside: folder).names.filter { $0.hasSuffix(".json") }
        return Set(names.compactMap { WaitingChange.ID($0.dropLast(5)) })
    }
}

// MARK: - Sending

extension LocalCopy {
    /// Returns changes that were being sent when a program ended to the queue. Requires ``OutboxLock``.
    public func recoverInterrupted() throws {
        try write { try $0.execute("UPDATE outbox SET is_sending = 0 WHERE is_sending = 1") }
    }

    /// Marks a change as being sent, durably: from now on it may have arrived.
    ///
    /// - Returns: The current change; nil if it was removed, or is based on another one.
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

    /// Records that a change did not arrive; it waits for the next attempt, or for the user if there is a
    /// problem.
    public func endSending(_ id: WaitingChange.ID, problem: String? = nil) throws {
        try write(isDurable: true) { database in
            try database.run(
                "UPDATE outbox SET is_sending = 0, problem = ? WHERE id = ?",
                .text(orNull: problem),
                .integer(id))
        }
    }

    /// Clears the problems of changes, so that they are sent again.
    public func clearProblems() throws {
        try write { try $0.execute("UPDATE outbox SET problem = NULL WHERE problem IS NOT NULL") }
    }

    /// Removes a change that has arrived, and updates the changes based on it, and the listing.
    ///
    /// - Parameters:
    ///   - file: The file in the club; nil if there is none.
    ///   - data: Its bytes, if they differ from the change's: after a merge.
    ///   - isSeen: Whether it contains only what this computer has seen, and no other member's changes. If
    ///     not, changes based on it are compared with the club's text when they are sent.
    public func complete(
        _ change: WaitingChange, with file: RemoteFile?, data: Data? = nil, isSeen: Bool = true,
        at now: Date = Date()
    ) throws {
        try changeOutbox { database in
            let own = try OutboxRows.body(of: change.id, in: database)
            try OutboxRows.remove(change.id, in: database)
            if case .move = change.action {
                if let file {
                    try Self.removeMoved(
                        change.path, was: change.baseState?.revision, in: database)
                    try Self.moveVersions(of: change.path, to: file.path, in: database)
                } else {
                    // Another member has deleted it: that stays in the trash.
                    try Self.removeMoved(change.path, in: database)
                    try Self.insertDeletion(of: change.gone, in: database, isOwn: false, at: now)
                }
            } else if file == nil {
                try Self.setOwnDeletion(
                    of: change.gone, withHash: change.contentHash, in: database, at: now)
            }
            guard let file else {
                // Changes to a deleted file cannot be sent; their texts are kept.
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
                // The earlier revision: the store detects that it is outdated, and both texts are merged.
                base.revision = revision
                base.contentHash = own.map { Self.hash(of: $0) } ?? hash
            }
            if isSeen, data == nil { try OwnWrites.insert(file, in: database, at: now) }
            try OutboxRows.rebase(on: change.id, base, in: database)
        }
    }

    /// Removes a change that is obsolete; changes based on it apply to the existing file.
    public func drop(_ change: WaitingChange) throws {
        try changeOutbox { database in
            try OutboxRows.remove(change.id, in: database)
            try OutboxRows.orphan(change.id, in: database)
        }
    }

}
