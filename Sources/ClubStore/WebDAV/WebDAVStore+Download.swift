import CurlNetworking
import DropboxAPI
public import FoundationEssentials
import Synchronization

extension WebDAVStore {
    @MainActor public func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, delegate: any TransferDelegate
    ) -> any Transfer {
        StoreTransfer(.download, of: path, delegate: delegate) {
            [self] port throws(StoreError) in
            try await receive(path, to: file, isKept: keepsPartialFile, progress: port)
        }
    }
}

extension WebDAVStore {
    /// How often to begin with another revision than the one of a moment ago.
    private static let revisionsFollowed = 3

    @concurrent private func receive(
        _ path: RemotePath, to url: URL, isKept: Bool, progress: TransferProgressPort
    ) async throws(StoreError) -> RemoteFile {
        for _ in 0..<Self.revisionsFollowed {
            let file = try await currentFile(at: path, during: .download)
            let strangeAnswers = AttemptLog()
            let sink = DownloadSink(file.file, progress: progress) { [self] response in
                // Not every server gives its tag with the bytes; the length then has to do, and a look
                // afterwards.
                let isKnown = isAnswer(response, for: file)
                if !isKnown, isContradicted(by: response, file) { return false }
                if !isKnown { strangeAnswers.noteThatOneMayHaveArrived() }
                return true
            }
            do throws(StoreError) {
                try await sink.open(url.path, isKept: isKept)
                try await sink.receive {
                    () async throws(StoreError) in
                    try await receiveRest(of: file, into: sink)
                } isPastEnd: {
                    $0.webDAVStatus == 416
                }
                if strangeAnswers.mayHaveArrived {
                    guard try await currentFile(at: path, during: .download) == file else {
                        throw StoreError(.changedMeanwhile, during: .download, at: path)
                    }
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

    private func receiveRest(
        of file: WebDAVFile, into sink: DownloadSink
    ) async throws(StoreError) {
        let url = address.url(of: file.file.path)
        _ = try await connection.send(
            during: .download, at: file.file.path, through: downloader,
            observers: sink.observers
        ) {
            var request = WebDAVRequest.get(url, from: sink.byteCount)
            // Of another state, all of it and not the rest.
            if sink.byteCount > 0, let tag = file.tag, !tag.isWeak,
                file.file.revision.isSafeInField
            {
                request.fields["If-Range"] = file.file.revision.rawValue
            }
            return request
        }
    }

    /// Whether an answer's head tells of another state than the one looked at. A weak tag and one
    /// that is not there tell nothing.
    private func isContradicted(by response: HTTPURLResponse, _ file: WebDAVFile) -> Bool {
        if let field = response.value(forHTTPHeaderField: "Last-Modified"),
            let modified = HTTPDate.parseLeniently(field), modified != file.file.modified
        {
            return true
        }
        guard response.statusCode == 200, response.expectedContentLength >= 0 else { return false }
        return response.expectedContentLength != file.file.byteCount
    }
}

/// Hashes bytes as they arrive, and keeps none.
final class HashingSink: BodySink {
    private let hasher = Mutex(ContentHasher())

    func begin(_ response: HTTPURLResponse) throws(StoreError) {
        hasher.withLock { $0 = ContentHasher() }
    }

    func take(_ data: Data) throws(StoreError) {
        hasher.withLock { $0.update(data) }
    }

    func finish() -> String {
        hasher.withLock { $0.finish().hexadecimal }
    }
}
