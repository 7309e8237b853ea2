import CurlNetworking
import DropboxAPI
public import FoundationEssentials

extension DropboxStore {
    @MainActor public func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, delegate: any TransferDelegate
    ) -> any Transfer {
        StoreTransfer(.download, of: path, delegate: delegate) {
            [self] port throws(StoreError) in
            try await receive(path, to: file, isKept: keepsPartialFile, progress: port)
        }
    }
}

extension DropboxStore {
    /// How often to begin with another revision than the one of a moment ago.
    private static let revisionsFollowed = 3

    @concurrent private func receive(
        _ path: RemotePath, to url: URL, isKept: Bool, progress: TransferProgressPort
    ) async throws(StoreError) -> RemoteFile {
        for _ in 0..<Self.revisionsFollowed {
            let file = try await currentFile(at: path)
            let sink = DownloadSink(file, progress: progress) {
                [self] response throws(StoreError) in
                let announced = try fileBesideBytes(response, during: .download, at: path)
                return announced.revision == file.revision
            }
            do throws(StoreError) {
                try await sink.open(url.path, isKept: isKept)
                try await sink.receive {
                    () async throws(StoreError) in
                    try await receiveRest(into: sink)
                } isPastEnd: { error in
                    (error.underlying as? DropboxRefusal)?.status == 416
                }
                try await sink.finish()
                return sink.file
            } catch {
                sink.setAside()
                guard error.code == .changedMeanwhile else { throw error }
            }
        }
        throw StoreError(.changedMeanwhile, during: .download, at: path)
    }

    private func currentFile(at path: RemotePath) async throws(StoreError) -> RemoteFile {
        do throws(StoreError) {
            return try await metadata(of: path)
        } catch {
            var error = error
            error.operation = .download
            throw error
        }
    }

    private func receiveRest(into sink: DownloadSink) async throws(StoreError) {
        let argument = DownloadArg(path: paths.wire(sink.file.path))
        _ = try await connection.send(
            during: .download, at: sink.file.path, policy: configuration.policy,
            makeCall: { () throws(StoreError) in
                var call = try DropboxCall(Routes.download, argument)
                call.rangeStart = sink.byteCount
                return call
            },
            perform: { [downloader] request throws(HTTPLoader.Failure) in
                try await downloader.load(
                    request, limit: DropboxConnection.answerLimit, observers: sink.observers)
            })
    }
}
