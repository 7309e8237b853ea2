import DropboxAPI
import FoundationEssentials

// Whether a write has arrived.

extension WebDAVWrite {
    /// The file, if it holds these bytes although the server did not confirm it.
    func arrivedFile() async -> WebDAVFile? {
        guard case .file(let seen) = await store.lookOnce(at: path, during: operation),
            let file = try? await store.measured(seen, during: operation),
            file.canHave(strategy.byteCount),
            (try? await strategy.isSame(as: file)) == true
        else { return nil }
        return file
    }

    /// Checks what was written. See ``WriteEvidence``.
    func confirm(
        _ tag: EntityTag?, replacing base: WriteEvidence.Base?, _ progress: inout Progress
    ) async throws(StoreError) -> WriteState {
        var found: WriteEvidence.Content?
        var file: WebDAVFile?
        do throws(StoreError) {
            switch try await look() {
            case .folder:
                throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
            case .file(let now):
                file = now
                found = .init(
                    byteCount: now.knownByteCount ?? strategy.byteCount,
                    hash: try await hash(of: now, tag, replacing: base))
            case .nothing: break
            }
        } catch {
            // It is stored, as far as the server has said: a later attempt must recognize it.
            strategy.attempts.noteThatOneMayHaveArrived()
            throw error.ofUnconditional
        }
        let sent = WriteEvidence.Content(byteCount: strategy.byteCount, hash: await strategy.hash)
        let evidence = WriteEvidence(
            sent: sent, found: found, revision: file?.file.revision, base: base,
            areRevisionsExact: capabilities.hasExactTags == true)
        guard evidence == .stored, let file else {
            // The server reported success, and may write it later.
            strategy.attempts.noteThatOneMayHaveArrived()
            throw await contradiction(evidence, file, tag)
        }
        guard base?.revision == file.file.revision, !progress.hasWrittenTwice else {
            return .saved(file)
        }
        progress.hasWrittenTwice = true
        return try await writeOnceMore(file, under: progress.lock)
    }

    /// The hash of the current file: known by the server's tag if that is proof, else read. For
    /// large files another length or revision is sufficient.
    private func hash(
        of file: WebDAVFile, _ tag: EntityTag?, replacing base: WriteEvidence.Base?
    ) async throws(StoreError) -> String? {
        guard file.canHave(strategy.byteCount) else { return nil }
        let isProof =
            capabilities.hasExactTags == true && tag != nil && tag?.opaque == file.tag?.opaque
        if isProof { return await strategy.hash }
        let isLarge = strategy.byteCount > store.configuration.limits.directByteCount
        if isLarge, file.file.revision != base?.revision { return await strategy.hash }
        return try await store.contentHash(of: path, during: operation)
    }

    private func contradiction(
        _ evidence: WriteEvidence, _ file: WebDAVFile?, _ tag: EntityTag?
    ) async -> StoreError {
        guard evidence == .replaced, let file else {
            return StoreError(
                .withoutEffect, during: operation, at: path,
                detail: "a yes, and nothing was stored")
        }
        if !file.canHave(strategy.byteCount), file.file.byteCount < strategy.byteCount,
            (try? await hashLeftByUs(in: file, countsShared: true)) != nil
        {
            return StoreError(
                .damaged, during: operation, at: path,
                detail: "\(file.file.byteCount) of \(strategy.byteCount) bytes were stored")
        }
        if await strategy.payload.isChangedForm(of: file) {
            return StoreError(
                .damaged, during: operation, at: path, detail: "stored with other line ends")
        }
        // The tag of the response is that of the file: nobody has written in between.
        if let tag, !tag.isWeak, tag == file.tag, capabilities.hasExactTags == true {
            return StoreError(
                .damaged, during: operation, at: path, detail: "stored with other bytes")
        }
        var error = StoreError(
            .conflict(serverRevision: file.file.revision), during: operation, at: path,
            detail: "other bytes than were sent, or replaced in the same moment")
        error.wasAccepted = true
        return error
    }

    /// The server's tag depends on the second and the length, and is the same as before, so that the change
    /// would go unnoticed: a second later the tag differs.
    private func writeOnceMore(
        _ file: WebDAVFile, under lock: WebDAVLock?
    ) async throws(StoreError) -> WriteState {
        try await store.configuration.clock.wait(Self.waitForAge, during: operation, at: path)
        guard case .file(let now) = try await look(), try await strategy.isSame(as: now) else {
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: operation, at: path,
                detail: "replaced within a second")
        }
        await strategy.prepareToRepeat()
        return .sending(
            strongest(for: now, under: lock),
            replacing: .init(revision: now.file.revision, hash: await strategy.hash))
    }

    func remember(_ file: WebDAVFile) async -> RemoteFile {
        let hash = await strategy.hash
        if let hash {
            if case .data(let text) = strategy.payload.source {
                store.memory.keep(text: text, hash: hash)
            }
            let isCertain = capabilities.hasExactTags == true || !file.isFresh
            store.memory.keep(
                .init(revision: file.file.revision, hash: hash, isCertain: isCertain), at: path)
        }
        var file = file.file
        file.contentHash = hash
        return file
    }
}
