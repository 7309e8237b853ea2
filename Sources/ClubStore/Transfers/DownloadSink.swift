import CurlNetworking
import FoundationEssentials
import Synchronization

/// Writes downloaded bytes to a partial file, and rejects responses for another state of the
/// file.
final class DownloadSink: BodySink {
    let file: RemoteFile

    /// Whether a response contains bytes of the file; throws `.badAnswer` when its headers do not
    /// say.
    typealias Recognize = @Sendable (HTTPURLResponse) throws(StoreError) -> Bool

    private let recognizes: Recognize
    private let progress: TransferProgressPort
    private let partial = Mutex<PartialFile?>(nil)

    init(
        _ file: RemoteFile, progress: TransferProgressPort, recognizes: @escaping Recognize
    ) {
        self.file = file
        self.progress = progress
        self.recognizes = recognizes
    }

    var byteCount: Int64 { partial.withLock { $0?.byteCount ?? 0 } }

    var isComplete: Bool { byteCount == file.byteCount }

    var observers: HTTPLoader.Observers {
        HTTPLoader.Observers(sink: self, control: { [progress] in progress.pacer.take($0) })
    }

    func open(_ destination: String, isKept: Bool) async throws(StoreError) {
        try await FileWork.run { [self] () throws(StoreError) in
            try partial.withLock { partial throws(StoreError) in
                partial = try PartialFile(of: file, for: destination, isKept: isKept)
            }
        }
        progress.update(byteCount, ofExpected: file.byteCount)
    }

    /// Verifies the file and moves it to its destination; removes partial files of other revisions.
    func finish(replaces: Bool) async throws(StoreError) {
        try await FileWork.run { [self] () throws(StoreError) in
            try partial.withLock { partial throws(StoreError) in
                try partial?.moveToDestination(replaces: replaces)
                if let partial, partial.isKept { DownloadRemains.remove(of: partial.destination) }
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

    /// Removes what has arrived.
    func discard() {
        partial.withLock { partial in
            partial?.discard()
            partial = nil
        }
    }

    func restart() throws(StoreError) {
        try partial.withLock { partial throws(StoreError) in try partial?.restart() }
    }

    func begin(_ response: HTTPURLResponse) throws(StoreError) {
        guard try recognizes(response) else {
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
        progress.update(byteCount, ofExpected: file.byteCount)
    }
}
