import FoundationEssentials
import Synchronization

/// How a WebDAV server handles conditional writes, found out by probing.
public struct ServerCapabilities: Codable, Hashable, Sendable {
    /// It rejects `PUT` with `If-None-Match: *` when the path is taken.
    public var honorsIfNoneMatch = false

    /// It rejects `PUT` with an `If-Match` that does not match.
    public var honorsIfMatch = false

    /// It rejects `PUT` with an `If` (RFC 4918 §10.4) that does not hold. Apache accepts the
    /// weak tag of a fresh file there.
    public var honorsIf = false

    /// It stores the bytes of a `PUT` with `Content-Range` (RFC 9110 §14.5) at their offset, as
    /// Apache does. Others reject it, or take it for the whole file. Nil before it was probed.
    public var placesRanges: Bool?

    /// Texts of one length, written in quick succession, got different tags that are not made from
    /// the time: no two states of a file share one. Nil when probed by an earlier version, which
    /// did not test this.
    public var hasExactTags: Bool?

    /// A file that was just written has about the time of the server's `Date`. Else a file's age is not known. Tested
    /// where tags are not exact; nil before.
    public var hasReliableTimes: Bool?

    /// A lock (RFC 4918 §6) keeps others from writing. Tested where `If-Match` is ignored or not
    /// sufficient.
    public var locks: Bool?

    /// A `MOVE` stores a file exactly at its `Destination`, whatever characters the name has. Some
    /// servers decode it too early and take what follows a `?` or `;` for something else. Nil
    /// before it was probed.
    public var keepsDestinations: Bool?

    /// The same for names with nothing but spaces, letters that are not ASCII, and `( ) ' , !`: these mean nothing in
    /// URLs. Nil before it was probed.
    public var keepsMildDestinations: Bool?

    /// A listing contains names that begin with a dot. nginx with dav-ext leaves them out. Nil before it was probed.
    public var listsHiddenNames: Bool?

    /// Its conditions could not be checked in this run: each write looks at the path first, and sends them all the same.
    /// Not stored.
    var isUnchecked = false

    /// The keys of the file, the same in every version; another one where what an earlier version
    /// found is not sufficient: it took tags in microseconds for exact.
    private enum CodingKeys: String, CodingKey {
        case honorsIfNoneMatch = "honoursIfNoneMatch"
        case honorsIfMatch = "honoursIfMatch"
        case honorsIf = "honoursIf"
        case hasExactTags = "hasTagsWithoutTime"
        case placesRanges, locks, keepsDestinations, keepsMildDestinations, hasReliableTimes,
            listsHiddenNames
    }
}

/// How reliably a write replaces only what its writer has seen.
public enum WriteProtection: Hashable, Sendable {
    /// The server rejects a write that would overwrite another member's.
    case byServer

    /// The server would overwrite anything, but a lock keeps others out: the file is checked under
    /// a lock.
    case byLocking

    /// The server would overwrite anything: the file is checked just before each write, and a
    /// concurrent write in that moment goes unnoticed.
    case byCheckingFirst
}

extension WebDAVStore {
    /// How writes are protected here; nil before the first write, which probes the
    /// server.
    public var writeProtection: WriteProtection? {
        capabilities.known.map { known in
            guard !known.honorsIfMatch || !known.honorsIfNoneMatch else { return .byServer }
            return known.locks == true ? .byLocking : .byCheckingFirst
        }
    }
}

extension ServerCapabilities {
    fileprivate var unchecked: ServerCapabilities {
        var unchecked = self
        unchecked.isUnchecked = true
        return unchecked
    }
}

/// Capabilities of the server, learned once per account: its authentication scheme, and by probing,
/// how it handles conditional writes.
///
/// What protects other members' texts is checked again by the first write of each run, and once a day in a long one:
/// the server may have been replaced, or a proxy put in front of it, that ignores conditions. If another server's name
/// answers, everything is probed again.
final class CapabilityProbe: Sendable {
    private struct State {
        var record: Record
        var probing: Probing?
        /// When this run has checked the record.
        var checked: Date?
    }

    /// Of the responses so far.
    let signature: ServerSignature
    private let file: URL?
    private let state: Mutex<State>

    private typealias Probing = Task<Result<ServerCapabilities, StoreError>, Never>

    private static let lifetimeSeconds = 86_400.0

