import Synchronization

/// A `PUT` to a temporary name beside the file, and a `MOVE` over it: whatever fails, the file is
/// the old one or the new one.
final class StagedUploadStrategy: WebDAVUploadStrategy {
    let payload: WebDAVPayload

    /// Sends in parts so that another run can resume; nil to send it in one piece.
    private let parts: StagedParts?

    /// The temporary name on the server, once it exists.
    private let staged = Mutex<RemotePath?>(nil)

    var isDirect: Bool { false }

    init(_ payload: WebDAVPayload, parts: StagedParts? = nil) {
        self.payload = payload
        self.parts = parts
    }

    func commit(_ condition: WriteCondition) async throws(StoreError) -> EntityTag? {
        let place = try await stage()
        let relocation = WebDAVRelocation(payload: payload, condition: condition)
        do throws(StoreError) {
            try await relocation.send(from: payload.store.address.url(of: place)) {
                () throws(StoreError) in
                try await self.payload.store.look(at: place, during: self.payload.operation)
                    == .nothing
            }
        } catch {
            if error.webDAVStatus == 404,
                await payload.store.lookOnce(at: place, during: payload.operation) == .nothing
            {
                staged.withLock { $0 = nil }
                throw StoreError(
                    .withoutEffect, during: payload.operation, at: payload.path,
                    detail: "a yes to the bytes, which are not there", underlying: error)
            }
            // A server without MOVE: write directly.
            guard error.webDAVStatus == 405 || error.webDAVStatus == 501 else { throw error }
            await prepareToRepeat()
            return try await DirectUploadStrategy(payload).commit(condition)
        }
        staged.withLock { $0 = nil }
        await parts?.record.keep(nil)
        return nil
    }

    func prepareToRepeat() async {
        let place = staged.withLock { staged in
            defer { staged = nil }
            return staged
        }
        if let place { await payload.store.remove(place) }
        await parts?.record.keep(nil)
    }

    /// Parts that may help the next attempt stay; they are removed after a day.
    func abandon(after error: StoreError) async {
        guard error.code.leavesUploadOfUse, let kept = parts?.record.progress else {
            return await prepareToRepeat()
        }
        // Started over, and interrupted before the first part was confirmed.
        if let place = staged.withLock({ $0 }), place.name != kept.place {
            await payload.store.remove(place)
        }
    }

    private func stage() async throws(StoreError) -> RemotePath {
        if let place = staged.withLock({ $0 }) { return place }
        if let parts,
            try await payload.store.probeRanges(during: payload.operation) == .supported
        {
            try await parts.send { place in staged.withLock { $0 = place } }
            if let place = staged.withLock({ $0 }) { return place }
        }
        let place = try (payload.path.parent ?? .root).appending(TemporaryName.staged())
        // From now on there may be a file, even without a response.
        staged.withLock { $0 = place }
        var request = WebDAVRequest("PUT", payload.store.address.url(of: place))
        request.fields["Content-Type"] = "application/octet-stream"
        do throws(StoreError) {
            _ = try await payload.send(request)
        } catch {
            // All of it is there, although the server did not confirm it.
            guard payload.attempts.mayHaveArrived, error.code != .cancelled,
                case .file(let file) = await payload.store.lookOnce(
                    at: place, during: payload.operation),
                file.file.byteCount == payload.byteCount
            else {
                // A clear refusal: the next attempt sends it again.
                if error.webDAVStatus != nil {
                    staged.withLock { $0 = nil }
                    if payload.attempts.mayHaveArrived { await payload.store.remove(place) }
                }
                throw error
            }
        }
        try payload.requireUnchanged()
        try await requireComplete(place)
        return place
    }

    /// Nobody else writes to the temporary name. What the server has made of the bytes must not get to the path.
    private func requireComplete(_ place: RemotePath) async throws(StoreError) {
        let there = await payload.store.lookOnce(at: place, during: payload.operation)
        guard case .file(let file) = there, !file.canHave(payload.byteCount) else { return }
        staged.withLock { $0 = nil }
        await payload.store.remove(place)
        throw StoreError(
            .damaged, during: payload.operation, at: payload.path,
            detail: "\(file.file.byteCount) of \(payload.byteCount) bytes were stored")
    }
}

/// The final `MOVE` of a strategy.
struct WebDAVRelocation: Sendable {
    let payload: WebDAVPayload
    let condition: WriteCondition
    var fields: [String: String] = [:]

    private var store: WebDAVStore { payload.store }

    /// - Parameter isGone: Whether the source no longer exists, called when a response was lost.
    func send(
        from source: String, isGone: @Sendable () async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        let destination = store.address.url(of: payload.path)
        var request = WebDAVRequest("MOVE", source)
        request.fields = fields
        request.fields["Destination"] = destination
        request.fields["Overwrite"] = condition == .absent ? "F" : "T"
        switch condition {
        case .none: break
        case .absent: try await require(nil)
        case .locked(let token): request.fields["If"] = "<\(destination)> (<\(token)>)"
        case .matches(let revision), .matchesByIf(let revision):
            if store.capabilities.known?.honorsIf == true, revision.isEntityTag,
                revision.isSafeInField
            {
                request.fields["If"] = "<\(destination)> ([\(revision.rawValue)])"
            }
            try await require(revision)
        }
        let attempts = AttemptLog()
        let message = request
        do throws(StoreError) {
            _ = try await store.send(
                message, during: payload.operation, at: payload.path, attempts: attempts)
        } catch {
            if attempts.mayHaveArrived { payload.attempts.noteThatOneMayHaveArrived() }
            guard attempts.mayHaveArrived, try await isGone(), try await hasArrived()
            else { throw error }
        }
    }

    /// Checks what this server may not: whether it checks conditions was probed with a `PUT`, and some ignore them,
    /// or `Overwrite: F`, for a `MOVE`. The upload before may have taken minutes.
    ///
    /// - Parameter revision: What has to be at the path; nil for nothing.
    private func require(_ revision: Revision?) async throws(StoreError) {
        let there = try await store.look(at: payload.path, during: payload.operation)
        let isAsExpected =
            switch there {
            case .nothing: revision == nil
            case .file(let file): file.file.revision == revision
            case .folder: false
            }
        guard isAsExpected else {
            let refusal = WebDAVRefusal(status: 412, method: "MOVE", words: "seen by looking first")
            throw refusal.error(during: payload.operation, at: payload.path)
        }
    }

    private func hasArrived() async throws(StoreError) -> Bool {
        let there = try await store.look(at: payload.path, during: payload.operation)
        guard case .file(let file) = there else { return false }
        return try await payload.isSame(as: file)
    }
}
