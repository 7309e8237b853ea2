import DropboxAPI

// What the server shows decides, never what an answer says: see ``WriteEvidence``.

extension DropboxStore {
    /// What the server shows at a path.
    enum Found: Hashable, Sendable {
        case nothing
        case file(RemoteFile)
        case folder
    }

    /// How long to wait for metadata that lag behind a change, before each further look: less than a change that is
    /// said to have failed costs.
    private static let waits = [Duration.seconds(1), .seconds(2), .seconds(4)]

    /// Looks whether a path is as the server has answered. The metadata may be of an earlier moment: if they contradict
    /// the answer, they are asked for again.
    ///
    /// - Returns: What is there.
    /// - Throws: `.withoutEffect` when all contradict it; what reading metadata throws.
    func requireState(
        at path: RemotePath, during operation: StoreError.Operation,
        _ isAsAnswered: (Found) -> Bool
    ) async throws(StoreError) -> Found {
        let first = try await found(at: path, during: operation)
        if isAsAnswered(first) { return first }
        for wait in Self.waits {
            try await configuration.clock.wait(wait, during: operation, at: path)
            let later = try await found(at: path, during: operation)
            if isAsAnswered(later) { return later }
        }
        throw StoreError(
            .withoutEffect, during: operation, at: path, detail: "a yes, and it is not so")
    }

    /// Checks that an upload is in the club.
    ///
    /// - Parameter file: What the server says it has stored.
    func requireUploaded(
        _ file: RemoteFile, _ sent: WriteEvidence.Content
    ) async throws(StoreError) {
        _ = try await requireState(at: file.path, during: .upload) { found in
            guard case .file(let there) = found else { return false }
            return there.byteCount == sent.byteCount
                && there.contentHash.map { $0 == sent.hash } ?? true
        }
    }

    private func found(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> Found {
        do throws(StoreError) {
            return .file(try await metadata(of: path))
        } catch {
            switch error.code {
            case .notFound: return .nothing
            case .wrongKind: return .folder
            default:
                var error = error
                error.operation = operation
                throw error
            }
        }
    }

    /// Checks that a file was stored where it was sent. An edit that was stored beside its note has replaced nothing:
    /// what was stored is ours, and would look like somebody's note.
    ///
    /// - Throws: `.conflict` when it was stored elsewhere, and is removed there; `.badAnswer` for an answer about a file
    ///   that may be another one, which is left alone.
    func requireSamePlace(
        _ file: RemoteFile, as path: RemotePath, _ sent: WriteEvidence.Content,
        _ mode: RemoteWriteMode, during operation: StoreError.Operation
    ) async throws(StoreError) {
        guard !isSamePlace(file.path, path) else { return }
        let isOurs = file.contentHash == sent.hash && file.byteCount == sent.byteCount
        // A new file may get another name.
        if isOurs, mode == .create || mode == .add { return }
        guard isOurs, await isNew(file) else {
            throw StoreError(
                .badAnswer, during: operation, at: path, detail: "an answer about \(file.path)")
        }
        // Also if the caller has been cancelled.
        await Task { try? await delete(file.path, ifRevision: file.revision) }.value
        throw StoreError(
            .conflict(serverRevision: nil), during: operation, at: path,
            detail: "stored as \(file.path)")
    }

    /// Whether two paths are one to the server.
    func isSamePlace(_ path: RemotePath, _ other: RemotePath) -> Bool {
        PathNames.key(path.string) == PathNames.key(other.string)
    }

    /// Whether this state of a file was not seen before, and there was no other one: a note that was there is not new.
    func isNew(_ file: RemoteFile) async -> Bool {
        guard seen.file(at: file.path)?.revision != file.revision,
            let history = try? await revisions(of: file.path, limit: 2)
        else { return false }
        return !history.isDeleted && history.revisions.map(\.revision) == [file.revision]
    }
}
