import DropboxAPI
import Glibc
import Synchronization

extension KeptRevisions {
    // MARK: - Putting aside

    /// Announces revisions that are about to be kept. They are listed only once taken.
    ///
    /// - Throws: If they cannot be: nothing may then be removed.
    func announce(_ revisions: [KeptRevision]) throws(SystemError) {
        guard !revisions.isEmpty else { return }
        try state.withLock { state throws(SystemError) in
            // The disk was full when the server started, perhaps.
            if !state.file.isOpen { rewrite(&state) }
            var (announced, lines): ([KeptRevision], [RevisionLine]) = ([], [])
            for var kept in revisions {
                state.lastOrder += 1
                kept.order = state.lastOrder
                kept.kept = Timestamp(
                    secondsSince1970: max(kept.kept.secondsSince1970, now(state)))
                announced.append(kept)
                if state.index[kept.revision] == nil { lines.append(.kept(kept)) }
            }
            if !lines.isEmpty { try appendMakingRoom(lines, &state) }
            for kept in announced { state.announced[kept.revision] = kept }
        }
    }

    /// Appends lines; on a full disk, the oldest photo that is kept makes room for them.
    private func appendMakingRoom(
        _ lines: [RevisionLine], _ state: inout State
    ) throws(SystemError) {
        do throws(SystemError) {
            try state.file.append(lines)
        } catch {
            guard error.isOutOfSpace else { throw error }
            let removable = state.index.removable(
                for: Self.logByteCount, limits: limits(state.index), isExempt: { _ in false })
            guard !removable.isEmpty else { throw error }
            drop(removable, &state)
            try state.file.append(lines)
        }
    }

    /// Room for lines in the log, and for the blocks of a file that grows.
    private static let logByteCount: Int64 = 64 << 10

    enum Taken {
        case taken
        /// The file is still in the club, and the announcement is obsolete.
        case left
    }

    /// Keeps an announced file that is out of the club now.
    ///
    /// If it was written to since it was last examined, it is another revision.
    func take(_ revision: String, from name: String, in staging: Int32) -> Taken {
        state.withLock { state in
            guard var kept = state.announced.removeValue(forKey: revision) else { return .left }
            do throws(SystemError) {
                let status = try FileStatus.of(name, in: staging)
                guard status.kind == .file else { throw SystemError("rename", code: EISDIR) }
                if status.signature != kept.facts.signature {
                    append([.dropped(revision: revision)], &state)
                    kept.facts = FileFacts(signature: status.signature)
                    kept.blob = status.signature
                    append([.kept(kept)], &state)
                } else if let copy = state.index[revision] {
                    // The same revision is already here.
                    kept.blob = copy.blob
                    state.index.add(kept)
                    append([.kept(kept)], &state)
                    return .left
                }
                try move(name, in: staging, as: kept.revision)
                state.index.add(kept)
                limit(at: kept.key, sparing: kept.revision, &state)
                return .taken
            } catch {
                log("an earlier revision of \(kept.path) could not be kept: \(error)")
                if state.index[kept.revision] == nil {
                    append([.dropped(revision: kept.revision)], &state)
                }
                return .left
            }
        }
    }

    /// Withdraws announcements of files that stayed in the club.
    func withdraw(_ revisions: [String]) {
        state.withLock { state in
            let gone = revisions.filter {
                state.announced.removeValue(forKey: $0) != nil && state.index[$0] == nil
            }
            append(gone.map { .dropped(revision: $0) }, &state)
        }
    }

    // MARK: - Within limits

    /// - Parameter newest: A note that was just kept stays, whatever its size: it has taken no more space.
    private func limit(at key: String, sparing newest: String, _ state: inout State) {
        let limits = limits(state.index)
        let excess = state.index.excess(at: key, limits: limits, now: now(state))
        guard !excess.isEmpty else { return }
        drop(excess.filter { $0.revision != newest || !limits.isNote($0.byteCount) }, &state)
        state.index.scheduleExpiry()
    }

    /// The limits for this disk.
    func limits(_ index: RevisionIndex) -> RevisionLimits {
        guard let freeByteCount else { return index.limits }
        return index.limits.fitting(
            freeByteCount: freeByteCount, keptByteCount: index.byteCount)
    }

    /// The free space on the disk; nil where the file system does not say it.
    private var freeByteCount: Int64? {
        var status = statvfs()
        guard
            (try? folder.with({ number throws(SystemError) in
                try SystemError.check("statvfs", fstatvfs(number, &status))
            })) != nil, status.f_blocks > 0
        else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    // MARK: - For a write

    enum Room { case made, none }

    /// Makes room for a write on a full disk: kept photos are removed, the oldest first, if that is enough.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes are to be written.
    ///   - restored: The revision that is written: it stays, and so does what was deleted just now, perhaps with it.
    func makeRoom(for byteCount: Int64, restoring restored: String? = nil) -> Room {
        state.withLock { state in
            guard let freeByteCount else { return .none }
            let missing = byteCount.addingReportingOverflow(Self.logByteCount - freeByteCount)
            guard !missing.overflow else { return .none }
            let (index, now) = (state.index, self.now(state))
            let removable = index.removable(
                for: missing.partialValue, limits: limits(index),
                isExempt: { kept in
                    guard let restored else { return false }
                    return kept.revision == restored || index.isSpared(kept, at: now)
                })
            guard !removable.isEmpty else { return .none }
            log("\(removable.count) kept files are removed: a write needs their room")
            drop(removable, &state)
            return .made
        }
    }

    func drop(_ revisions: [KeptRevision], _ state: inout State) {
        guard !revisions.isEmpty else { return }
        for kept in revisions {
            state.index.remove(kept.revision)
            remove(kept.revision)
        }
        append(revisions.map { .dropped(revision: $0.revision) }, &state)
    }
}
