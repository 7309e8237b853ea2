import CurlNetworking
import DropboxAPI
public import FoundationEssentials
import Synchronization

extension WebDAVStore {
    @MainActor public func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, replaces: Bool,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        Download.transfer(
            path, to: file, isKept: keepsPartialFile, replaces: replaces, delegate: delegate
        ) { [self] progress throws(StoreError) in
            let file = try await currentFile(at: path, during: .download)
            // Complete or not could not be told.
            guard file.hasLength else {
                throw StoreError(
                    .badAnswer, during: .download, at: path, detail: "a file without a length")
            }
            let sink = DownloadSink(file.file, progress: progress) {
                [self] response throws(StoreError) in
                // Not every server sends its tag with the bytes; then the length is checked, and
                // the metadata afterwards.
                let isKnown = isAnswer(response, for: file)
                // A network's sign-in page.
                guard isKnown || response.mimeType != "text/html" || path.name.isNamedLikePage
                else {
                    throw StoreError(
                        .badAnswer, during: .download, at: path,
                        detail: "a page instead of the file")
                }
                return isKnown || !isContradicted(by: response, file)
            }
            return Download(
                sink: sink,
                receiveRest: { [self] () throws(StoreError) in
                    try await receiveRest(of: file, into: sink)
                },
                confirm: { [self] () throws(StoreError) in
                    // The tag was sent before the bytes: a file that is rewritten in place arrives as a mixture under
                    // the tag of its former state.
                    let now = try await currentFile(at: path, during: .download)
                    guard now.file.revision == file.file.revision,
                        now.file.byteCount == file.file.byteCount
                    else {
                        throw StoreError(.changedMeanwhile, during: .download, at: path)
                    }
                })
        }
    }
}

extension WebDAVStore {
    private func receiveRest(
        of file: WebDAVFile, into sink: DownloadSink
    ) async throws(StoreError) {
        let url = address.url(of: file.file.path)
        _ = try await connection.send(
            during: .download, at: file.file.path, through: downloader,
            observers: sink.observers
        ) {
            var request = WebDAVRequest.get(
                url, of: file.knownByteCount, from: sink.byteCount)
            // It is in another state, so all bytes are needed.
            if sink.byteCount > 0, let tag = file.tag, !tag.isWeak,
                file.file.revision.isSafeInField
            {
                request.fields["If-Range"] = file.file.revision.rawValue
            }
            return request
        }
    }

    /// Whether a response is of another state than expected. A weak or missing tag proves
    /// nothing.
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

extension String {
    fileprivate var isNamedLikePage: Bool {
        [".html", ".htm", ".xhtml"].contains { lowercased().hasSuffix($0) }
    }
}

/// Hashes bytes as they arrive, without storing them.
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
