internal import Files
public import FoundationEssentials
internal import Glibc
internal import Messages
internal import Synchronization

/// Keeps drafts as plain files, so that neither a crash nor a failed save loses a word.
///
/// One file a draft, `<id>.draft`, mode 0600, in a folder of mode 0700. A draft is written whole to a
/// temporary file, synced and renamed over the old one: at every moment the folder holds a complete
/// version. Safe to call from any thread; calls for one draft are applied in the order of their
/// sequence numbers, whatever threads they run on.
public final class DraftStore: Sendable {
    let folder: URL
    private let state = Mutex(State())
    /// Beside the state, which is held while the disk is at work.
    private let abandoned = Mutex(Set<UUID>())

    private struct State {
        /// The newest sequence number applied for each draft: an older write that comes late is dropped.
        var applied: [UUID: Int] = [:]
        /// The locked descriptors of the drafts being edited here.
        var claims: [UUID: Int32] = [:]
    }

    /// What went wrong, as a sentence with the system's reason.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        /// The reason first: a row of the screen may have no room for all of it.
        init(_ error: AtomicFile.Failure) {
            let reason =
                error.isDiskFull ? localized("No space is left on the disk") : error.reason
            description = localized("\(reason): the text is not kept as a draft.")
        }

        init(description: String) { self.description = description }

        /// - Parameter what: The sentence without the system's reason.
        static func system(_ what: String) -> Failure {
            Failure(description: "\(what): \(String(cString: strerror(errno))).")
        }
    }

    /// - Parameter folder: Made, with its parents, when the first draft is saved.
    public init(folder: URL) {
        self.folder = folder
    }

    /// Writes a draft durably, replacing its older version.
    ///
    /// - Parameter sequence: Grows with each call for the same draft; a smaller one than the last
    ///   applied is ignored.
    /// - Throws: `Failure` when the folder or file cannot be written; the older version then stays.
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

    /// Takes a draft over for editing, so that another running app does not offer it too.
    ///
    /// `save` claims automatically. The claim ends with `release`, `remove` or the process, however it
    /// dies.
    @discardableResult
    public func claim(_ id: UUID) -> Claim {
        state.withLock { claim(id, in: &$0) }
    }

    /// What has become of the wish to edit a draft.
    public enum Claim: Sendable {
        case claimed
        /// Another process is editing it, or its folder cannot be written.
        case notClaimed
    }

    /// Lets a draft go without removing it: its text waits for another day.
    public func release(_ id: UUID) {
        state.withLock { state in
            guard let descriptor = state.claims.removeValue(forKey: id) else { return }
            unlink(lockPath(of: id))
            LockedFile.close(descriptor)
        }
    }

    /// Forgets a draft: its text has been confirmed by the server or given up by the person.
    ///
    /// Saves with any sequence number that come later for this draft are ignored.
    public func remove(_ id: UUID) {
        state.withLock { state in
            state.applied[id] = Int.max
            unlink(path(of: id))
        }
        release(id)
    }

    /// Forgets a draft that a person has looked at, if it still is as they have seen it.
    public func remove(_ draft: Draft) -> Removal {
        guard claim(draft.id) == .claimed else { return .inUse }
        let now = FileManager.default.contents(atPath: path(of: draft.id))
            .flatMap { Draft(id: draft.id, decoding: $0) }
        guard let now else {
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

    /// What has become of the wish to remove a draft.
    public enum Removal: Sendable, Equatable {
        /// It is gone.
        case removed
        /// Another process is editing it.
        case inUse
        /// Another text is in it now.
        case changed(Draft)
    }

    /// Marks a draft for ``removeAbandoned()``, without waiting for the disk.
    public func abandon(_ id: UUID) {
        abandoned.withLock { _ = $0.insert(id) }
    }

    /// Removes abandoned drafts. Call it before the process exits too: removing twice does no harm,
    /// and a remaining draft would be offered at the next start.
    public func removeAbandoned() {
        for id in abandoned.withLock({ $0 }) {
            remove(id)
            abandoned.withLock { _ = $0.remove(id) }
        }
    }

    /// The drafts that nobody is editing at this moment, newest first.
    ///
    /// Files that are no drafts are left alone.
    public func waitingDrafts() -> [Draft] {
        drafts().filter { draft in
            state.withLock { $0.claims[draft.id] == nil } && !isLockedElsewhere(draft.id)
        }
    }

    /// Takes over the drafts of another folder that nobody is editing.
    ///
    /// Each is here, durably, before it is gone there; one that cannot be written here stays there.
    public func takeOver(from other: DraftStore) {
        for draft in other.waitingDrafts() where other.claim(draft.id) == .claimed {
            defer { other.release(draft.id) }
            guard (try? save(draft, sequence: 0)) != nil else { continue }
            release(draft.id)
            other.remove(draft.id)
        }
    }

    /// All drafts there are, newest first, also those being edited.
    public func drafts() -> [Draft] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { name -> Draft? in
            guard name.hasSuffix(Self.suffix),
                let id = UUID(uuidString: String(name.dropLast(Self.suffix.count))),
                let data = FileManager.default.contents(atPath: path(of: id))
            else { return nil }
            return Draft(id: id, decoding: data)
        }
        .sorted { $0.savedAt > $1.savedAt }
    }
}

extension DraftStore {
    private static let suffix = ".draft"
    static let handOverSuffix = ".edit"

    /// The folder of a draft that another program edits.
    func handOverPath(_ id: UUID) -> String {
        folder.path + "/" + id.uuidString + Self.handOverSuffix
    }

    /// Keeps a draft that no file has, unless somebody is editing it, or has finished in this run.
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

    private func path(of id: UUID) -> String {
        folder.path + "/" + id.uuidString + Self.suffix
    }

    private func lockPath(of id: UUID) -> String {
        folder.path + "/" + id.uuidString + ".lock"
    }

    /// An advisory lock on a file beside the draft: the kernel lets it go with the process.
    @discardableResult
    private func claim(_ id: UUID, in state: inout State) -> Claim {
        if state.claims[id] != nil { return .claimed }
        while true {
            let descriptor = open(lockPath(of: id), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return .notClaimed }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                return .notClaimed
            }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                state.claims[id] = descriptor
                return .claimed
            }
            // Its last holder has removed it in between: it keeps nobody off any more.
            close(descriptor)
        }
    }

    private func isLockedElsewhere(_ id: UUID) -> Bool {
        let descriptor = open(lockPath(of: id), O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Shared, so that two who only look do not take each other for editors.
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
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
            try AtomicFile(url: URL(filePath: path)).write(data, by: path + ".tmp")
        } catch {
            throw Failure(error)
        }
    }
}
