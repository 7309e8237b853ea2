import FoundationEssentials

extension WebDAVStore {
    @discardableResult
    @concurrent public func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .move, at: path) }
        let conflict = StoreError(
            .conflict(serverRevision: nil), during: .move, at: destination)
        guard !destination.isRoot else { throw conflict }
        let there = try await look(at: path, during: .move)
        guard there != .nothing else {
            // An earlier attempt whose response was lost may have moved it.
            let now = try await look(at: destination, during: .move)
            guard now != .nothing, unconfirmed.has(.move(to: destination.string), at: path) else {
                throw StoreError(.notFound, during: .move, at: path)
            }
            unconfirmed.forget(path)
            return Self.entry(now, at: destination)
        }
        guard !destination.isInside(path) || (destination == path && there != .folder) else {
            throw StoreError(.nameNotAllowed, during: .move, at: destination)
        }
        guard destination != path else { throw conflict }
        if there == .folder {
            // lighttpd replaces a file with a folder, whatever `Overwrite` says.
            guard try await look(at: destination, during: .move) == .nothing else {
                throw conflict
            }
        }
        guard try await canMove(to: destination, during: .move) else {
            return try await copyAndRemove(there, at: path, to: destination)
        }
        if destination.parent != path.parent {
            // Apache answers 500 where a folder is missing, as where it is broken.
            _ = try await makeMissingFolders(above: destination, during: .move)
        }
        try await sendMove(of: there, at: path, to: destination)
        do throws(StoreError) {
            return try await confirmMove(from: path, to: destination)
        } catch {
            // Seen where it should not be, or not seen at all: then a later attempt must recognize it.
            if error.code.mayHideSuccess || error.code == .timedOut || error.code == .cancelled {
                unconfirmed.note(.move(to: destination.string), at: path)
            }
            throw error
        }
    }

    private func sendMove(
        of there: WebDAVResource, at path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) {
        let conflict = StoreError(
            .conflict(serverRevision: nil), during: .move, at: destination)
        var request = WebDAVRequest("MOVE", address.url(of: path, isFolder: there == .folder))
        request.fields["Destination"] = address.url(of: destination, isFolder: there == .folder)
        request.fields["Overwrite"] = "F"
        let attempts = AttemptLog()
        do throws(StoreError) {
            do throws(StoreError) {
                _ = try await send(request, during: .move, at: path, attempts: attempts)
            } catch {
                guard let status = error.webDAVStatus,
                    [400, 403, 404, 405, 409, 500].contains(status), !attempts.mayHaveArrived
                else { throw error }
                guard try await look(at: destination, during: .move) == .nothing else {
                    throw conflict
                }
                throw error
            }
        } catch {
            // The response to the first attempt was lost, or a repeated one is rejected because the first has
            // succeeded.
            let refusal = error.isPreconditionFailed ? conflict : error
            guard attempts.mayHaveArrived, error.code != .cancelled,
                await lookOnce(at: path, during: .move) == .nothing,
                let arrived = await lookOnce(at: destination, during: .move),
                Self.isMoved(there, arrived)
            else {
                if attempts.mayHaveArrived {
                    unconfirmed.note(.move(to: destination.string), at: path)
                }
                throw refusal
            }
        }
    }

    /// Checks that it is at the destination and no longer at the source: see
    /// ``WriteEvidence``.
    private func confirmMove(
        from path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        let now = try await look(at: destination, during: .move)
        let isGone = try await look(at: path, during: .move) == .nothing
        guard isGone, now != .nothing else {
            let code: StoreError.Code =
                switch (isGone, now) {
                case (false, .nothing): .withoutEffect
                case (false, _): .conflict(serverRevision: nil)
                case (true, _): .badAnswer
                }
            throw StoreError(
                code, during: .move, at: destination, detail: "not where it should be")
        }
        memory.forget(path)
        return Self.entry(now, at: destination)
    }

    private static func entry(_ there: WebDAVResource, at path: RemotePath) -> RemoteEntry {
        if case .file(let file) = there { .file(file.file) } else { .folder(path) }
    }

    private static func isMoved(_ before: WebDAVResource, _ after: WebDAVResource) -> Bool {
        switch (before, after) {
        case (.folder, .folder): true
        case (.file(let old), .file(let new)): old.file.byteCount == new.file.byteCount
        default: false
        }
    }

    /// For a server that would store it under another name: copies the bytes to a new file, then
    /// removes the old one.
    ///
    /// - Throws: `.nameNotAllowed` for a folder and for a file that does not fit into memory.
    private func copyAndRemove(
        _ there: WebDAVResource, at path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        guard case .file(let file) = there, file.file.byteCount <= fetchLimit else {
            throw StoreError(.nameNotAllowed, during: .move, at: destination)
        }
        do throws(StoreError) {
            let (source, data) = try await fetch(path)
            let copy = try await put(data, at: destination, mode: .create)
            try await delete(path, ifRevision: source.revision)
            return .file(copy)
        } catch {
            var error = error
            error.operation = .move
            throw error
        }
    }
}
