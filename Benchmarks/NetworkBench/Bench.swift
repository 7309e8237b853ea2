import BenchMeter
import CurlNetworking
import Dispatch
import FoundationEssentials

/// The cases, each as a program would write it.
struct Bench {
    let base: URL
    let folder: URL

    struct Failure: Error {
        let text: String
    }

    func run(_ name: String) async throws -> String {
        // Libraries are loaded and a connection was made before anything is measured.
        let first = name == "streams" ? streamSession() : URLSession.shared
        _ = try await first.data(from: url("small"))
        let meter = Meter()
        switch name {
        case "discard":
            try await watched(meter) { $0.dataTask(with: url("big")) }
        case "memory":
            _ = try await session().data(from: url("big"))
        case "download":
            try await watched(meter, keepsIn: folder) { $0.downloadTask(with: url("big")) }
        case "upload":
            try await watched(meter) { $0.uploadTask(with: put("put/big"), fromFile: file) }
        case "slow":
            try await slow(meter)
        case "wait":
            _ = try await session().data(from: url("wait"))
        case "single", "many":
            let session = session(connections: name == "single" ? 1 : 6)
            try await all(5000) { _ in _ = try await session.data(from: url("small")) }
        case "default":
            let session = URLSession(configuration: .default)
            try await all(5000) { _ in _ = try await session.data(from: url("small")) }
        case "beside":
            return meter.report(seconds: try await latencyBesideAStream(meter))
        case "stampede":
            let session = session()
            try await all(1000) { _ in
                _ = try await session.data(from: url("part"))
                meter.countThreads()
            }
        case "streams":
            let session = streamSession()
            try await all(1000) { _ in
                _ = try await session.data(from: url("part"))
                meter.countThreads()
            }
        case "crowd":
            let session = session(connections: 100)
            try await all(100) { index in
                _ = try await session.upload(for: put("put/crowd\(index)"), fromFile: small)
                meter.countThreads()
            }
        case "churn":
            return try await churn()
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

    private func session(
        connections: Int = 6, delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        // What curl has neither. The case `default` has both.
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// One connection that carries a hundred requests at a time. The server's certificate is in the folder.
    private func streamSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpVersion = .http2
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.certificateAuthoritiesFile = folder.appending(path: "certificate")
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        return URLSession(configuration: configuration)
    }

    private func watched(
        _ meter: Meter, keepsIn folder: URL? = nil, _ make: (URLSession) -> URLSessionTask
    ) async throws {
        let watcher = Watcher(meter, folder: folder)
        try await watcher.finish(make(session(delegate: watcher)))
    }

    /// A delegate that takes its time, for three seconds.
    private func slow(_ meter: Meter) async throws {
        let watcher = Watcher(meter, microsecondsPerPiece: 20_000, secondsUntilCancel: 3)
        do {
            try await watcher.finish(session(delegate: watcher).dataTask(with: url("big")))
        } catch let error as URLError where error.code == .cancelled {
        }
    }

    /// The median of small answers while another session's large one comes in.
    private func latencyBesideAStream(_ meter: Meter) async throws -> Double {
        let watcher = Watcher(meter)
        let stream = session(delegate: watcher).dataTask(with: url("big"))
        async let end: Void = watcher.finish(stream)
        let session = session()
        var spans: [Double] = []
        while stream.state != .completed {
            let start = DispatchTime.now().uptimeNanoseconds
            _ = try await session.data(from: url("small"))
            spans.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
        }
        try await end
        return spans.sorted()[spans.count / 2]
    }

    /// Ten thousand short sessions, each with an answer it reads and one it breaks off midway. The
    /// report's memory is what was not given back after the first thousand, and in place of threads
    /// stands the number of descriptors left open.
    private func churn() async throws -> String {
        try await churn(1000)
        let descriptors = Meter.descriptors
        let meter = Meter()
        try await churn(9000)
        return meter.reportWhatIsLeft(descriptors: Meter.descriptors - descriptors)
    }

    private func churn(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                if index >= 16 { try await group.next() }
                group.addTask {
                    let watcher = Watcher(nil, secondsUntilCancel: 0)
                    let session = session(delegate: watcher)
                    async let end: Void = watcher.finish(session.dataTask(with: url("big")))
                    _ = try await session.data(from: url("small"))
                    do {
                        try await end
                        throw Failure(text: "a cancelled task has finished well")
                    } catch let error as URLError where error.code == .cancelled {
                    }
                    session.invalidateAndCancel()
                }
            }
            try await group.waitForAll()
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
