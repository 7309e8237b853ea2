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
    private let began = ContinuousClock.now

    struct State: ~Copyable {
        var file: RevisionLog
        var index: RevisionIndex
        /// On the way here. In the log, unless it was here before.
        var announced: [String: KeptRevision] = [:]
        var lastOrder: UInt64 = 0
        var clock: ExpiryClock
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
        state = Mutex(
            State(
                file: file, index: RevisionIndex(limits: limits),
                clock: ExpiryClock(believed: Self.computerTime)))
    }

    /// Loads what an earlier run kept, and completes what it was keeping when it was killed.
    ///
    /// A log that cannot be read is set aside, and so are files that it does not know: they may be all that is left
    /// of deleted notes.
    func start() throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            let found = try load(&state)
            let known = (found?.kept ?? []).sorted { $0.order < $1.order }
            state.lastOrder = known.last?.order ?? 0
            state.clock =
                found?.clock
                ?? ExpiryClock(
                    latest: known.map(\.kept.secondsSince1970).max(), now: Self.computerTime)
            state.clock.start(at: Self.computerTime)
            let names = try folder.with { number throws(SystemError) in
                try FolderAccess.names(in: number)
            }
            let there = Set(names.compactMap(\.text).filter { !$0.hasPrefix(Self.asidePrefix) })
            var missing: [FileSignature: KeptRevision] = [:]
            for kept in known {
                if there.contains(kept.revision) {
                    state.index.add(kept)
                } else {
                    missing[kept.facts.signature] = kept
                }
            }
            if !missing.isEmpty { rescue(&missing, in: access.staging.number, &state, depth: 0) }
            let dropped = found?.dropped ?? []
            let unknown = there.filter { state.index[$0] == nil && !dropped.contains($0) }
            try setAside(unknown.filter { !$0.hasPrefix(RevisionFolder.probePrefix) })
            for name in dropped.intersection(there) { remove(name) }
            drop(
                state.index.excess(at: nil, limits: limits(state.index), now: now(state)), &state)
            state.index.scheduleExpiry()
            rewrite(&state)
        }
    }

    private func load(_ state: inout State) throws(SystemError) -> RevisionLog.Contents? {
        do throws(SystemError) {
            return try state.file.load()
        } catch {
            // Another version, or no file. Anything else may pass, and the log is as good as before.
            guard [EPROTO, ELOOP, EISDIR].contains(error.code) else { throw error }
            log("the log of revisions cannot be read and is set aside: \(error)")
            try state.file.setAside()
            return nil
        }
    }

    /// Moves files into a folder in this one, which is never touched again.
    private func setAside(_ names: Set<String>) throws(SystemError) {
        guard !names.isEmpty else { return }
        let aside = Self.asidePrefix + RandomText.hexadecimal(byteCount: 4)
        try folder.with { number throws(SystemError) in
            try SystemError.check("mkdir", mkdirat(number, aside, 0o700))
            for name in names {
                try SystemError.check("rename", renameat(number, name, number, aside + "/" + name))
            }
        }
        log(
            "\(names.count) kept files are not in the log of revisions: they are in the folder \(aside)"
        )
    }

    private static let asidePrefix = "without-log-"

    private static var computerTime: Int64 { Int64(time(nil)) }

    /// The time by which revisions expire, in seconds since 1970.
    func now(_ state: borrowing State) -> Int64 {
        state.clock.believed + (ContinuousClock.now - began).components.seconds
    }

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
        let file = try state.withLock { state throws(SystemError) -> Descriptor in
            if state.isLogBehind { rewrite(&state) }
            guard !state.isLogBehind, let file = state.file.duplicate() else {
                throw SystemError("write", code: ENOSPC)
            }
            return file
        }
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

    func rewrite(_ state: inout State) {
        do throws(SystemError) {
            try state.file.rewrite(
                (Array(state.index.revisions.values) + state.announced.values).sorted {
                    $0.order < $1.order
                }, state.clock)
            state.isLogBehind = false
        } catch {
            // The old one has all lines, unless one was lost.
            if !state.file.isOpen { state.isLogBehind = true }
            log("the log of revisions cannot be written: \(error)")
        }
    }
}
