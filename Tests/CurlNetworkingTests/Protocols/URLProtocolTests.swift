import CurlNetworking
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// Loaders of one's own, as files written for Apple's suite have them.
@Suite(.timeLimit(.minutes(1))) struct URLProtocolTests {
    @Test func anAwaitedTaskGetsWhatTheLoaderReports() async throws {
        let session = makeSession { $0.protocolClasses = [Canned.self] }
        let (data, response) = try await session.data(from: url("canned://a/hello"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 429)
        #expect(response.url == url("canned://a/hello"))
    }

    @Test func theDelegateIsCalledInTheSameOrderAsOverHTTP() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.protocolClasses = [Canned.self] }
        session.dataTask(with: url("canned://a/hello")).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 429", "data", "completed"])
        #expect(String(decoding: delegate.body, as: UTF8.self) == "hello")
    }

    @Test func noBodyArrivesBeforeTheDelegateHasAllowedIt() async throws {
        let delegate = RecordingDelegate { $0.response = { _ in .cancel } }
        let session = makeSession(delegate) { $0.protocolClasses = [Canned.self] }
        session.dataTask(with: url("canned://a/hello")).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 429", "completed"])
        #expect(delegate.error?.code == .cancelled)
    }

    @Test func aDownloadIsWrittenToAFile() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.protocolClasses = [Canned.self] }
        session.downloadTask(with: url("canned://a/hello")).resume()
        await delegate.completion()
        #expect(delegate.calls == ["wrote", "file", "completed"])
        #expect(delegate.snapshot.files == [Data("hello".utf8)])
    }

    @Test func aLoadersErrorIsReportedUnchanged() async throws {
        let session = makeSession { $0.protocolClasses = [Canned.self] }
        await #expect(throws: Canned.Failure.self) {
            try await session.data(from: url("canned://a/fail"))
        }
        await #expect(throws: URLError(.badServerResponse, failingURL: url("canned://a/nothing"))) {
            try await session.data(from: url("canned://a/nothing"))
        }
    }

    @Test func whatNoClassCanLoadGoesToTheNetwork() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "wire")] }
        let session = makeSession { $0.protocolClasses = [Canned.self] }
        let (data, _) = try await session.data(from: server.url())
        #expect(String(decoding: data, as: UTF8.self) == "wire")
    }

    @Test func theFirstClassThatCanTakesTheTask() async throws {
        let session = makeSession {
            $0.protocolClasses = [Never.self, Everything.self, Canned.self]
        }
        let (data, _) = try await session.data(from: url("canned://a/hello"))
        #expect(String(decoding: data, as: UTF8.self) == "everything")
    }

    @Test func theBodyOfAnUploadIsInTheRequest() async throws {
        let folder = try ScratchFolder()
        let file = folder.url(of: "body")
        try Data("from a file".utf8).write(to: file)
        let delegate = RecordingDelegate { $0.body = { InputStream(data: Data("streamed".utf8)) } }
        let session = makeSession(delegate) { $0.protocolClasses = [Echo.self] }
        var request = URLRequest(url: url("canned://a/echo"))
        request.httpMethod = "PUT"
        let (data, _) = try await session.upload(for: request, from: Data("data".utf8))
        #expect(String(decoding: data, as: UTF8.self) == "data")
        let (content, _) = try await session.upload(for: request, fromFile: file)
        #expect(String(decoding: content, as: UTF8.self) == "from a file")
        session.uploadTask(withStreamedRequest: request).resume()
        await delegate.completion()
        #expect(String(decoding: delegate.body, as: UTF8.self) == "streamed")
        request.httpBody = Data("own".utf8)
        let (own, _) = try await session.data(for: request)
        #expect(String(decoding: own, as: UTF8.self) == "own")
    }

    @Test func aRedirectAsksTheDelegateAndLeadsToTheClassThatCanLoadIt() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "wire")] }
        let delegate = RecordingDelegate { $0.redirect = { _ in URLRequest(url: server.url()) } }
        let session = makeSession(delegate) { $0.protocolClasses = [Canned.self] }
        let task = session.dataTask(with: url("canned://a/moved"))
        task.resume()
        await delegate.completion()
        #expect(delegate.calls == ["redirect 302", "response 200", "data", "completed"])
        #expect(String(decoding: delegate.body, as: UTF8.self) == "wire")
        #expect(task.currentRequest?.url == server.url())
    }

    /// A class of a program's own forwards to a host that it does not load itself.
    @Test func whatBelongsToTheFirstOriginDoesNotFollowALoadersRedirect() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "wire")] }
        let delegate = RecordingDelegate {
            $0.redirect = { _ in
                var request = URLRequest(url: server.url())
                request.httpMethod = "GET"
                return request
            }
        }
        let session = makeSession(delegate) {
            $0.protocolClasses = [Canned.self]
            $0.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Plain": "p"]
        }
        var request = URLRequest(url: url("canned://a/moved"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        session.dataTask(with: request).resume()
        await delegate.completion()
        #expect(String(decoding: delegate.body, as: UTF8.self) == "wire")
        #expect(server.requests.first?.method == "GET")
        #expect(server.requests.first?["Authorization"] == nil)
        #expect(server.requests.first?["X-Plain"] == "p")
    }

    /// A loader's redirect is most often a copy of its request.
    @Test func whatALoaderCopiesIntoItsRedirectStaysAtTheFirstOriginToo() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "wire")] }
        let session = makeSession {
            $0.protocolClasses = [Forwarding.self]
            $0.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Plain": "p"]
        }
        var request = URLRequest(url: url("forward://a/"))
        request.setValue("\(server.url())", forHTTPHeaderField: "X-Target")
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "wire")
        #expect(server.requests.first?["Authorization"] == nil)
        #expect(server.requests.first?["X-Plain"] == "p")
    }

    @Test func aLoaderSeesTheSessionsFields() async throws {
        let session = makeSession {
            $0.protocolClasses = [Fields.self]
            $0.httpAdditionalHeaders = ["X-Session": "s", "X-Both": "session"]
        }
        var request = URLRequest(url: url("fields://a/"))
        request.setValue("request", forHTTPHeaderField: "X-Both")
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "request s")
    }

    @Test func aRedirectThatTheDelegateDeclinesIsTheAnswer() async throws {
        let delegate = RecordingDelegate { $0.redirect = { _ in nil } }
        let session = makeSession(delegate) { $0.protocolClasses = [Canned.self] }
        session.dataTask(with: url("canned://a/moved")).resume()
        await delegate.completion()
        #expect(delegate.calls == ["redirect 302", "response 302", "completed"])
    }

    @Test func cancellingStopsTheLoaderAndEndsTheTaskOnce() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.protocolClasses = [Patient.self] }
        let task = session.dataTask(with: url("patient://a/"))
        task.resume()
        await Patient.started.wait()
        task.cancel()
        await Patient.stopped.wait()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        session.finishTasksAndInvalidate()
        await delegate.invalidated()
        #expect(delegate.snapshot.completionCount == 1)
    }

    @Test func aDownloadThatIsCancelledClosesAndRemovesItsFile() async throws {
        let mark = UUID().uuidString
        var request = URLRequest(url: url("unfinished://a/"))
        request.setValue(mark, forHTTPHeaderField: "X-Mark")
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.protocolClasses = [Unfinished.self] }
        let task = session.downloadTask(with: request)
        task.resume()
        await delegate.writing()
        // Other tests download at the same time.
        let paths = try openDownloads()
        let path = try #require(
            paths.first { FileManager.default.contents(atPath: $0) == Data(mark.utf8) })
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        try await eventually("the file is closed") {
            try !openDownloads().contains { $0.hasPrefix(path) }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func theProgressFollowsALoader() async throws {
        let session = makeSession { $0.protocolClasses = [Halting.self] }
        let (quarter, done) = (Signal(), Signal())
        let task = session.dataTask(with: url("halting://a/")) { _, _, _ in done.add() }
        let progress = task.progress
        let observation = progress.observe(\.fractionCompleted) { progress, _ in
            if progress.fractionCompleted == 0.25 { quarter.add() }
        }
        task.resume()
        await quarter.wait()
        #expect(progress.totalUnitCount == 8)
        #expect(progress.completedUnitCount == 2)
        Halting.gate.signal()
        await done.wait()
        #expect(progress.isFinished)
        #expect(progress.completedUnitCount == 8)
        observation.invalidate()
    }

    @Test func registeredClassesServeTheSharedSession() async throws {
        #expect(URLProtocol.registerClass(Registered.self))
        #expect(!URLProtocol.registerClass(RecordingDelegate.self))
        let (data, _) = try await URLSession.shared.data(from: url("registered://a/"))
        #expect(String(decoding: data, as: UTF8.self) == "everything")
        // Of other sessions, where nobody else can load the URL.
        let (other, _) = try await makeSession().data(from: url("registered://a/"))
        #expect(other == data)
        await #expect(throws: URLError.self) {
            try await makeSession().data(from: url("unregistered://a/"))
        }
        URLProtocol.unregisterClass(Registered.self)
        await #expect(throws: URLError.self) {
            try await URLSession.shared.data(from: url("registered://a/"))
        }
    }

    @Test func anAnswerIsCachedAsItsLoaderAllowsAndOfferedToTheNext() async throws {
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil)
        let session = makeSession {
            $0.protocolClasses = [Cacheable.self]
            $0.urlCache = cache
        }
        for expected in ["fresh", "kept"] {
            let (data, _) = try await session.data(from: url("http://cacheable.test/a"))
            #expect(String(decoding: data, as: UTF8.self) == expected)
        }
        let request = URLRequest(url: url("http://cacheable.test/a"))
        #expect(cache.cachedResponse(for: request)?.data == Data("fresh".utf8))
    }

    @Test func aRequestCarriesPropertiesThatChangeNothingElse() {
        var request = URLRequest(url: url("http://a.test"))
        let plain = request
        URLProtocol.setProperty(true, forKey: "handled", in: &request)
        #expect(URLProtocol.property(forKey: "handled", in: request) as? Bool == true)
        #expect(URLProtocol.property(forKey: "handled", in: plain) == nil)
        #expect(request == plain)
        URLProtocol.removeProperty(forKey: "handled", in: &request)
        #expect(URLProtocol.property(forKey: "handled", in: request) == nil)
    }

    private func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

    /// The temporary files that downloads of this process have open, each with ` (deleted)` if its name is gone.
    private func openDownloads() throws -> [String] {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
            }
            .filter { $0.contains("CurlNetworkingDownload_") }
    }
}

