import DropboxAPI
import FoundationEssentials

// Sending, and what follows a refusal.

extension WebDAVWrite {
    func send(
        _ condition: WriteCondition, replacing base: WriteEvidence.Base?
    ) async throws(StoreError) -> WriteState {
        do throws(StoreError) {
            let tag = try await commitMakingFolders(condition, isNew: base == nil)
            return .confirming(tag, replacing: base)
        } catch {
            if error.isPreconditionFailed {
                return .conditionFailed(error, condition, replacing: base)
            }
            // The staged file to move is gone, although it was accepted.
            if error.code == .withoutEffect { return .confirming(nil, replacing: base) }
            // A cancelled caller does not wait.
            guard strategy.attempts.mayHaveArrived, error.code != .cancelled else { throw error }
            return .unanswered(error)
        }
    }

    /// Above this, a look at the folder costs less than bytes that are sent and refused.
    private static let cheapByteCount: Int64 = 256 << 10

    /// Commits; and once more after creating missing parent folders.
    private func commitMakingFolders(
        _ condition: WriteCondition, isNew: Bool
    ) async throws(StoreError) -> EntityTag? {
        if isNew, strategy.isDirect, strategy.byteCount > Self.cheapByteCount {
            _ = try await store.makeMissingFolders(above: path, during: operation)
        }
        do throws(StoreError) {
            return try await strategy.commit(condition)
        } catch {
            // Servers use different statuses for a conflict or a missing parent.
            guard let status = error.webDAVStatus, [400, 403, 404, 405, 409, 500].contains(status)
            else { throw error }
            if try await store.makeMissingFolders(above: path, during: operation) == .made {
                return try await strategy.commit(condition)
            }
            if try await look() == .folder {
                throw StoreError(
                    .conflict(serverRevision: nil), during: operation, at: path, underlying: error)
            }
            throw error
        }
    }

    /// - Parameter refused: The conditions that were rejected so far.
    func afterRefusal(
        _ error: StoreError, _ condition: WriteCondition, _ base: WriteEvidence.Base?,
        _ refused: [WriteCondition]
    ) async throws(StoreError) -> WriteState {
        let there = try await look()
        guard
            let next = WriteState.afterRefusal(
                of: condition, there: there, isDirect: strategy.isDirect,
                capabilities: capabilities, refused: refused)
        else {
            guard there == .nothing else { throw error }
            throw StoreError(
                .refused, during: operation, at: path,
                detail: "412, although nothing is there", underlying: error)
        }
        guard case .sending(let weaker, _) = next else { return next }
        switch there {
        case .nothing where weaker == .none:
            return try await requireNothing(error) ?? next
        case .file(let file):
            return try await weaken(to: weaker, on: file, base) ?? .occupied(there)
        case .nothing, .folder:
            return next
        }
    }

    /// Sends a weaker condition, or none, if the file still has the text that is to be replaced. The tag that a look
    /// has shown may be another text's, or of an earlier moment.
    ///
    /// - Returns: Nil if it has another one, or if that cannot be known.
    private func weaken(
        to weaker: WriteCondition, on file: WebDAVFile, _ base: WriteEvidence.Base?
    ) async throws(StoreError) -> WriteState? {
        let own = self.base
        let isOwn = own != nil && own?.revision == base?.revision
        let hash = base?.hash ?? (isOwn ? own?.hash : nil)
        let mustRead = weaker == .none || isOwn && own.map(isCertain) == false && hash != nil
        if weaker == .none, capabilities.hasExactTags == true {
            // The server may be right, and the look of an earlier moment: another one comes later.
            try await store.configuration.clock.wait(Self.waitForAge, during: operation, at: path)
            guard case .file(let now) = try await look(),
                now.file.revision == file.file.revision
            else { return nil }
        }
        if mustRead {
            guard let hash,
                try await store.contentHash(of: path, during: operation) == hash
            else { return nil }
        }
        return .sending(weaker, replacing: .init(revision: file.file.revision, hash: hash))
    }

    /// Makes sure that a request for the bytes finds nothing at the path either.
    ///
    /// - Returns: What to do about a file that is there all the same; nil if nothing is.
    /// - Throws: `.conflict` for a file that only this request has found.
    private func requireNothing(_ error: StoreError) async throws(StoreError) -> WriteState? {
        if try await store.hasNoBytes(at: path, during: operation) { return nil }
        // The listing lags behind.
        try await store.configuration.clock.wait(Self.waitForAge, during: operation, at: path)
        let there = try await look()
        guard there == .nothing else { return .occupied(there) }
        throw StoreError(
            .conflict(serverRevision: nil), during: operation, at: path, underlying: error)
    }
}
