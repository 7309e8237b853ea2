import CurlNetworking
import Dispatch
import FoundationEssentials
import Synchronization

/// The cases, each as a program would write it.
struct Bench {
    let base: URL
    let folder: URL

    struct Failure: Error {
        let text: String
    }

    func run(_ name: String) async throws -> String {
        // Libraries are loaded and a connection was made before anything is measured.
        _ = try await URLSession.shared.data(from: url("small"))
        let meter = Meter()
        let watcher = Watcher(meter)
        let session = URLSession(
            configuration: configuration(for: name), delegate: watcher, delegateQueue: nil)
        switch name {
        case "discard":
            try await watcher.finish(session.dataTask(with: url("big")))
        case "memory":
            _ = try await session.data(from: url("big"))
        case "download":
            watcher.keep(in: folder)
            try await watcher.finish(session.downloadTask(with: url("big")))
        case "upload":
            try await watcher.finish(session.uploadTask(with: put("put/big"), fromFile: file))
        case "wait":
            _ = try await session.data(from: url("wait"))
        case "many":
            try await all(5000) { _ in _ = try await session.data(from: url("small")) }
        case "crowd":
            try await all(100) { index in
                _ = try await session.upload(for: put("put/crowd\(index)"), fromFile: small)
                meter.countThreads()
            }
        default:
            throw Failure(text: "there is no such case")
        }
        return meter.report()
    }

    private var file: URL { folder.appending(path: "big") }
    private var small: URL { folder.appending(path: "part") }

    private func url(_ path: String) -> URL { base.appending(path: path) }

    private func put(_ path: String) -> URLRequest {
        var request = URLRequest(url: url(path))
        request.httpMethod = "PUT"
        return request
    }

    private func configuration(for name: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        if name == "crowd" { configuration.httpMaximumConnectionsPerHost = 100 }
        return configuration
    }

    private func all(
        _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await work(index) } }
            try await group.waitForAll()
        }
    }
}

/// Looks on, counts threads, and throws the bytes away.
private final class Watcher: URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let meter: Meter
    private let state = Mutex(State())

    private struct State {
        var byteCount = 0
        var calls = 0
        var folder: URL?
        var continuation: CheckedContinuation<Void, any Error>?
    }

    init(_ meter: Meter) {
        self.meter = meter
    }

    func keep(in folder: URL) {
        state.withLock { $0.folder = folder }
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
        if isDue { meter.countThreads() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        look(data.count)
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
        guard let folder = state.withLock({ $0.folder }) else { return }
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
