import BenchMeter
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

struct Peer {
    let base: URL
    let folder: URL

    struct Failure: Error {
        let text: String
    }

    func run(_ name: String) async throws -> String {
        _ = try await load(.shared, url("small"))
        let meter = Meter()
        switch name {
        case "discard":
            let watcher = Watcher(meter)
            try await watcher.finish(session(delegate: watcher).dataTask(with: url("big")))
        case "memory":
            _ = try await load(session(), url("big"))
        case "download":
            try await download(session(), url("big"))
        case "upload":
            try await upload(session(), "put/big", folder.appendingPathComponent("big"))
        case "slow":
            let watcher = Watcher(meter, microsecondsPerPiece: 20_000, secondsUntilCancel: 3)
            try await watcher.finish(session(delegate: watcher).dataTask(with: url("big")))
        case "wait":
            _ = try await load(session(), url("wait"))
        case "single", "many":
            let session = session(connections: name == "single" ? 1 : 6)
            try await all(5000) { _ in _ = try await load(session, url("small")) }
        case "default":
            let session = URLSession(configuration: .default)
            try await all(5000) { _ in _ = try await load(session, url("small")) }
        case "beside":
            return meter.report(seconds: try await latencyBesideAStream(meter))
        case "stampede":
            let session = session()
            try await all(1000) { _ in
                _ = try await load(session, url("part"))
                meter.countThreads()
            }
        case "crowd":
            let session = session(connections: 100)
            let part = folder.appendingPathComponent("part")
            try await all(100) { index in
                try await upload(session, "put/crowd\(index)", part)
                meter.countThreads()
            }
        case "churn":
            try await churn(1000)
            let descriptors = Meter.descriptors
            let meter = Meter()
            try await churn(9000)
            return meter.reportWhatIsLeft(descriptors: Meter.descriptors - descriptors)
        default:
            throw Failure(text: "there is no such case")
        }
        return meter.report()
    }

    private func session(
        connections: Int = 6, delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private func latencyBesideAStream(_ meter: Meter) async throws -> Double {
        let watcher = Watcher(meter)
        let stream = session(delegate: watcher).dataTask(with: url("big"))
        async let end: Void = watcher.finish(stream)
        let session = session()
        var spans: [Double] = []
        while stream.state != .completed {
            let start = DispatchTime.now().uptimeNanoseconds
            _ = try await load(session, url("small"))
            spans.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
        }
        try await end
        return spans.sorted()[spans.count / 2]
    }

    private func churn(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                if index >= 16 { try await group.next() }
                group.addTask {
                    let watcher = Watcher(nil, secondsUntilCancel: 0)
                    let session = session(delegate: watcher)
                    async let end: Void = watcher.finish(session.dataTask(with: url("big")))
                    _ = try await load(session, url("small"))
                    try await end
                    session.invalidateAndCancel()
                }
            }
            try await group.waitForAll()
        }
    }

    private func url(_ path: String) -> URL { base.appendingPathComponent(path) }

    private func load(_ session: URLSession, _ url: URL) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: data ?? Data())
                }
            }.resume()
        }
    }

    private func download(_ session: URLSession, _ url: URL) async throws {
        let goal = folder.appendingPathComponent("downloaded")
        try? FileManager.default.removeItem(at: goal)
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            session.downloadTask(with: url) { file, _, error in
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        guard let file else { throw Failure(text: "no file") }
                        try FileManager.default.moveItem(at: file, to: goal)
                    })
            }.resume()
        }
    }

    private func upload(_ session: URLSession, _ path: String, _ file: URL) async throws {
        var request = URLRequest(url: url(path))
        request.httpMethod = "PUT"
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            session.uploadTask(with: request, fromFile: file) { _, response, error in
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                if let error {
                    continuation.resume(throwing: error)
                } else if (200..<300).contains(status) {
                    continuation.resume()
                } else {
                    continuation.resume(throwing: Failure(text: "the server answered \(status)"))
                }
            }.resume()
        }
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

private final class Watcher: NSObject, URLSessionDataDelegate {
    private let meter: Meter?
    private let microsecondsPerPiece: UInt32
    private let secondsUntilCancel: Double?
    private let start = DispatchTime.now().uptimeNanoseconds
    private let state = Mutex(State())

    private struct State {
        var calls = 0
        var continuation: CheckedContinuation<Void, any Error>?
    }

    init(
        _ meter: Meter?, microsecondsPerPiece: UInt32 = 0, secondsUntilCancel: Double? = nil
    ) {
        self.meter = meter
        self.microsecondsPerPiece = microsecondsPerPiece
        self.secondsUntilCancel = secondsUntilCancel
    }

    func finish(_ task: URLSessionTask) async throws {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        look()
        if microsecondsPerPiece > 0 { usleep(microsecondsPerPiece) }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        if let secondsUntilCancel, seconds >= secondsUntilCancel { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        look()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        if let error, (error as? URLError)?.code != .cancelled {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume()
        }
    }

    private func look() {
        let isDue = state.withLock { state in
            state.calls += 1
            return state.calls % 256 == 1
        }
        if isDue { meter?.countThreads() }
    }
}
