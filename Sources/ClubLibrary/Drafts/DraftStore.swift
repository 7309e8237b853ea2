internal import ByteClubFiles
public import FoundationEssentials
internal import Glibc
internal import ByteClubMessages
internal import Synchronization

/// Stores drafts as plain files, so that neither a crash nor a failed save loses text.
///
/// One file per draft, `<id>.draft`, mode 0600, in a folder of mode 0700. A draft is written to a temporary
/// file, synced and renamed: the folder always contains a complete version. Safe to call from any thread;
/// calls for one draft are applied in the order of their sequence numbers.
public final class DraftStore: Sendable {
    let folder: URL
    let state = Mutex(State())
    /// Separate from the state, which is locked during disk access.
    let abandoned = Mutex(Set<UUID>())

    struct State {
        /// The newest sequence number applied to each draft: a late older write is dropped.
        var applied: [UUID: Int] = [:]
        /// The locked descriptors of the drafts being edited here.
        var claims: [UUID: Int32] = [:]
    }

    /// An error as a sentence, with the system's reason.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        /// The reason comes first: there may be no room for all of it.
        init(_ error: AtomicFile.Failure) {
            let reason =
                error.isDiskFull ? localized("No space is left on the disk") : error.reason
            description = localized("\(reason): the text is not kept as a draft.")
        }

        init(description: String) { self.description = description }

        /// With the reason in `errno`, which is read first: to look for a translation may set it.
        ///
        /// - Parameter what: The sentence without the system's reason.
        static func system(_ what: @autoclosure () -> String) -> Failure {
            let reason = String(cString: strerror(errno))
            return Failure(description: localized("\(what()): \(reason)."))
        }
    }

    /// - Parameter folder: Created, with its parents, when the first draft is saved.
    public init(folder: URL) {
        self.folder = folder
    }

    /// Writes a draft durably, replacing its older version.
    ///
    /// - Parameter sequence: Increases with each call for the same draft; a call with a smaller number than
    ///   the last one applied is ignored.
    /// - Throws: `Failure` if the folder or file cannot be written; the older version stays.
    public func save(_ draft: Draft, sequence: Int) throws {
        let data = try draft.encoded()
        try state.withLock { state in
            guard sequence > state.applied[draft.id, default: Int.min] else { return }
            try makeFolder()
            claim(draft.id, in: &state)
            try write(data, to: path(of: draft.id))
            state.applied[draft.id] = sequence
        }
    }

    /// Claims a draft for editing, so that no other running app offers it.
    ///
    /// `save` claims automatically. The claim ends with `release`, `remove` or the process, however it ends.
    @discardableResult
    public func claim(_ id: UUID) -> Claim {
        state.withLock { claim(id, in: &$0) }
    }

    /// The result of an attempt to edit a draft.
    public enum Claim: Sendable {
        case claimed
        /// Another process is editing it, or its folder is not writable.
        case notClaimed
    }

    /// Releases a draft without removing it.
    public func release(_ id: UUID) {
        state.withLock { release(id, in: &$0) }
    }

    /// The sequence number of the last call that was applied to a draft: who resumes it continues from there.
    public func lastSequence(of id: UUID) -> Int {
        state.withLock { state in
            let last = state.applied[id] ?? 0
            return last == Int.max ? 0 : last
        }
    }

    /// Removes a draft: its text was confirmed by the server or discarded by the user.
    ///
    /// Later saves of this draft are ignored, whatever their sequence number.
    public func remove(_ id: UUID) {
        state.withLock { state in
            state.applied[id] = Int.max
            unlink(path(of: id))
            // A killed program may have left it half written.
            unlink(temporaryPath(of: id))
        }
        release(id)
    }

    /// Removes a draft that the user has viewed, unless it has changed.
    public func remove(_ draft: Draft) -> Removal {
        guard claim(draft.id) == .claimed else { return .inUse }
        guard let now = self.draft(draft.id) else {
            release(draft.id)
            return .removed
        }
        guard now.savedAt == draft.savedAt, now.text == draft.text else {
            release(draft.id)
            return .changed(now)
        }
        remove(draft.id)
        return .removed
    }

    /// The result of an attempt to remove a draft.
    public enum Removal: Sendable, Equatable {
        /// It was removed.
        case removed
        /// Another process is editing it.
        case inUse
        /// It contains another text now.
        case changed(Draft)
    }

    /// Marks a draft for ``removeAbandoned()``, without waiting for the disk.
    public func abandon(_ id: UUID) {
        abandoned.withLock { _ = $0.insert(id) }
    }

    /// Removes abandoned drafts. Also call it before the process exits: removing twice is harmless, and a
    /// remaining draft would be offered at the next start.
    public func removeAbandoned() {
        for id in abandoned.withLock({ $0 }) {
            remove(id)
            abandoned.withLock { _ = $0.remove(id) }
        }
    }

    /// The drafts that no process is editing, newest first.
    ///
    /// Other files in the folder are ignored.
    public func waitingDrafts() -> [Draft] {
        drafts().filter { draft in
            state.withLock { $0.claims[draft.id] == nil } && !isLockedElsewhere(draft.id)
        }
    }

    /// Moves the drafts of another folder that no process is editing.
    ///
    /// Each is written durably here before it is removed there; one that cannot be written stays.
    public func takeOver(from other: DraftStore) {
        for draft in other.waitingDrafts() where other.claim(draft.id) == .claimed {
            defer { other.release(draft.id) }
            guard (try? save(draft, sequence: 0)) != nil else { continue }
            release(draft.id)
            other.remove(draft.id)
        }
    }

    /// All drafts, newest first, including those being edited.
    public func drafts() -> [Draft] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { name -> Draft? in
            guard name.hasSuffix(Self.suffix),
                let id = UUID(uuidString: String(name.dropLast(Self.suffix.count)))
            else { return nil }
            return draft(id)
        }
        .sorted { $0.savedAt > $1.savedAt }
    }
}

