import DropboxAPI
import FoundationEssentials
import Glibc
import Synchronization

/// Earlier contents of the club's files, each as it was put aside.
///
/// What is to be put aside is announced first, with a line in the log, then taken out of the club by a
/// rename and taken in here by another. A server killed in between finds it at its next start by what
/// the log says of it: the file itself is never anywhere but in the club, in the hidden folder or here.
final class RevisionStore: Sendable {
    private let folder: RevisionFolder
    private let access: FolderAccess
    private let log: ServerLog
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: RevisionLog
        var index: RevisionIndex
        /// On its way here. In the log, unless it was here before.
        var announced: [String: KeptRevision] = [:]
        var lastOrder: UInt64 = 0
    }

    /// - Parameters:
    ///   - path: Of the folder for the bytes; the log lies beside it.
    init(
        stateFolder: String, name: String, access: FolderAccess, log: ServerLog,
        limits: RevisionLimits = RevisionLimits()
    ) throws(SystemError) {
        self.access = access
        self.log = log
        folder = try RevisionFolder(path: "\(stateFolder)/\(name)", access: access)
        let file = try RevisionLog(folder: stateFolder, name: name + ".log")
        state = Mutex(State(file: file, index: RevisionIndex(limits: limits)))
    }

    /// Takes up what an earlier run kept, and what it was putting aside when it was killed.
    func start() {
        state.withLock { state in
            let known = state.file.load().sorted { $0.order < $1.order }
            state.lastOrder = known.last?.order ?? 0
            let there = Set(
                ((try? folder.with { number throws(SystemError) in
                    try FolderAccess.names(in: number)
                }) ?? []).compactMap(\.text))
            var missing: [FileSignature: KeptRevision] = [:]
            for kept in known {
                if there.contains(kept.revision) {
                    state.index.add(kept)
                } else {
                    missing[kept.facts.signature] = kept
                }
            }
            if !missing.isEmpty { rescue(&missing, in: access.staging.number, &state, depth: 0) }
            drop(state.index.excess(at: nil, limits: limits(state.index), now: Self.now), &state)
            state.index.scheduleExpiry()
            for name in there where state.index[name] == nil { remove(name) }
            rewrite(&state)
        }
    }

    private static var now: Int64 { Int64(time(nil)) }

    /// Finds files of the hidden folder that were on their way here.
    private func rescue(
        _ missing: inout [FileSignature: KeptRevision], in staging: Int32, _ state: inout State,
        depth: Int
    ) {
        for name in ((try? FolderAccess.names(in: staging)) ?? []).compactMap(\.text) {
            guard let status = try? FileStatus.of(name, in: staging) else { continue }
            if status.kind == .folder, name != RevisionFolder.nameInClub, depth < 200 {
                let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                if let child = try? Descriptor.opened("open", openat(staging, name, flags)) {
                    rescue(&missing, in: child.number, &state, depth: depth + 1)
                }
            }
            guard status.kind == .file,
                let kept = missing.removeValue(forKey: status.signature),
                (try? move(name, in: staging, as: kept.revision)) != nil
            else { continue }
            var found = kept
            found.blob = status.signature
            state.index.add(found)
        }
    }

    // MARK: - Putting aside

    /// Says what is about to be put aside. Nobody sees it before it was taken.
    func announce(_ revisions: [KeptRevision]) {
        guard !revisions.isEmpty else { return }
        state.withLock { state in
            var lines: [RevisionLine] = []
            for var kept in revisions {
                state.lastOrder += 1
                kept.order = state.lastOrder
                state.announced[kept.revision] = kept
                if state.index[kept.revision] == nil { lines.append(.kept(kept)) }
            }
            append(lines, &state)
        }
    }

    enum Taken {
        case taken
        /// The file is where it was, and nobody needs it any more.
        case left
    }

    /// Takes in a file that was announced, which is out of the club now.
    ///
    /// One that somebody has written to since it was last looked at is another revision.
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
                    // A copy is here already.
                    kept.blob = copy.blob
                    state.index.add(kept)
                    append([.kept(kept)], &state)
                    return .left
                }
                try move(name, in: staging, as: kept.revision)
                state.index.add(kept)
                limit(at: kept.key, &state)
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

    /// Forgets what was announced and stayed in the club.
    func withdraw(_ revisions: [String]) {
        state.withLock { state in
            let gone = revisions.filter {
                state.announced.removeValue(forKey: $0) != nil && state.index[$0] == nil
            }
            append(gone.map { .dropped(revision: $0) }, &state)
        }
    }

    /// Makes what was put aside durable.
    func flush() throws(SystemError) {
        guard let file = state.withLock({ $0.file.duplicate() }) else { return }
        try SystemError.check("fsync", fdatasync(file.number))
        let blobs = try folder.duplicate()
        try access.flush(folder: blobs.number)
    }

    // MARK: - Looking

    /// What was kept of a path, the latest first.
    func history(key: String) -> [KeptRevision] {
        state.withLock { state in checked(state.index.history(key: key), &state) }
    }

    /// What was kept of a file, wherever it was; the latest first.
    func history(id: String) -> [KeptRevision] {
        state.withLock { state in checked(state.index.history(id: id), &state) }
    }

    struct Opened: ~Copyable {
        let revision: KeptRevision
        let file: Descriptor

        consuming func takeFile() -> Descriptor { file }
    }

    func open(_ revision: String) -> Opened? {
        state.withLock { state in
            guard let kept = state.index[revision],
                let file = try? folder.with({ number throws(SystemError) in
                    try FolderAccess.file(revision, in: number)
                }), (try? FileStatus.of(file))?.signature == kept.blob
            else { return nil }
            return Opened(revision: kept, file: file)
        }
    }

    /// Remembers a hash that was made outside.
    func note(_ hash: ContentHash, of revision: String) {
        state.withLock { state in
            guard var kept = state.index[revision], kept.facts.contentHash == nil else { return }
            kept.facts.contentHash = hash
            state.index.add(kept)
            append([.kept(kept)], &state)
        }
    }

    /// Those whose bytes are still as they were put aside. A program that had a file open when it was
    /// replaced may write to it afterwards: its words are then a revision of their own.
    private func checked(_ history: [KeptRevision], _ state: inout State) -> [KeptRevision] {
        history.compactMap { kept in
            guard
                let status = try? folder.with({ number throws(SystemError) in
                    try FileStatus.of(kept.revision, in: number)
                })
            else {
                drop([kept], &state)
                return nil
            }
            if status.signature == kept.blob { return kept }
            var changed = kept
            changed.facts = FileFacts(signature: status.signature)
            changed.blob = status.signature
            guard status.kind == .file,
                (try? folder.with { number throws(SystemError) in
                    try SystemError.check(
                        "rename", renameat(number, kept.revision, number, changed.revision))
                }) != nil
            else { return nil }
            state.index.remove(kept.revision)
            state.index.add(changed)
            append([.dropped(revision: kept.revision), .kept(changed)], &state)
            return changed
        }
    }

    // MARK: - Within limits

    private func limit(at key: String, _ state: inout State) {
        let excess = state.index.excess(at: key, limits: limits(state.index), now: Self.now)
        guard !excess.isEmpty else { return }
        drop(excess, &state)
        state.index.scheduleExpiry()
    }

    /// The limits on this disk.
    private func limits(_ index: RevisionIndex) -> RevisionLimits {
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

    private func drop(_ revisions: [KeptRevision], _ state: inout State) {
        guard !revisions.isEmpty else { return }
        for kept in revisions {
            state.index.remove(kept.revision)
            remove(kept.revision)
        }
        append(revisions.map { .dropped(revision: $0.revision) }, &state)
    }

    // MARK: - The disk

    private func move(_ name: String, in staging: Int32, as revision: String) throws(SystemError) {
        try folder.with { number throws(SystemError) in
            try SystemError.check("rename", renameat(staging, name, number, revision))
        }
    }

    private func remove(_ revision: String) {
        _ = try? folder.with { number throws(SystemError) in unlinkat(number, revision, 0) }
    }

    private func append(_ lines: [RevisionLine], _ state: inout State) {
        guard !lines.isEmpty else { return }
        do throws(SystemError) {
            try state.file.append(lines)
            if state.file.isLong(for: state.index.revisions.count + state.announced.count) {
                rewrite(&state)
            }
        } catch {
            log("the log of revisions cannot be written: \(error)")
        }
    }

    private func rewrite(_ state: inout State) {
        do throws(SystemError) {
            try state.file.rewrite(
                (Array(state.index.revisions.values) + state.announced.values).sorted {
                    $0.order < $1.order
                })
        } catch {
            log("the log of revisions cannot be written: \(error)")
        }
    }
}
