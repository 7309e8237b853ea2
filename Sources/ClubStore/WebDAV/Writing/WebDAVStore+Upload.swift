import DropboxAPI
public import FoundationEssentials

extension WebDAVStore {
    @MainActor public func upload(
        fileAt file: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        StoreTransferTask(.upload, of: path, delegate: delegate) { [self] port throws(StoreError) in
            try await send(fileAt: file, to: path, mode: mode, record: record, progress: port)
        }
    }

    @concurrent private func send(
        fileAt url: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        progress: TransferProgressPort
    ) async throws(StoreError) -> RemoteFile {
        let source = try SourceFile(at: url)
        progress.update(0, ofExpected: source.byteCount)
        let payload = WebDAVPayload(
            .file(source, progress), of: self, to: path, during: .upload)
        let limits = configuration.limits
        let strategy: any WebDAVUploadStrategy
        if let nextcloud {
            if source.byteCount > limits.partByteCounts.lowerBound {
                let hash = try await source.contentHash().hexadecimal
                strategy = NextcloudUploadStrategy(
                    payload, file: source, hash: hash, place: nextcloud, isKept: record != nil)
            } else {
                strategy = DirectUploadStrategy(payload)
            }
        } else if try await chooseWriting(
            of: source.byteCount, to: path, mode: mode, during: .upload) == .direct
        {
            strategy = DirectUploadStrategy(payload)
        } else if let record, source.byteCount > limits.pieceByteCounts.lowerBound {
            let parts = StagedParts(
                payload: payload, file: source,
                record: UploadRecord(
                    file: record, contentHash: try await source.contentHash().hexadecimal,
                    destination: address.url(of: path)))
            strategy = StagedUploadStrategy(payload, parts: parts)
        } else {
            strategy = StagedUploadStrategy(payload)
        }
        return try await write(strategy, at: path, mode: mode, during: .upload)
    }
}
