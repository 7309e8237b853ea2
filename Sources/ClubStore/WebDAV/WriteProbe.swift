import CurlNetworking
import FoundationEssentials

/// What a request with a temporary file has shown.
enum ProbeResult: Sendable {
    case supported, unsupported

    init(isSupported: Bool) { self = isSupported ? .supported : .unsupported }
}

/// Probes how a server handles conditional writes, by writing a temporary file.
struct WriteProbe: Sendable {
    let store: WebDAVStore
    let path: RemotePath
    let operation: StoreError.Operation

    private var url: String { store.address.url(of: path) }

    /// - Throws: What a write of a small file throws, `.notFound` of the root if the club's own folder is missing;
    ///   `.badAnswer` when nothing is written although
    ///   the server reports success, as a network's sign-in page does.
    func run() async throws(StoreError) -> ServerCapabilities {
        let clock = store.configuration.clock
        let start = clock.date()
        var tags = [try await create()]
        var found = ServerCapabilities()
        for version in 1...2 { tags.append(try await write(version)) }
        // A second-based tag changes when the second is over: three different ones in less than a
        // second are not based on it. One in finer units is recognized by its digits, with the date
        // that only a listing tells.
        let isQuick = abs(clock.date().timeIntervalSince(start)) < 0.9
        if isQuick, Self.areDistinct(tags), tags.last?.modified == nil {
            tags[tags.count - 1] = try await look()
        }
        found.hasExactTags = isQuick && Self.areExact(tags)
        if found.hasExactTags == false { found.hasReliableTimes = try await look().agesSoon }
        found.honorsIfNoneMatch = try await probe(["If-None-Match": "*"]) == .supported
        found.honorsIfMatch =
            try await probe(["If-Match": "\"byteclub-none-such\""]) == .supported
        let rejectsIf = try await probe(["If": "<\(url)> ([\"byteclub-none-such\"])"])
        found.honorsIf = rejectsIf == .supported
        if !found.honorsIfMatch || found.hasExactTags != true {
            if found.honorsIf { found.honorsIf = try await acceptsIf() }
            found.locks = try await probeLock() == .supported
        }
        return found
    }

    /// Checks again that the server rejects what it is relied on for: another one, or a proxy, may stand in its place.
    ///
    /// - Returns: `.supported` if it does; also if nothing is relied on.
    func confirm(_ known: ServerCapabilities) async throws(StoreError) -> ProbeResult {
        guard known.honorsIfNoneMatch || known.honorsIfMatch || known.honorsIf else {
            return .supported
        }
        do throws(StoreError) {
            _ = try await put(0)
        } catch {
            if error.isMissingFolder { try await store.requireRoot(during: operation) }
            throw error
        }
        if known.honorsIfNoneMatch,
            try await probe(["If-None-Match": "*"]) == .unsupported
        {
            return .unsupported
        }
        if known.honorsIfMatch,
            try await probe(["If-Match": "\"byteclub-none-such\""]) == .unsupported
        {
            return .unsupported
        }
        guard known.honorsIf else { return .supported }
        return try await probe(["If": "<\(url)> ([\"byteclub-none-such\"])"])
    }

    private func create() async throws(StoreError) -> Observation {
        do throws(StoreError) {
            return try await write(0)
        } catch {
            if error.isMissingFolder { try await store.requireRoot(during: operation) }
            throw error
        }
    }

    // MARK: - Tags

    private struct Observation {
        var tag: EntityTag?
        /// Nil if it is not known.
        var modified: Date?
        var agesSoon = false
    }

    /// Writes a text of the same length as the others.
    private func write(_ version: Int) async throws(StoreError) -> Observation {
        let answer = try await put(version)
        let isCreated = answer.status == 201 || answer.status == 204
        if isCreated, let tag = answer.entityTag { return Observation(tag: tag) }
        // A network that responds to everything with its own page sends no tags either.
        return try await look()
    }

    private func look() async throws(StoreError) -> Observation {
        guard case .file(let file) = try await store.look(at: path, during: operation) else {
            throw StoreError(.badAnswer, during: operation, detail: "nothing was written")
        }
        let modified = file.file.modified
        return Observation(
            tag: file.tag, modified: WebDAVStore.isTime(modified) ? modified : nil,
            agesSoon: file.agesSoon)
    }

    /// Whether each text got a tag of its own.
    private static func areDistinct(_ all: [Observation]) -> Bool {
        let tags = all.compactMap(\.tag)
        return tags.count == all.count && Set(tags.map(\.opaque)).count == all.count
    }

    private static func areExact(_ all: [Observation]) -> Bool {
        // Whether a tag is made from a time that is not known cannot be seen.
        areDistinct(all) && all.last?.modified != nil
            && !all.contains { observation in
                guard let modified = observation.modified else { return false }
                return observation.tag?.isTimeBased(modified: modified) == true
            }
    }

    // MARK: - Conditions

    /// Writes with a condition that does not hold; supported if the server rejects it.
    private func probe(_ fields: [String: String]) async throws(StoreError) -> ProbeResult {
        do throws(StoreError) {
            _ = try await put(0, fields)
            return .unsupported
        } catch {
            guard let status = error.webDAVStatus else { throw error }
            // Neither done nor rejected for the condition: not reliable.
            return status == 412 ? .supported : .unsupported
        }
    }

    /// Whether a write is accepted with an `If` that holds: some servers reject each one that has a tag (rclone).
    private func acceptsIf() async throws(StoreError) -> Bool {
        guard let tag = try await look().tag else { return false }
        // A weak one matches nothing, and soon it will be strong.
        if tag.isWeak { return true }
        do throws(StoreError) {
            _ = try await put(0, ["If": "<\(url)> ([\(tag.revision.rawValue)])"])
            return true
        } catch {
            guard error.webDAVStatus != nil else { throw error }
            return false
        }
    }

    /// Locks the file and writes to it; supported if the server grants the lock, rejects a write
    /// without it, and accepts one with it.
    private func probeLock() async throws(StoreError) -> ProbeResult {
        guard
            let lock = try await WebDAVLock.take(url, in: store, during: operation, at: nil)
        else { return .unsupported }
        guard !lock.isOnNewFile else {
            // The file is there: what this server says of a new one would have it removed.
            await lock.release()
            return .unsupported
        }
        let result: Result<ProbeResult, StoreError>
        do throws(StoreError) {
            var isLocked = false
            do throws(StoreError) {
                _ = try await put(1, attempts: 1)
            } catch {
                guard let status = error.webDAVStatus else { throw error }
                isLocked = status == 423
            }
            if isLocked { _ = try await put(2, ["If": "(<\(lock.token)>)"]) }
            result = .success(isLocked ? .supported : .unsupported)
        } catch {
            result = error.webDAVStatus == nil ? .failure(error) : .success(.unsupported)
        }
        await lock.release()
        return try result.get()
    }

    private func put(
        _ version: Int, _ fields: [String: String] = [:], attempts: Int? = nil
    ) async throws(StoreError) -> HTTPLoader.Answer {
        var policy = store.configuration.policy
        if let attempts { policy.attempts = attempts }
        var request = WebDAVRequest("PUT", url)
        request.body = .data(Data("Byte Club capability probe \(version).\n".utf8))
        request.fields = fields
        let message = request
        return try await store.connection.send(
            during: operation, at: nil, through: store.loader, policy: policy
        ) { message }
    }
}