    private struct Record: Codable, Equatable {
        var account: String
        var capabilities: ServerCapabilities?
        var signIn: WebDAVAuthenticator.Way?
        /// What the server says of itself; nil if an earlier version has written this.
        var servers: [String: [String]]?

        /// The keys of the file, the same in every version.
        enum CodingKeys: String, CodingKey {
            case account, signIn, servers
            case capabilities = "abilities"
        }
    }

    /// - Parameter file: Where it is stored between runs.
    init(file: URL?, address: WebDAVAddress) {
        self.file = file
        let account = address.url(of: .root)
        let kept = file.flatMap { try? Data(contentsOf: $0) }
            .flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
        var record = kept.flatMap { $0.account == account ? $0 : nil }
        // An earlier version did not probe everything.
        if let found = record?.capabilities,
            found.hasExactTags == nil
                || found.hasExactTags == false && found.hasReliableTimes == nil
        {
            record?.capabilities = nil
        }
        signature = ServerSignature(known: record?.servers ?? [:])
        state = Mutex(State(record: record ?? Record(account: account)))
    }

    var known: ServerCapabilities? { state.withLock { $0.record.capabilities } }
    var signInWay: WebDAVAuthenticator.Way? { state.withLock { $0.record.signIn } }

    /// The known capabilities, or those found by probing. Concurrent callers share one
    /// probe.
    ///
    /// - Parameters:
    ///   - trial: Probes everything.
    ///   - check: Checks those of an earlier run, or of an earlier day.
    func capabilities(
        at now: Date = Date(), trial: @escaping @Sendable () async throws -> ServerCapabilities,
        check: @escaping @Sendable (ServerCapabilities) async throws -> ProbeResult = { _ in
            .supported
        }
    ) async throws(StoreError) -> ServerCapabilities {
        let isNew = signature.isNew
        let probing: Probing? = state.withLock { state in
            let known = isNew ? nil : state.record.capabilities
            if known != nil, let checked = state.checked,
                abs(now.timeIntervalSince(checked)) < Self.lifetimeSeconds
            {
                return nil
            }
            let task = state.probing ?? Task { await probe(known, at: now, trial, check) }
            state.probing = task
            return task
        }
        guard let probing else { return known ?? ServerCapabilities() }
        guard let result = await probing.valueUnlessCancelled() else {
            throw StoreError(.cancelled, during: .put)
        }
        return try result.get()
    }

    /// - Parameter known: What need only be checked.
    private func probe(
        _ known: ServerCapabilities?, at now: Date,
        _ trial: @Sendable () async throws -> ServerCapabilities,
        _ check: @Sendable (ServerCapabilities) async throws -> ProbeResult
    ) async -> Result<ServerCapabilities, StoreError> {
        do {
            if let known {
                do {
                    if try await check(known) == .supported {
                        finish(nil, at: now)
                        return .success(known)
                    }
                } catch let error as StoreError
                    where error.webDAVStatus != nil && error.code != .unauthorized
                {
                    // The server stores no temporary file, perhaps because it is full. What replaces a text may fit.
                    state.withLock { $0.probing = nil }
                    return .success(known.unchecked)
                }
            }
            let found = try await trial()
            finish(found, at: now)
            return .success(found)
        } catch {
            state.withLock { $0.probing = nil }
            return .failure(
                error as? StoreError ?? StoreError(.serverError, during: .put, underlying: error))
        }
    }

    /// - Parameter found: Nil for the same as before.
    private func finish(_ found: ServerCapabilities?, at now: Date) {
        let servers = signature.acceptNew()
        note { record in
            if let found { record.capabilities = found }
            record.servers = servers
        }
        state.withLock { ($0.checked, $0.probing) = (now, nil) }
    }

    /// Adds a capability learned later.
    func learn(_ capability: WritableKeyPath<ServerCapabilities, Bool?>, _ isThere: Bool) {
        note { $0.capabilities?[keyPath: capability] = isThere }
    }

    func learn(signInWay: WebDAVAuthenticator.Way) {
        note { $0.signIn = signInWay }
    }

    /// Stores a change; if saving fails, the server is only probed again.
    private func note(_ change: (inout Record) -> Void) {
        let (before, record) = state.withLock { state in
            let before = state.record
            change(&state.record)
            return (before, state.record)
        }
        guard let file, record != before else { return }
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? JSONEncoder().encode(record).write(to: file, options: .atomic)
    }
}
