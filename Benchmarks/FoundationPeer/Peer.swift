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
        let configuration = URLSessionConfiguration.ephemeral
        if name == "crowd" { configuration.httpMaximumConnectionsPerHost = 100 }
        let watcher = Watcher(meter)
        let session = URLSession(
            configuration: configuration, delegate: watcher, delegateQueue: nil)
        switch name {
        case "discard":
            try await watcher.finish(session.dataTask(with: url("big")))
        case "memory":
            _ = try await load(session, url("big"))
        case "download":
            try await download(session, url("big"))
        case "upload":
            try await upload(session, "put/big", folder.appendingPathComponent("big"))
        case "wait":
            _ = try await load(session, url("wait"))
        case "many":
            try await all(5000) { _ in _ = try await load(session, url("small")) }
        case "crowd":
            let part = folder.appendingPathComponent("part")
            try await all(100) { index in
                try await upload(session, "put/crowd\(index)", part)
                meter.countThreads()
            }
        default:
            throw Failure(text: "there is no such case")
        }
        return meter.report()
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
    private let meter: Meter
    private let state = Mutex(State())

    private struct State {
        var calls = 0
        var continuation: CheckedContinuation<Void, any Error>?
    }

    init(_ meter: Meter) {
        self.meter = meter
    }

    func finish(_ task: URLSessionTask) async throws {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        look()
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
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }

    private func look() {
        let isDue = state.withLock { state in
            state.calls += 1
            return state.calls % 256 == 1
        }
        if isDue { meter.countThreads() }
    }
}
