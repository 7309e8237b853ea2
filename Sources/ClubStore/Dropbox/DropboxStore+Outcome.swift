import DropboxAPI

/// What has become of a write that ended with an error.
enum WriteOutcome {
    /// The file holds the bytes that were sent, now or in an earlier attempt whose answer was lost.
    case stored(RemoteFile)
    /// The existing file is from an earlier write of this member, so it may be replaced.
    case earlier(RemoteFile)
    /// It failed, or the result is unknown.
    case failed(StoreError)
}

extension DropboxStore {
    /// Looks for what a write has left, and keeps what is not known for the next one.
    func outcome(
        of write: UnconfirmedWrite, at path: RemotePath, mode: RemoteWriteMode,
        after error: StoreError
    ) async -> WriteOutcome {
        guard error.isConflict else {
            if error.code.mayHideSuccess, let there = try? await metadata(of: path),
                there.contentHash == write.hash
            {
                unconfirmed.forget(path)
                return .stored(there)
            }
            unconfirmed.note(write, at: path)
            return .failed(error)
        }
        guard let there = try? await metadata(of: path) else {
            unconfirmed.drop(write, at: path)
            return .failed(error)
        }
        if error.followsUnclearAttempt, there.contentHash == write.hash {
            unconfirmed.forget(path)
            return .stored(there)
        }
        let isOurs = unconfirmed.writes(
            at: path, for: mode, hash: write.hash, found: there.byteCount
        ).contains { $0.hash == there.contentHash }
        if isOurs, there.contentHash == write.hash {
            unconfirmed.forget(path)
            return .stored(there)
        }
        if isOurs, mode.replacedRevision != there.revision { return .earlier(there) }
        // From now on, the existing file counts.
        unconfirmed.forget(path)
        var error = error
        error.code = .conflict(serverRevision: there.revision)
        error.hasSameBytes = there.contentHash == write.hash
        return .failed(error)
    }
}
