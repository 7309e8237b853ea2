import CurlNetworking
import DropboxAPI
public import FoundationEssentials
import Synchronization

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
            let sink = DownloadSink(
                try await currentFile(at: path), store: self, progress: progress)
            do throws(StoreError) {
                try await sink.open(url.path, isKept: isKept)
                try await receive(into: sink)
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

    /// Goes on where it stopped as long as that brings more bytes.
    private func receive(into sink: DownloadSink) async throws(StoreError) {
        while !sink.isComplete {
            let reached = sink.byteCount
            do throws(StoreError) {
                try await receiveRest(into: sink)
                return
            } catch {
                let refusal = error.underlying as? DropboxRefusal
                if refusal?.status == 416, reached > 0 {
                    try sink.restart()
                } else if error.code != .offline || sink.byteCount <= reached {
                    throw error
                }
            }
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

/// Writes what a download brings into a partial file, and refuses what does not belong to it.
private final class DownloadSink: BodySink {
    let file: RemoteFile

    private let store: DropboxStore
    private let progress: TransferProgressPort
    private let partial = Mutex<PartialFile?>(nil)

    init(_ file: RemoteFile, store: DropboxStore, progress: TransferProgressPort) {
        self.file = file
        self.store = store
        self.progress = progress
    }

    var byteCount: Int64 { partial.withLock { $0?.byteCount ?? 0 } }

    var isComplete: Bool { byteCount == file.byteCount }

    var observers: HTTPLoader.Observers {
        HTTPLoader.Observers(sink: self, control: { [progress] in progress.pacer.take($0) })
    }

    func open(_ destination: String, isKept: Bool) async throws(StoreError) {
        try await FileQueue.run { [self] () throws(StoreError) in
            try partial.withLock { partial throws(StoreError) in
                partial = try PartialFile(of: file, for: destination, isKept: isKept)
            }
        }
        progress.tell(byteCount, ofExpected: file.byteCount)
    }

    /// Verifies the whole and puts it in its place.
    func finish() async throws(StoreError) {
        try await FileQueue.run { [self] () throws(StoreError) in
            try partial.withLock { partial throws(StoreError) in
                try partial?.moveToDestination()
                partial = nil
            }
        }
    }

    func setAside() {
        partial.withLock { partial in
            partial?.setAside()
            partial = nil
        }
    }

    func restart() throws(StoreError) {
        try partial.withLock { partial throws(StoreError) in try partial?.restart() }
    }

    func begin(_ response: HTTPURLResponse) throws(StoreError) {
        let announced = try store.fileBesideBytes(response, during: .download, at: file.path)
        guard announced.revision == file.revision else {
            throw StoreError(.changedMeanwhile, during: .download, at: file.path)
        }
        guard response.statusCode == 206 else { return try restart() }
        let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
        guard range.hasPrefix("bytes \(byteCount)-") else {
            throw StoreError(.badAnswer, during: .download, at: file.path, detail: range)
        }
    }

    func take(_ data: Data) throws(StoreError) {
        try partial.withLock { partial throws(StoreError) in try partial?.append(data) }
        progress.pacer.didMove(Int64(data.count))
        progress.tell(byteCount, ofExpected: file.byteCount)
    }
}
