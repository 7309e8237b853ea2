import CurlNetworking
import Foundation

// Lines as they stand in programs: that they compile is what is tested, and `DropInTests` runs most of them.

/// 16–21: what a session and its configuration are made with.
func makeSessions(_ delegate: any URLSessionDelegate) -> [URLSession] {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = "callbacks"
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 15
    configuration.httpAdditionalHeaders = ["User-Agent": "demo/1.0", "X-Number": 7]
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    let copied = configuration.copy() as! URLSessionConfiguration
    return [
        URLSession(configuration: configuration),
        URLSession(configuration: copied, delegate: delegate, delegateQueue: queue),
        URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: .main),
        URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: OperationQueue.main),
        URLSession(configuration: .default, delegate: delegate, delegateQueue: OperationQueue()),
        URLSession(configuration: .default, delegate: nil, delegateQueue: nil),
    ]
}

/// 22: the queue of a session is one.
func name(of session: URLSession) -> String? {
    session.delegateQueue.name
}

/// 23–25: requests that are objects.
func makeRequest(_ url: URL) -> URLRequest {
    let request = NSMutableURLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.addValue("gzip", forHTTPHeaderField: "Accept-Encoding")
    request.httpBody = try? JSONSerialization.data(withJSONObject: ["a": 1])
    request.timeoutInterval = 5
    request.cachePolicy = NSURLRequest.CachePolicy.reloadIgnoringLocalCacheData
    return request as URLRequest
}

/// 26: a body that is Foundation's stream.
func stream(_ data: Data, to url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    request.httpBodyStream = Foundation.InputStream(data: data)
    return request
}

/// 27: a delegate gives one.
final class StreamDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(InputStream(data: Data("again".utf8)))
    }
}

/// 28–31: the progress of tasks, in that of the program.
func follow(_ tasks: [URLSessionTask], _ tell: @escaping @Sendable (Double) -> Void)
    -> (Foundation.Progress, NSKeyValueObservation)
{
    let all = Progress(totalUnitCount: Int64(tasks.count))
    for task in tasks {
        all.addChild(task.progress, withPendingUnitCount: 1)
    }
    let reporting: [any ProgressReporting] = tasks
    _ = reporting.map(\.progress.isCancelled)
    let observation = all.observe(\.fractionCompleted, options: [.new]) { progress, _ in
        tell(progress.fractionCompleted)
    }
    return (all, observation)
}

/// 32: a cookie's ports.
func ports(of cookie: HTTPCookie) -> [NSNumber] {
    cookie.portList ?? []
}

/// 33: who hears of new cookies.
func hearOfCookies(_ heard: @escaping @Sendable () -> Void) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(
        forName: .NSHTTPCookieManagerCookiesChanged, object: nil, queue: nil
    ) { _ in heard() }
}

/// 34: tasks are keys, and members of sets.
func group(_ tasks: [URLSessionTask]) -> [URLSessionTask: Int] {
    var lengths: [URLSessionTask: Int] = [:]
    for task in Set(tasks) { lengths[task] = task.taskIdentifier }
    return lengths
}

/// 35: all of them are objects.
func objects(_ session: URLSession) -> [NSObject] {
    [
        session, session.configuration, URLCache.shared, HTTPCookieStorage.shared,
        URLCredentialStorage.shared,
    ]
}

/// 36: an error of the program's own.
func refuse(_ response: URLResponse) throws {
    guard let http = response as? HTTPURLResponse, (200..<300).contains(http.statusCode) else {
        throw URLError(
            .badServerResponse, userInfo: [NSURLErrorFailingURLErrorKey: response.url as Any])
    }
}

/// 37–38: the oldest form, waited for.
func loadNow(_ url: URL, by session: URLSession) -> Result<Data, any Error> {
    let semaphore = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<Data, any Error> = .failure(URLError(.unknown))
    let task = session.dataTask(with: url) { data, response, error in
        if let error { result = .failure(error) } else if let data { result = .success(data) }
        semaphore.signal()
    }
    task.priority = URLSessionTask.highPriority
    task.taskDescription = "now"
    task.resume()
    semaphore.wait()
    return result
}

/// 39: cancelling what there is.
func cancelAll(in session: URLSession) {
    session.getAllTasks { tasks in tasks.forEach { $0.cancel() } }
    session.getTasksWithCompletionHandler { data, uploads, downloads in
        data.forEach { $0.cancel() }
    }
}

/// 40: a download that is kept.
func keep(
    _ url: URL, at place: URL, by session: URLSession, then: @escaping @Sendable (Bool) -> Void
) {
    session.downloadTask(with: url) { location, _, error in
        guard let location else { return then(false) }
        then((try? FileManager.default.moveItem(at: location, to: place)) != nil)
    }.resume()
}

/// 41: lines of text.
func lines(at url: URL) async throws -> [String] {
    var lines: [String] = []
    for try await line in url.lines { lines.append(line) }
    return lines
}

/// 42: a log-in.
func answer(_ challenge: URLAuthenticationChallenge) -> (
    URLSession.AuthChallengeDisposition, URLCredential?
) {
    guard challenge.previousFailureCount == 0,
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
    else { return (.performDefaultHandling, nil) }
    return (.useCredential, URLCredential(user: "user", password: "word", persistence: .forSession))
}

/// 43: a query.
func search(_ text: String) -> URLRequest? {
    var parts = URLComponents(string: "https://mock.test/search")
    parts?.queryItems = [URLQueryItem(name: "q", value: text)]
    return (parts?.url).map {
        URLRequest(url: $0, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 10)
    }
}

/// 44: a WebSocket.
func listen(to url: URL, by session: URLSession) -> URLSessionWebSocketTask {
    let task = session.webSocketTask(with: url)
    task.receive { result in
        if case .success(.string(let text)) = result { print(text) }
    }
    task.resume()
    return task
}
