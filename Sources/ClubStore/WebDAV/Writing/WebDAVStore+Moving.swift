import DropboxAPI
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
        let isRespelling = Self.isRespelling(path, destination)
        guard
            isRespelling || !destination.isInside(path)
                || (destination == path && there != .folder)
        else {
            throw StoreError(.nameNotAllowed, during: .move, at: destination)
        }
        guard isRespelling || destination != path else { throw conflict }
        if there == .folder {
            // lighttpd replaces a file with a folder, whatever `Overwrite` says.
            guard try await isFree(destination, for: path) else { throw conflict }
        }
        guard try await probeMove(to: destination, during: .move) == .supported else {
            return try await copyAndRemove(there, at: path, to: destination)
        }
        if destination.parent != path.parent {
            // Apache answers 500 where a folder is missing, as where it is broken.
            _ = try await makeMissingFolders(above: destination, during: .move)
        }
        // Some servers and proxies ignore `Overwrite: F`, and would replace another member's note.
        guard try await isFree(destination, for: path) else { throw conflict }
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
        var request = WebDAVRequest("MOVE", address.url(of: path, isFolder: there == .folder))
        request.fields["Destination"] = address.url(of: destination, isFolder: there == .folder)
        request.fields["Overwrite"] = "F"
        var hash: String?
        if case .file(let file) = there {
            hash = memory.content(at: path, revision: file.file.revision)?.hash
        }
        let attempts = AttemptLog()
        var isRepeated = false
        while true {
            let failure: StoreError
            do throws(StoreError) {
                _ = try await send(request, during: .move, at: path, attempts: attempts)
                return
            } catch {
                failure = error
            }
            if await hasMoved(
                there, hash: hash, from: path, to: destination, after: failure, attempts)
            {
                return
            }
            let refusal = await meaning(
                of: failure, from: path, to: destination,
                mayHaveArrived: attempts.mayHaveArrived, isRepeated: isRepeated)
            guard let refusal else {
                isRepeated = true
                continue
            }
            if attempts.mayHaveArrived {
                unconfirmed.note(.move(to: destination.string), at: path)
            }
            throw refusal
        }
    }

    /// What a failed move means. The destination decides whether the name is taken.
    ///
    /// - Returns: Nil for a 412 although nothing is there: then the same request is sent once more.
    private func meaning(
        of failure: StoreError, from path: RemotePath, to destination: RemotePath,
        mayHaveArrived: Bool, isRepeated: Bool
    ) async -> StoreError? {
        let isRefused = failure.isPreconditionFailed
        let mayBeTaken =
            [400, 403, 404, 405, 409, 500].contains(failure.webDAVStatus) && !mayHaveArrived
        guard isRefused || mayBeTaken else { return failure }
        do throws(StoreError) {
            guard try await isFree(destination, for: path) else {
                return StoreError(.conflict(serverRevision: nil), during: .move, at: destination)
            }
        } catch {
            return error
        }
        guard isRefused else { return failure }
        guard isRepeated else { return nil }
        return StoreError(
            .refused, during: .move, at: destination, detail: "412, although nothing is there",
            underlying: failure)
    }

    /// Whether it is at the destination although an attempt failed: the response was lost, or a gateway has performed
    /// the request twice and reports what the second one met.
    ///
    /// - Parameter hash: Of the file's bytes, if known.
    private func hasMoved(
        _ there: WebDAVResource, hash: String?, from path: RemotePath, to destination: RemotePath,
        after failure: StoreError, _ attempts: AttemptLog
    ) async -> Bool {
        guard failure.webDAVStatus != nil || attempts.mayHaveArrived, failure.code != .cancelled
        else { return false }
        if Self.isRespelling(path, destination) {
            guard (try? await isRespelled(path, as: destination)) == true else { return false }
        } else {
            guard await lookOnce(at: path, during: .move) == .nothing else { return false }
        }
        guard let arrived = await lookOnce(at: destination, during: .move) else { return false }
        switch (there, arrived) {
        case (.folder, .folder):
            return true
        case (.file(let old), .file(let new)):
            guard new.canHave(old.file.byteCount) else { return false }
            if attempts.mayHaveArrived { return true }
            if let tag = old.tag, tag.opaque == new.tag?.opaque { return true }
            guard let hash else { return true }
            return (try? await contentHash(of: destination, during: .move)) == hash
        default:
            return false
        }
    }

    /// Checks that it is at the destination and no longer at the source: see
    /// ``WriteEvidence``.
    private func confirmMove(
        from path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        let now = try await lookToConfirm(at: destination, during: .move)
        var isGone = try await lookToConfirm(at: path, during: .move) == .nothing
        if !isGone, now != .nothing, Self.isRespelling(path, destination) {
            isGone = try await isRespelled(path, as: destination)
        }
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

    /// For a server that would store it under another name: copies the bytes to a new file, then
    /// removes the old one.
    ///
    /// - Throws: `.nameNotAllowed` for a folder and for a file that does not fit into memory.
    private func copyAndRemove(
        _ there: WebDAVResource, at path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        // Two spellings may be one file: the copy would be what is removed.
        guard case .file(let file) = there, file.file.byteCount <= fetchLimit,
            !Self.isRespelling(path, destination)
        else {
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

// MARK: - Spelling

extension WebDAVStore {
    /// Whether two paths differ only in the case or the Unicode form of the last name. Some servers take both for one
    /// name.
    static func isRespelling(_ path: RemotePath, _ other: RemotePath) -> Bool {
        path.parent == other.parent && !path.name.utf8.elementsEqual(other.name.utf8)
            && PathNames.key(path.name) == PathNames.key(other.name)
    }

    /// Whether nothing but the source itself is at a destination.
    private func isFree(
        _ destination: RemotePath, for path: RemotePath
    ) async throws(StoreError) -> Bool {
        if try await lookToConfirm(at: destination, during: .move) == .nothing { return true }
        guard Self.isRespelling(path, destination) else { return false }
        return try await !lists(destination)
    }

    /// Whether the folder has the new spelling and no longer the old one.
    private func isRespelled(
        _ path: RemotePath, as destination: RemotePath
    ) async throws(StoreError) -> Bool {
        let names = try await names(in: path.parent ?? .root)
        return Self.contains(destination.name, among: names)
            && !Self.contains(path.name, among: names)
    }

    private func lists(_ path: RemotePath) async throws(StoreError) -> Bool {
        Self.contains(path.name, among: try await names(in: path.parent ?? .root))
    }

    /// The names in a folder as the server spells them.
    private func names(in folder: RemotePath) async throws(StoreError) -> [String] {
        let content = try await entries(of: folder, during: .move)
        return content.files.map(\.file.name) + content.folders.map(\.name)
    }

    /// By bytes: two forms of one name are equal as strings.
    private static func contains(_ name: String, among names: [String]) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
