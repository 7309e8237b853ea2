import FoundationEssentials
import Synchronization

/// What a WebDAV server does about conditions on writes, found out by trying.
public struct WebDAVAbilities: Codable, Hashable, Sendable {
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
}

/// How sure it is that a write replaces only what its writer has seen.
public enum WriteProtection: Hashable, Sendable {
    /// The server refuses what would overwrite somebody else's.
    case byServer

    /// The server would overwrite anything: what is there is looked at just before each write, and
    /// somebody who writes in that very moment is not noticed.
    case byLookingFirst
}

extension WebDAVStore {
    /// How writes are protected here; nil before the first write, which finds out.
    public var writeProtection: WriteProtection? {
        abilities.known.map {
            $0.honoursIfMatch && $0.honoursIfNoneMatch ? .byServer : .byLookingFirst
        }
    }
}

/// What was found out about the server, once for each account: how it wants passwords, and by trying what
/// it does about conditions.
final class AbilityProbe: Sendable {
    private let file: URL?
    private let state: Mutex<(record: Record, probing: Task<WebDAVAbilities, any Error>?)>

    private struct Record: Codable {
        var account: String
        var abilities: WebDAVAbilities?
        var signIn: WebDAVSignIn.Way?
    }

    /// - Parameter file: Where it is kept from one run of the program to the next.
    init(file: URL?, address: WebDAVAddress) {
        self.file = file
        let account = address.url(of: .root)
        let kept = file.flatMap { try? Data(contentsOf: $0) }
            .flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
        let record = kept.flatMap { $0.account == account ? $0 : nil }
        state = Mutex((record ?? Record(account: account), nil))
    }

    var known: WebDAVAbilities? { state.withLock { $0.record.abilities } }
    var signInWay: WebDAVSignIn.Way? { state.withLock { $0.record.signIn } }

    /// What is known, or what trying it out tells. Several callers wait for one trial.
    func abilities(
        trial: @escaping @Sendable () async throws -> WebDAVAbilities
    ) async throws(StoreError) -> WebDAVAbilities {
        let probing: Task<WebDAVAbilities, any Error>? = state.withLock { state in
            if state.record.abilities != nil { return nil }
            let task = state.probing ?? Task { try await trial() }
            state.probing = task
            return task
        }
        guard let probing else { return known ?? WebDAVAbilities() }
        do {
            let found = try await probing.value
            note { $0.abilities = $0.abilities ?? found }
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
        note { $0.abilities?.placesRanges = placesRanges }
    }

    func learn(signInWay: WebDAVSignIn.Way) {
        note { $0.signIn = signInWay }
    }

    /// Notes something, and keeps it; when it cannot be kept, it is only found out again.
    private func note(_ change: (inout Record) -> Void) {
        let record = state.withLock { state in
            change(&state.record)
            if state.record.abilities != nil { state.probing = nil }
            return state.record
        }
        guard let file else { return }
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? JSONEncoder().encode(record).write(to: file, options: .atomic)
    }
}

extension WebDAVStore {
    /// - Throws: What a write of a small file throws.
    func currentAbilities(
        during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVAbilities {
        try await abilities.abilities { [self] in
            let scratch = try RemotePath.root.appending(OwnName.probe())
            return try await tryConditions(on: scratch, during: operation)
        }
    }

    private static let scratchBody = HTTPLoader.Body.data(
        Data("Byte Club looks what this server can do.\n".utf8))

    private func tryConditions(
        on scratch: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVAbilities {
        let url = address.url(of: scratch)
        func create() async throws(StoreError) {
            var request = WebDAVRequest("PUT", url)
            request.body = Self.scratchBody
            let answer = try await send(request, during: operation, at: nil)
            // A network that answers everything with a page of its own knows no conditions either.
            guard answer.status == 201 || answer.status == 204 else {
                guard case .file = try await look(at: scratch, during: operation) else {
                    throw StoreError(.badAnswer, during: operation, detail: "nothing was written")
                }
                return
            }
        }
        func isTaken(_ name: String, _ value: String) async throws(StoreError) -> Bool {
            var request = WebDAVRequest("PUT", url)
            request.body = Self.scratchBody
            request.fields[name] = value
            do throws(StoreError) {
                _ = try await send(request, during: operation, at: nil)
                return true
            } catch {
                guard let status = error.webDAVStatus else { throw error }
                // Neither done nor refused for the condition: not to be relied on.
                return status != 412
            }
        }
        do throws(StoreError) {
            try await create()
        } catch {
            guard error.isMissingFolder else { throw error }
            try await makeFolder(.root, during: operation)
            try await create()
        }
        var found = WebDAVAbilities()
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            found.honoursIfNoneMatch = try await !isTaken("If-None-Match", "*")
            found.honoursIfMatch = try await !isTaken("If-Match", "\"byteclub-none-such\"")
            found.honoursIf = try await !isTaken("If", "<\(url)> ([\"byteclub-none-such\"])")
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await remove(scratch)
        try result.get()
        return found
    }

    /// Whether a file can be sent in parts, one behind the other.
    func placesRanges(during operation: StoreError.Operation) async throws(StoreError) -> Bool {
        if let known = abilities.known?.placesRanges { return known }
        let scratch = try RemotePath.root.appending(OwnName.probe())
        let result: Result<Bool, StoreError>
        do throws(StoreError) {
            result = .success(try await tryRanges(on: address.url(of: scratch), during: operation))
        } catch {
            result = .failure(error)
        }
        await remove(scratch)
        let found = try result.get()
        abilities.learn(placesRanges: found)
        return found
    }

    private func tryRanges(
        on url: String, during operation: StoreError.Operation
    ) async throws(StoreError) -> Bool {
        var request = WebDAVRequest("PUT", url)
        request.body = .data(Data("Byte ".utf8))
        _ = try await send(request, during: operation, at: nil)
        request.body = .data(Data("Club".utf8))
        request.fields["Content-Range"] = "bytes 5-8/9"
        do throws(StoreError) {
            _ = try await send(request, during: operation, at: nil)
        } catch {
            guard error.webDAVStatus != nil else { throw error }
            return false
        }
        return try await send(.get(url), during: operation, at: nil).body == Data("Byte Club".utf8)
    }

    /// Removes something of our own that has done its duty, as well as that goes.
    func remove(_ path: RemotePath) async {
        await removeQuietly(address.url(of: path))
    }

    /// Also when the task is cancelled; not for long.
    func removeQuietly(_ url: String) async {
        await Task { [self] in
            var policy = configuration.policy
            policy.attempts = 2
            policy.longestWaiting = .seconds(2)
            _ = try? await connection.send(
                during: .delete, at: nil, through: loader, policy: policy
            ) {
                var request = WebDAVRequest("DELETE", url)
                request.timeout = .seconds(5)
                return request
            }
        }.value
    }
}