private class Canned: URLProtocol {
    enum Failure: Error { case asAsked }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "canned"
    }

    override func startLoading() {
        guard let url = request.url else { return }
        switch url.lastPathComponent {
        case "fail":
            client?.urlProtocol(self, didFailWithError: Failure.asAsked)
            client?.urlProtocolDidFinishLoading(self)
        case "nothing":
            client?.urlProtocolDidFinishLoading(self)
        case "moved":
            guard let response = answer(302) else { return }
            client?.urlProtocol(
                self, wasRedirectedTo: URLRequest(url: url), redirectResponse: response)
        default:
            guard let response = answer(429) else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("hel".utf8))
            client?.urlProtocol(self, didLoad: Data("lo".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}

    fileprivate func answer(_ status: Int) -> HTTPURLResponse? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: [:])
        }
    }
}

/// Answers with the body of the request.
private final class Echo: Canned {
    override func startLoading() {
        guard let response = answer(200) else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: request.httpBody ?? readStream())
        client?.urlProtocolDidFinishLoading(self)
    }

    private func readStream() -> Data {
        guard let stream = request.httpBodyStream else { return Data() }
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 1000)
        let count = stream.read(&buffer, maxLength: buffer.count)
        return Data(buffer.prefix(max(0, count)))
    }
}

