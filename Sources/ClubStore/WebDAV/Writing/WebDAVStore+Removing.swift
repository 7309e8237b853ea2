import FoundationEssentials

extension WebDAVStore {
    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?, contentHash: String?
    ) async throws(StoreError) {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .delete, at: path) }
        var lock: WebDAVLock?
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            let base = revision.map { self.base($0, contentHash, at: path) }
            try await delete(path, base, holding: &lock)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await lock?.release()
        try result.get()
    }

    private func delete(
        _ path: RemotePath, _ base: WriteEvidence.Base?, holding lock: inout WebDAVLock?
    ) async throws(StoreError) {
        let there: WebDAVResource
        if let base {
            there = try await findForRemoval(of: path, base, holding: &lock)
        } else {
            there = try await look(at: path, during: .delete)
        }
        guard there != .nothing else {
            // An earlier attempt whose response was lost may have removed it.
            guard unconfirmed.has(.removal, at: path) else {
                throw StoreError(.notFound, during: .delete, at: path)
            }
            unconfirmed.forget(path)
            return
        }
        var request = WebDAVRequest(
            "DELETE", address.url(of: path, isFolder: there == .folder))
        // Closes the window between the check and this request, if the server supports
        // it.
        if let lock {
            request.fields["If"] = "(<\(lock.token)>)"
        } else if let base, case .file(let file) = there, let tag = file.tag, !tag.isWeak,
            capabilities.known?.honorsIfMatch == true
        {
            request.fields["If-Match"] = base.revision.rawValue
        }
        let attempts = AttemptLog()
        do throws(StoreError) {
            try await remove(request, of: there, base, at: path, attempts)
        } catch {
            if attempts.mayHaveArrived { unconfirmed.note(.removal, at: path) }
            throw error
        }
        unconfirmed.forget(path)
        memory.forget(path)
    }

    /// The resource at a path, if it is the one that the caller has seen and wants to
    /// remove.
    ///
    /// - Throws: `.conflict` when it is another.
    private func findForRemoval(
        of path: RemotePath, _ base: WriteEvidence.Base, holding lock: inout WebDAVLock?
    ) async throws(StoreError) -> WebDAVResource {
        let capabilities = try await currentCapabilities(during: .delete)
        var waits = 0
        while true {
            let there = try await look(at: path, during: .delete)
            guard case .file(let file) = there else {
                guard there == .nothing else {
                    throw StoreError(.conflict(serverRevision: nil), during: .delete, at: path)
                }
                return there
            }
            let conflict = StoreError(
                .conflict(serverRevision: file.file.revision), during: .delete, at: path)
            guard file.file.revision == base.revision else { throw conflict }
            let isCertain = isCertain(base, at: path)
            // A condition is not checked, or the tag may belong to another text with the same second and
            // length.
            let needsLock = !capabilities.honorsIfMatch || file.isFresh && !isCertain
            if needsLock, lock == nil, capabilities.locks == true {
                let taken = try await WebDAVLock.take(path, in: self, during: .delete)
                if let taken, await taken.leaveNewFile(at: path) == .newFile { continue }
                lock = taken
                if lock != nil { continue }
            }
            guard !isCertain, let hash = base.hash else { return there }
            if file.agesSoon, lock == nil, capabilities.honorsIfMatch, waits < 3 {
                waits += 1
                try await configuration.clock.wait(
                    .milliseconds(1100), during: .delete, at: path)
                continue
            }
            guard try await self.contentHash(of: path, during: .delete) == hash else {
                throw conflict
            }
            return there
        }
    }

    /// Removes it, and checks that it is gone: see ``WriteEvidence``.
    private func remove(
        _ request: WebDAVRequest, of there: WebDAVResource, _ base: WriteEvidence.Base?,
        at path: RemotePath, _ attempts: AttemptLog
    ) async throws(StoreError) {
        do throws(StoreError) {
            let answer = try await send(request, during: .delete, at: path, attempts: attempts)
            guard answer.status != 207 else {
                // Parts of a folder could not be removed.
                throw StoreError(
                    .forbidden, during: .delete, at: path,
                    detail: String(decoding: answer.body.prefix(500), as: UTF8.self))
            }
        } catch {
            if error.webDAVStatus == 424, let token = request.fields["If"], !token.hasPrefix("<") {
                // Apache also applies an untagged list to the folder. (nginx compares a tagged one
                // with the unescaped path.)
                var request = request
                request.fields["If"] = "<\(request.url)> \(token)"
                return try await remove(request, of: there, base, at: path, attempts)
            }
            if await isGone(path, after: error, attempts) { return }
            guard error.isPreconditionFailed, request.fields["If-Match"] != nil else { throw error }
            try await removeAfterRefusal(request, error, base, at: path)
        }
        switch (try await lookToConfirm(at: path, during: .delete), there) {
        case (.folder, .folder):
            break
        case (.file(let now), .file(let before)) where now.isSameState(as: before):
            break
        default:
            // It is gone, even if someone has created another since.
            return
        }
        throw StoreError(
            .withoutEffect, during: .delete, at: path, detail: "a yes, and it is still there")
    }

    /// Whether it is gone although a request for its removal failed: the response was lost, or a gateway has
    /// performed the request twice and reports what the second one met.
    private func isGone(
        _ path: RemotePath, after error: StoreError, _ attempts: AttemptLog
    ) async -> Bool {
        let saysMissing = error.webDAVStatus == 404 || error.webDAVStatus == 410
        let isRefused = error.isPreconditionFailed
        guard attempts.mayHaveArrived || saysMissing || isRefused, error.code != .cancelled,
            await lookOnce(at: path, during: .delete) == .nothing
        else { return false }
        // A file that has changed is refused as well, and the look may be of an earlier moment.
        guard isRefused else { return true }
        return (try? await hasNoBytes(at: path, during: .delete)) == true
    }

    /// Distinguishes a changed file from a server that does not support conditions. The condition is dropped only for
    /// bytes that are still the same: the tag that a look shows may be of an earlier moment.
    private func removeAfterRefusal(
        _ request: WebDAVRequest, _ error: StoreError, _ base: WriteEvidence.Base?,
        at path: RemotePath
    ) async throws(StoreError) {
        let there = try await look(at: path, during: .delete)
        guard case .file(let file) = there else {
            throw StoreError(there == .nothing ? .notFound : .wrongKind, during: .delete, at: path)
        }
        guard file.file.revision.rawValue == request.fields["If-Match"], let hash = base?.hash,
            try await contentHash(of: path, during: .delete) == hash
        else {
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: .delete, at: path,
                underlying: error)
        }
        var request = request
        request.fields["If-Match"] = nil
        _ = try await send(request, during: .delete, at: path)
    }
}
