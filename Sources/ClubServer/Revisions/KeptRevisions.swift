import DropboxAPI
import FoundationEssentials
import Glibc
import Synchronization

/// Earlier revisions of the club's files.
///
/// A revision is announced first, with a line in the log, then moved out of the club by a rename and
/// into this store by another. If the server is killed in between, its next start finds the file by the
/// log: it is always either in the club, in the hidden folder or here.
final class KeptRevisions: Sendable {
    let folder: RevisionFolder
    private let access: FolderAccess
    let log: ServerLog
    let state: Mutex<State>

    struct State: ~Copyable {
        var file: RevisionLog
        var index: RevisionIndex
        /// On the way here. In the log, unless it was here before.
        var announced: [String: KeptRevision] = [:]
        var lastOrder: UInt64 = 0
        /// Whether the log lacks lines that could not be written.
        var isLogBehind = false
    }

    /// - Parameter name: The name of the revisions' folder in the state folder; the log is beside
    ///   it.
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

    /// Loads what an earlier run kept, and completes what it was keeping when it was killed.
    ///
    /// - Throws: When that is unknown; nothing is changed then.
    func start() throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            let found = try state.file.load()
            // Without their log the files here look like remains, and may be all that is left of deleted notes.
            if found == nil { try setAside() }
            let known = (found ?? []).sorted { $0.order < $1.order }
            state.lastOrder = known.last?.order ?? 0
            let names = try folder.with { number throws(SystemError) in
                try FolderAccess.names(in: number)
            }
            let there = Set(names.compactMap(\.text))
            var missing: [FileSignature: KeptRevision] = [:]
            for kept in known {
                if there.contains(kept.revision) {
                    state.index.add(kept)
                } else {
                    missing[kept.facts.signature] = kept
                }
            }
            if !missing.isEmpty { rescue(&missing, in: access.staging.number, &state, depth: 0) }
            let excess = state.index.excess(
                at: nil, limits: limits(state.index), now: Self.now)
            for kept in excess { state.index.remove(kept.revision) }
            state.index.scheduleExpiry()
            for name in there where state.index[name] == nil { remove(name) }
            rewrite(&state)
        }
    }

    /// Moves all files into a folder in this one, which is never touched again.
    private func setAside() throws(SystemError) {
        let path = try folder.with { number throws(SystemError) -> String? in
            let names = try FolderAccess.names(in: number).compactMap(\.text)
                .filter { !$0.hasPrefix(Self.asidePrefix) }
            guard !names.isEmpty else { return nil }
            let aside = Self.asidePrefix + RandomText.hexadecimal(byteCount: 4)
            try SystemError.check("mkdir", mkdirat(number, aside, 0o700))
            for name in names {
                try SystemError.check("rename", renameat(number, name, number, aside + "/" + name))
            }
            return aside
        }
        guard let path else { return }
        log("the log of revisions is missing: the files that were kept are in the folder \(path)")
    }

    private static let asidePrefix = "without-log-"

    static var now: Int64 { Int64(time(nil)) }

    /// Finds files in the hidden folder that were on the way here.
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

    /// Makes kept revisions durable.
    func flush() throws(SystemError) {
        let file = state.withLock { state -> Descriptor? in
            if state.isLogBehind { rewrite(&state) }
            return state.file.duplicate()
        }
        guard let file else { return }
        try SystemError.check("fsync", fdatasync(file.number))
        let blobs = try folder.duplicate()
        try access.flush(folder: blobs.number)
    }

    // MARK: - The disk

    func move(_ name: String, in staging: Int32, as revision: String) throws(SystemError) {
        try folder.with { number throws(SystemError) in
            try SystemError.check("rename", renameat(staging, name, number, revision))
        }
    }

    func remove(_ revision: String) {
        _ = try? folder.with { number throws(SystemError) in unlinkat(number, revision, 0) }
    }

    func append(_ lines: [RevisionLine], _ state: inout State) {
        guard !lines.isEmpty else { return }
        do throws(SystemError) {
            try state.file.append(lines)
            if state.file.isLong(for: state.index.revisions.count + state.announced.count) {
                rewrite(&state)
            }
        } catch {
            state.isLogBehind = true
            log("the log of revisions cannot be written: \(error)")
        }
    }

    private func rewrite(_ state: inout State) {
        do throws(SystemError) {
            try state.file.rewrite(
                (Array(state.index.revisions.values) + state.announced.values).sorted {
                    $0.order < $1.order
                })
            state.isLogBehind = false
        } catch {
            state.isLogBehind = true
            log("the log of revisions cannot be written: \(error)")
        }
    }
}