private class Everything: Canned {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override func startLoading() {
        guard let response = answer(200) else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("everything".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

private final class Registered: Everything {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "registered"
    }
}

private final class Never: Everything {
    override class func canInit(with request: URLRequest) -> Bool { false }
}

/// Never reports anything.
private final class Patient: URLProtocol {
    static let started = Signal()
    static let stopped = Signal()

    override class func canInit(with request: URLRequest) -> Bool { true }
    override func startLoading() { Self.started.add() }
    override func stopLoading() { Self.stopped.add() }
}

/// Reports a field of the request as the body, and no end.
private final class Unfinished: Canned {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "unfinished"
    }

    override func startLoading() {
        guard let response = answer(200), let mark = request.value(forHTTPHeaderField: "X-Mark")
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(mark.utf8))
    }
}

/// Reports a quarter of the body, and the rest when the test allows it.
private final class Halting: URLProtocol {
    static let gate = DispatchSemaphore(value: 0)

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "halting"
    }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(
            url: url, mimeType: nil, expectedContentLength: 8, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("ab".utf8))
        Self.gate.wait()
        client?.urlProtocol(self, didLoad: Data("cdefgh".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

/// Answers from the cache when there is something in it.
private final class Cacheable: Everything {
    override func startLoading() {
        if let cachedResponse {
            let kept = CachedURLResponse(
                response: cachedResponse.response, data: Data("kept".utf8))
            client?.urlProtocol(self, cachedResponseIsValid: kept)
        } else if let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=600"])
        {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
            client?.urlProtocol(self, didLoad: Data("fresh".utf8))
        }
        client?.urlProtocolDidFinishLoading(self)
    }
}

/// Redirects a copy of its request.
private final class Forwarding: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "forward"
    }

    override func startLoading() {
        guard let url = request.url,
            let target = request.value(forHTTPHeaderField: "X-Target").flatMap(URL.init(string:)),
            let response = HTTPURLResponse(
                url: url, statusCode: 302, httpVersion: nil, headerFields: nil)
        else { return }
        var next = request
        next.url = target
        client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
    }

    override func stopLoading() {}
}

/// Answers with two fields of the request.
private final class Fields: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "X-Session") != nil
    }

    override func startLoading() {
        guard let url = request.url else { return }
        let fields = ["X-Both", "X-Session"].compactMap {
            request.value(forHTTPHeaderField: $0)
        }
        client?.urlProtocol(
            self,
            didReceive: URLResponse(
                url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
            cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(fields.joined(separator: " ").utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
