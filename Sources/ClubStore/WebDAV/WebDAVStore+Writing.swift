import DropboxAPI
public import FoundationEssentials

extension WebDAVStore {
    @concurrent public func put(
        _ data: Data, at path: RemotePath, mode: WriteMode
    ) async throws(StoreError) -> RemoteFile {
        let delivery: any WebDAVDelivery =
            Int64(data.count) <= configuration.limits.directByteCount || nextcloud != nil
            ? DirectDelivery(WebDAVPayload(.data(data), of: self, to: path, during: .put))
            : StagedDelivery(WebDAVPayload(.data(data), of: self, to: path, during: .put))
        return try await write(delivery, at: path, mode: mode, during: .put)
    }

    func write(
        _ delivery: any WebDAVDelivery, at path: RemotePath, mode: WriteMode,
        during operation: StoreError.Operation
    ) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
        }
        // Large files come to their place whole; whether one did is seen by looking.
        let sent = delivery.isDirect || operation == .put ? await delivery.unsettledWrite : nil
        if let sent { unsettled.begin(sent, at: path) }
        do throws(StoreError) {
            let write = WebDAVWrite(
                store: self, delivery: delivery, path: path, operation: operation,
                abilities: try await currentAbilities(during: operation))
            let file = try await write.run(mode)
            unsettled.forget(path)
            return file
        } catch {
            await delivery.abandon(after: error)
            if case .conflict = error.code {
                // From now on it is about what is there.
                unsettled.forget(path)
            } else if delivery.attempts.mayHaveArrived {
                if let write = await delivery.unsettledWrite { unsettled.note(write, at: path) }
            } else if let sent {
                unsettled.drop(sent, at: path)
            }
            var error = error
            error.path = path
            throw error
        }
    }

    /// The hash of a file's bytes as they are on the server, in Dropbox's form.
    func contentHash(
        of path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> String {
        let sink = HashingSink()
        _ = try await connection.send(
            during: operation, at: path, through: downloader,
            observers: HTTPLoader.Observers(sink: sink)
        ) { [address] in .get(address.url(of: path)) }
        return sink.finish()
    }

    /// Makes sure that a file is what was read, where the server's tag cannot tell: it may be the
    /// same for two states of one second and one length.
    ///
    /// - Throws: `.conflict`.
    func requireUnseenNothing(
        _ file: WebDAVFile, during operation: StoreError.Operation
    ) async throws(StoreError) {
        guard file.tag?.isCoarse(modified: file.file.modified) ?? true,
            let content = memory.content(of: file.file), content.isFresh
        else { return }
        guard try await contentHash(of: file.file.path, during: operation) == content.hash else {
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: operation,
                at: file.file.path, detail: "changed within a second")
        }
    }
}
