import FoundationEssentials
import Synchronization

/// What a WebDAV server does about conditions on writes, found out by trying.
public struct ServerCapabilities: Codable, Hashable, Sendable {
    /// It refuses `PUT` with `If-None-Match: *` when something is there.
    public var honoursIfNoneMatch = false

    /// It refuses `PUT` with an `If-Match` that does not.
    public var honoursIfMatch = false

    /// It refuses `PUT` with an `If` (RFC 4918 §10.4) that does not hold. Apache's knows a fresh
    /// file by it, whose tag is weak.
    public var honoursIf = false

    /// It puts the bytes of a `PUT` with `Content-Range` (RFC 9110 §14.5) where they belong, as Apache
    /// does. Others refuse that, or take them for the whole file. Nil before somebody has asked.
    public var placesRanges: Bool?

    /// Two texts of one length, written one right after the other, got different tags: no two states of
    /// a file have the same. Nil when it was found out by an earlier version, which did not ask.
    public var hasExactTags: Bool?

    /// Nobody else writes to a file that is locked (RFC 4918 §6). Tried where `If-Match` is ignored, or
    /// says too little.
    public var locks: Bool?

    /// A `MOVE` puts a file where its `Destination` says, whatever characters the name has. Some decode
    /// it too early, and take what follows a `?` or `;` for something else. Nil before somebody has asked.
    public var keepsDestinations: Bool?
}

/// How sure it is that a write replaces only what its writer has seen.
public enum WriteProtection: Hashable, Sendable {
    /// The server refuses what would overwrite somebody else's.
    case byServer

    /// The server would overwrite anything, and keeps others out while a file is locked: what is there is
    /// looked at under a lock.
    case byLocking

    /// The server would overwrite anything: what is there is looked at just before each write, and
    /// somebody who writes in that very moment is not noticed.
    case byLookingFirst
}

extension WebDAVStore {
    /// How writes are protected here; nil before the first write, which finds out.
    public var writeProtection: WriteProtection? {
        capabilities.known.map { known in
            guard !known.honoursIfMatch || !known.honoursIfNoneMatch else { return .byServer }
            return known.locks == true ? .byLocking : .byLookingFirst
        }
    }
}

/// What was found out about the server, once for each account: how it wants passwords, and by trying what
/// it does about conditions.
final class CapabilityProbe: Sendable {
    private let file: URL?
    private let state: Mutex<(record: Record, probing: Task<ServerCapabilities, any Error>?)>

    private struct Record: Codable {
        var account: String
        var capabilities: ServerCapabilities?
        var signIn: WebDAVAuthenticator.Way?

        /// The keys of the file, as every version has written them.
        enum CodingKeys: String, CodingKey {
            case account, signIn
            case capabilities = "abilities"
        }
    }

    /// - Parameter file: Where it is kept from one run of the program to the next.
    init(file: URL?, address: WebDAVAddress) {
        self.file = file
        let account = address.url(of: .root)
        let kept = file.flatMap { try? Data(contentsOf: $0) }
            .flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
        var record = kept.flatMap { $0.account == account ? $0 : nil }
        // An earlier version did not ask all that is asked now.
        if record?.capabilities?.hasExactTags == nil { record?.capabilities = nil }
        state = Mutex((record ?? Record(account: account), nil))
    }

    var known: ServerCapabilities? { state.withLock { $0.record.capabilities } }
    var signInWay: WebDAVAuthenticator.Way? { state.withLock { $0.record.signIn } }

    /// What is known, or what trying it out tells. Several callers wait for one trial.
    func capabilities(
        trial: @escaping @Sendable () async throws -> ServerCapabilities
    ) async throws(StoreError) -> ServerCapabilities {
        let probing: Task<ServerCapabilities, any Error>? = state.withLock { state in
            if state.record.capabilities != nil { return nil }
            let task = state.probing ?? Task { try await trial() }
            state.probing = task
            return task
        }
        guard let probing else { return known ?? ServerCapabilities() }
        do {
            let found = try await probing.value
            note { $0.capabilities = $0.capabilities ?? found }
            return found
        } catch {
            state.withLock { state in
                if state.probing == probing { state.probing = nil }
            }
            throw error as? StoreError ?? StoreError(.serverError, during: .put, underlying: error)
        }
    }

    /// Adds what somebody has found out later.
    func learn(placesRanges: Bool) {
        note { $0.capabilities?.placesRanges = placesRanges }
    }

    func learn(keepsDestinations: Bool) {
        note { $0.capabilities?.keepsDestinations = keepsDestinations }
    }

    func learn(signInWay: WebDAVAuthenticator.Way) {
        note { $0.signIn = signInWay }
    }

    /// Notes something, and keeps it; when it cannot be kept, it is only found out again.
    private func note(_ change: (inout Record) -> Void) {
        let record = state.withLock { state in
            change(&state.record)
            if state.record.capabilities != nil { state.probing = nil }
            return state.record
        }
        guard let file else { return }
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? JSONEncoder().encode(record).write(to: file, options: .atomic)
    }
}
