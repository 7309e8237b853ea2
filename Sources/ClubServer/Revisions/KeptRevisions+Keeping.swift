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

    /// Appends lines; on a full disk, the oldest photos that are kept make room for them.
    private func appendMakingRoom(
        _ lines: [RevisionLine], _ state: inout State
    ) throws(SystemError) {
        do throws(SystemError) {
            try state.file.append(lines)
        } catch {
            let excess = state.index.excess(
                at: nil, limits: limits(state.index), now: now(state))
            guard error.isOutOfSpace, !excess.isEmpty else { throw error }
            drop(excess, &state)
            try state.file.append(lines)
        }
    }

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
        var status = statvfs()
        guard
            (try? folder.with({ number throws(SystemError) in
                try SystemError.check("statvfs", fstatvfs(number, &status))
            })) != nil, status.f_blocks > 0
        else { return index.limits }
        return index.limits.fitting(
            freeByteCount: Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize)),
            keptByteCount: index.byteCount)
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
