import BenchMeter
import CurlNetworking
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Looks on, counts threads, and throws the bytes away; at once, slowly, or not to the end.
final class Watcher: URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let meter: Meter?
    private let folder: URL?
    private let microsecondsPerPiece: UInt32
    private let secondsUntilCancel: Double?
    private let start = DispatchTime.now().uptimeNanoseconds
    private let state = Mutex(State())

    private struct State {
        var byteCount = 0
        var calls = 0
        var continuation: CheckedContinuation<Void, any Error>?
    }

    /// - Parameters:
    ///   - folder: Where a download is kept, as `downloaded`.
    ///   - microsecondsPerPiece: How long it takes over each piece of body.
    ///   - secondsUntilCancel: A piece that comes later is the last.
    init(
        _ meter: Meter?, folder: URL? = nil, microsecondsPerPiece: UInt32 = 0,
        secondsUntilCancel: Double? = nil
    ) {
        self.meter = meter
        self.folder = folder
        self.microsecondsPerPiece = microsecondsPerPiece
        self.secondsUntilCancel = secondsUntilCancel
    }

    func finish(_ task: URLSessionTask) async throws {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            task.resume()
        }
    }

    private func look(_ byteCount: Int) {
        let isDue = state.withLock { state in
            state.byteCount += byteCount
            state.calls += 1
            return state.calls % 256 == 1
        }
        if isDue { meter?.countThreads() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        look(data.count)
        if microsecondsPerPiece > 0 { usleep(microsecondsPerPiece) }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        if let secondsUntilCancel, seconds >= secondsUntilCancel { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        look(Int(bytesSent))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        look(Int(bytesWritten))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let folder else { return }
        let goal = folder.appending(path: "downloaded")
        try? FileManager.default.removeItem(at: goal)
        do { try FileManager.default.moveItem(at: location, to: goal) } catch { print("\(error)") }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        if let error {
            continuation?.resume(throwing: error)
        } else if (200..<300).contains(status) {
            continuation?.resume()
        } else {
            continuation?.resume(throwing: Bench.Failure(text: "the server answered \(status)"))
        }
    }
}
