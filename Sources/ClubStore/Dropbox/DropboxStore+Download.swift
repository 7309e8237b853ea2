import CurlNetworking
import DropboxAPI
public import FoundationEssentials

extension DropboxStore {
    @MainActor public func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, replaces: Bool,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        Download.transfer(
            path, to: file, isKept: keepsPartialFile, replaces: replaces, delegate: delegate
        ) { [self] progress throws(StoreError) in
            let file = try await currentFile(at: path)
            let sink = DownloadSink(file, progress: progress) {
                [self] response throws(StoreError) in
                let announced = try fileBesideBytes(response, during: .download, at: path)
                return announced.revision == file.revision
            }
            return Download(sink: sink) { [self] () throws(StoreError) in
                try await receiveRest(into: sink)
            }
        }
    }
}

extension DropboxStore {
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
