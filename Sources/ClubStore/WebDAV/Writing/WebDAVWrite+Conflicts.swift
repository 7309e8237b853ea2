import DropboxAPI
import FoundationEssentials

// What is in the way of a write.

extension WebDAVWrite {
    /// Succeeds if the existing file is what was to be written; else a conflict.
    ///
    /// Remains of our own interrupted attempt belong to nobody else.
    func resolve(
        _ there: WebDAVResource, _ progress: inout Progress
    ) async throws(StoreError) -> WriteState {
        guard case .file(let file) = there else {
            throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
        }
        let conflict = StoreError(
            .conflict(serverRevision: file.file.revision), during: operation, at: path)
        if try await strategy.isSame(as: file) {
            // The same bytes from someone else conflict only with a create.
            if mode == .create, try await hashLeftByUs(in: file) == nil {
                var conflict = conflict
                conflict.hasSameBytes = true
                throw conflict
            }
            return .saved(file)
        }
        guard let hash = try await hashLeftByUs(in: file) else { throw conflict }
        guard progress.leftovers < Self.leftoverLimit else {
            throw StoreError(
                .offline, during: operation, at: path, detail: "each attempt breaks off")
        }
        progress.leftovers += 1
        return .sending(
            strongest(for: file, under: progress.lock),
            replacing: .init(revision: file.file.revision, hash: hash))
    }

    /// The hash of the file's bytes, if they are what an attempt by this member has left, complete or in part; else
    /// nil.
    ///
    /// - Parameter countsShared: Whether a part counts that the replaced text has, too. Not if the file is to be
    ///   replaced: somebody may have shortened that text, and what was removed would come back.
    func hashLeftByUs(
        in file: WebDAVFile, countsShared: Bool = false
    ) async throws(StoreError) -> String? {
        let count = file.file.byteCount
        let base = store.baseText(of: mode, at: path)
        let writes = store.unconfirmed.writes(
            at: path, for: mode, hash: await strategy.hash, found: count)
        var hashes = writes.filter { countsShared || !$0.shares(first: count, with: base) }
            .compactMap { $0.hash(ofFirst: count) }
        if strategy.attempts.mayHaveArrived, let hash = await strategy.hash(ofFirst: count) {
            let own = await strategy.unconfirmedWrite(replacing: base)
            if countsShared || own?.shares(first: count, with: base) != true { hashes.append(hash) }
        }
        if !hashes.isEmpty {
            let found = try await store.contentHash(of: path, during: operation)
            if hashes.contains(found) { return found }
        }
        // Complete, so that of earlier runs only the same text counts: another one is a note like any other.
        return try await hashOfChangedForm(
            in: file,
            ofAny: store.unconfirmed.writes(
                at: path, for: mode, hash: await strategy.hash, found: .max))
    }

    /// The hash of the file's bytes, if one of these writes came out with other line ends: some gateways change what
    /// they take for text. Words that are not ours are somebody else's.
    private func hashOfChangedForm(
        in file: WebDAVFile, ofAny writes: [UnconfirmedWrite]
    ) async throws(StoreError) -> String? {
        let texts = writes.compactMap(\.data).filter {
            !$0.isEmpty && file.file.byteCount <= Int64($0.count) * 2 + 16
        }
        guard !texts.isEmpty else { return nil }
        let found: Data
        do throws(StoreError) {
            found = try await store.fetch(path).data
        } catch {
            guard error.code == .tooLarge || error.code == .notFound else { throw error }
            return nil
        }
        let isOurs = texts.contains { $0.withPlainLineEnds == found.withPlainLineEnds }
        return isOurs ? ContentHash(of: found).hexadecimal : nil
    }
}
