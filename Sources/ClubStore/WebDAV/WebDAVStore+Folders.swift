import FoundationEssentials

extension WebDAVStore {
    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        let conflict = StoreError(.conflict(serverRevision: nil), during: .createFolder, at: path)
        guard !path.isRoot else { throw conflict }
        // Some say that they have made a folder that was there.
        guard try await look(at: path, during: .createFolder) == .nothing else { throw conflict }
        try await makeFolder(path, during: .createFolder)
        guard try await look(at: path, during: .createFolder) == .folder else { throw conflict }
    }

    /// Makes a folder, and those above it in the club. One that is there is as good; whether it is a file
    /// that is there, the caller has to see.
    func makeFolder(
        _ path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) {
        let base = address.baseComponents
        try await makeFolder(
            base + path.components, notAbove: base.count, during: operation, at: path)
    }

    /// - Parameters:
    ///   - names: From the server's root down.
    ///   - count: So many of them have no folder above that may be made.
    func makeFolder(
        _ names: [String], notAbove count: Int, during operation: StoreError.Operation,
        at path: RemotePath
    ) async throws(StoreError) {
        do throws(StoreError) {
            try await makeOneFolder(names, during: operation, at: path)
        } catch {
            guard error.isMissingFolder, names.count > count else { throw error }
            try await makeFolder(names.dropLast(), notAbove: count, during: operation, at: path)
            try await makeOneFolder(names, during: operation, at: path)
        }
    }

    private func makeOneFolder(
        _ names: [String], during operation: StoreError.Operation, at path: RemotePath
    ) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await send(
                WebDAVRequest("MKCOL", address.url(names, isFolder: true)), during: operation,
                at: path)
        } catch {
            // Something is there, and may have been put there by somebody else just now.
            guard error.webDAVStatus == 405 else { throw error }
        }
    }

    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?
    ) async throws(StoreError) {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .delete, at: path) }
        let there = try await look(at: path, during: .delete)
        var request = WebDAVRequest(
            "DELETE", address.url(of: path, isFolder: there == .folder))
        switch there {
        case .nothing: throw StoreError(.notFound, during: .delete, at: path)
        case .folder where revision != nil:
            throw StoreError(.conflict(serverRevision: nil), during: .delete, at: path)
        case .folder: break
        case .file(let file):
            if let revision {
                guard file.file.revision == revision else {
                    throw StoreError(
                        .conflict(serverRevision: file.file.revision), during: .delete, at: path)
                }
                try await requireUnseenNothing(file, during: .delete)
                // Closes the gap between the look and this, where the server honours it.
                if let tag = file.tag, !tag.isWeak, abilities.known?.honoursIfMatch == true {
                    request.fields["If-Match"] = revision.rawValue
                }
            }
        }
        try await remove(request, at: path)
        memory.forget(path)
    }

    private func remove(
        _ request: WebDAVRequest, at path: RemotePath
    ) async throws(StoreError) {
        let attempts = AttemptLog()
        do throws(StoreError) {
            let answer = try await send(request, during: .delete, at: path, attempts: attempts)
            guard answer.status == 207 else { return }
            // Parts of a folder could not be removed.
            throw StoreError(
                .forbidden, during: .delete, at: path,
                detail: String(decoding: answer.body.prefix(500), as: UTF8.self))
        } catch {
            if error.isUnmetCondition, request.fields["If-Match"] != nil {
                try await removeAfterRefusal(request, error, at: path)
            } else if error.code != .notFound || !attempts.mayHaveArrived {
                throw error
            }
        }
    }

    /// Tells a file that has changed from a server that takes no conditions.
    private func removeAfterRefusal(
        _ request: WebDAVRequest, _ error: StoreError, at path: RemotePath
    ) async throws(StoreError) {
        let there = try await look(at: path, during: .delete)
        guard case .file(let file) = there else {
            throw StoreError(there == .nothing ? .notFound : .wrongKind, during: .delete, at: path)
        }
        guard file.file.revision.rawValue == request.fields["If-Match"] else {
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: .delete, at: path,
                underlying: error)
        }
        var request = request
        request.fields["If-Match"] = nil
        _ = try await send(request, during: .delete, at: path)
    }

    @discardableResult
    @concurrent public func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .move, at: path) }
        let conflict = StoreError(
            .conflict(serverRevision: nil), during: .move, at: destination)
        guard !destination.isRoot else { throw conflict }
        let there = try await look(at: path, during: .move)
        guard there != .nothing else { throw StoreError(.notFound, during: .move, at: path) }
        guard !destination.isInside(path) || (destination == path && there != .folder) else {
            throw StoreError(.nameNotAllowed, during: .move, at: destination)
        }
        guard destination != path else { throw conflict }
        if there == .folder {
            // lighttpd puts a folder in a file's place, whatever `Overwrite` says.
            guard try await look(at: destination, during: .move) == .nothing else {
                throw conflict
            }
        }
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
                guard try await makeMissingFolders(above: destination, during: .move) else {
                    throw error
                }
                _ = try await send(request, during: .move, at: path, attempts: attempts)
            }
        } catch {
            // A second attempt is refused for what the first has done.
            let isDone =
                attempts.mayHaveArrived
                && (error.isUnmetCondition || error.code == .notFound)
            let refusal = error.isUnmetCondition ? conflict : error
            guard isDone else { throw refusal }
            guard try await look(at: path, during: .move) == .nothing else { throw refusal }
        }
        memory.forget(path)
        switch try await look(at: destination, during: .move) {
        case .folder: return .folder(destination)
        case .file(let file): return .file(file.file)
        case .nothing: throw StoreError(.badAnswer, during: .move, at: destination)
        }
    }

    /// Makes the folders that are missing above a path.
    ///
    /// - Returns: False when none is.
    /// - Throws: `.conflict` when one of them is a file.
    func makeMissingFolders(
        above path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> Bool {
        var folder = path
        var isMissing = false
        while let parent = folder.parent {
            folder = parent
            switch try await look(at: folder, during: operation) {
            case .file:
                throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
            case .folder:
                guard isMissing, let parent = path.parent else { return false }
                try await makeFolder(parent, during: operation)
                return true
            case .nothing:
                isMissing = true
            }
        }
        guard isMissing, let parent = path.parent else { return false }
        try await makeFolder(parent, during: operation)
        return true
    }
}

extension StoreError {
    /// Whether a folder could not be made because there is none to make it in: 409 by the standard; a few
    /// servers answer that nothing is there.
    var isMissingFolder: Bool { webDAVStatus == 409 || webDAVStatus == 404 }
}