extension DraftStore {
    private static let suffix = ".draft"
    private static let temporarySuffix = ".tmp"
    static let handOverSuffix = ".edit"

    /// The folder of a draft that another program edits.
    func handOverPath(_ id: UUID) -> String {
        folder.path + "/" + id.uuidString + Self.handOverSuffix
    }

    /// Saves a draft that has no file, unless it is being edited or was finished in this run.
    func keepIfMissing(_ draft: Draft) throws {
        let isUsed = state.withLock {
            $0.claims[draft.id] != nil || $0.applied[draft.id] != nil
        }
        guard !isUsed, access(path(of: draft.id), F_OK) != 0, !isLockedElsewhere(draft.id) else {
            return
        }
        try save(draft, sequence: 0)
        release(draft.id)
    }

    /// The draft as it is on the disk; nil if it has no file.
    public func draft(_ id: UUID) -> Draft? {
        FileManager.default.contents(atPath: path(of: id)).flatMap { Draft(id: id, decoding: $0) }
    }

    func path(of id: UUID) -> String {
        folder.path + "/" + id.uuidString + Self.suffix
    }

    private func temporaryPath(of id: UUID) -> String { path(of: id) + Self.temporarySuffix }

    private func lockPath(of id: UUID) -> String {
        folder.path + "/" + id.uuidString + ".lock"
    }

    /// Takes an advisory lock on a file beside the draft; the kernel releases it when the process ends.
    @discardableResult
    func claim(_ id: UUID, in state: inout State) -> Claim {
        if state.claims[id] != nil { return .claimed }
        while true {
            let descriptor = open(lockPath(of: id), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return .notClaimed }
            guard LockedFile.attempt(descriptor) == .taken else {
                close(descriptor)
                return .notClaimed
            }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                state.claims[id] = descriptor
                return .claimed
            }
            // Its last holder has removed the file meanwhile: the lock has no effect.
            LockedFile.close(descriptor)
        }
    }

    func release(_ id: UUID, in state: inout State) {
        guard let descriptor = state.claims.removeValue(forKey: id) else { return }
        unlink(lockPath(of: id))
        LockedFile.close(descriptor)
    }

    private func isLockedElsewhere(_ id: UUID) -> Bool {
        // A draft that may be open is not offered.
        LockedFile.isLocked(lockPath(of: id), isUnknownLocked: true)
    }

    func makeFolder() throws {
        do throws(AtomicFile.Failure) {
            try AtomicFile.makeFolder(folder)
        } catch {
            throw Failure(error)
        }
    }

    func write(_ data: Data, to path: String) throws(Failure) {
        do throws(AtomicFile.Failure) {
            try AtomicFile(url: URL(filePath: path)).write(data, by: path + Self.temporarySuffix)
        } catch {
            throw Failure(error)
        }
    }
}
