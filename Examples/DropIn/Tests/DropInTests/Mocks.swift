import CurlNetworking
import Foundation

// What tests of real programs put in the place of the network.

/// 6: a `URLProtocol` that answers.
final class MockURLProtocol: URLProtocol, @unchecked Sendable {
    nonisolated(unsafe) static var handler: ((URLRequest) throws -> (HTTPURLResponse, Data))?

    override class func canInit(with request: URLRequest) -> Bool {
        // 7: a note in the request keeps it from being loaded twice.
        URLProtocol.property(forKey: "handled", in: request) == nil
            && request.url?.host == "mock.test"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        // 8: a copy that can be changed, through the class and back.
        guard let mutable = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else {
            return
        }
        // 9
        URLProtocol.setProperty(true, forKey: "handled", in: mutable)
        mutable.setValue("1", forHTTPHeaderField: "X-Mocked")
        let marked = mutable as URLRequest
        do {
            let (response, data) = try MockURLProtocol.answer(to: marked)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {}

    private static func answer(to request: URLRequest) throws -> (HTTPURLResponse, Data) {
        if let handler { return try handler(request) }
        let text = [
            request.httpMethod ?? "", request.url?.path ?? "",
            request.value(forHTTPHeaderField: "X-Mocked") ?? "",
        ].joined(separator: " ")
        // 10
        let response = HTTPURLResponse(
            url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "text/plain"])!
        return (response, Data(text.utf8))
    }

    /// 11: a session that asks it.
    static func makeSession(
        delegate: (any URLSessionDelegate)? = nil, delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }
}

/// 12: a task that does what it is told.
final class MockDataTask: URLSessionDataTask, @unchecked Sendable {
    private let closure: @Sendable () -> Void
    private(set) var wasCancelled = false

    init(closure: @escaping @Sendable () -> Void) {
        self.closure = closure
        super.init()
    }

    override func resume() { closure() }
    override func cancel() { wasCancelled = true }
    override var state: URLSessionTask.State { wasCancelled ? .canceling : .running }
}

/// 13: a session that makes such tasks.
final class MockSession: URLSession, @unchecked Sendable {
    let answer: Data
    private(set) var lastURL: URL?

    init(answer: Data) {
        self.answer = answer
        super.init(configuration: .ephemeral)
    }

    override func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        lastURL = request.url
        let response = request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: nil)
        }
        return MockDataTask { [answer] in completionHandler(answer, response, nil) }
    }
}

/// 14: a protocol of the program's own that a session conforms to.
protocol Loading {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
}
extension URLSession: Loading {}

/// 15: a delegate is an `NSObject`, as on Apple's systems.
final class Delegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    private let lock = NSLock()
    private var seen: [String] = []
    private var running = 0
    private var mostAtOnce = 0
    /// The queue of each call.
    private var queues: [OperationQueue?] = []
    let done = DispatchSemaphore(value: 0)

    var calls: [String] { lock.withLock { seen } }
    var mostCallsAtOnce: Int { lock.withLock { mostAtOnce } }
    var queuesOfCalls: [OperationQueue?] { lock.withLock { queues } }

    private func note(_ call: String) {
        lock.withLock {
            seen.append(call)
            running += 1
            mostAtOnce = max(mostAtOnce, running)
            queues.append(OperationQueue.current)
        }
        sched_yield()
        lock.withLock { running -= 1 }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note("wrote \(totalBytesWritten)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note("file")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        note("complete")
        done.signal()
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note("invalid")
        done.signal()
    }
}
