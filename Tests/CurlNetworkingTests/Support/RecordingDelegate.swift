import CurlNetworking
import Dispatch
import Foundation
import Synchronization

/// Writes down every call, in words, and lets a test answer or look on.
final class RecordingDelegate: URLSessionDataDelegate, URLSessionDownloadDelegate {
    struct Hooks: Sendable {
        var response: @Sendable (URLSessionDataTask) -> URLSession.ResponseDisposition = { _ in
            .allow
        }
        var redirect: @Sendable (URLRequest) -> URLRequest? = { $0 }
        var data: @Sendable (URLSessionTask, Data) -> Void = { _, _ in }
        var sent: @Sendable (URLSessionTask, Int64) -> Void = { _, _ in }
        var wrote: @Sendable (URLSessionTask, Int64) -> Void = { _, _ in }
        var file: @Sendable (URL) -> Void = { _ in }
        var interim: @Sendable (HTTPURLResponse) -> Void = { _ in }
        var delayed: @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?) =
            {
                _ in (.continueLoading, nil)
            }
        var body: @Sendable () -> InputStream? = { nil }
    }

    struct Record: Sendable {
        /// One word per kind of call; calls of the same kind in a row are written once.
        var calls: [String] = []
        var body = Data()
        var progress: [[Int64]] = []
        var files: [Data?] = []
        var resumed: [(offset: Int64, expected: Int64)] = []
        var successors: [URLSessionDownloadTask] = []
        var error: URLError?
        var completionCount = 0
        var stateAtCompletion: URLSessionTask.State?
        /// These calls are not among `calls`.
        var created: [Int] = []
        var interim: [HTTPURLResponse] = []
        var metrics: [URLSessionTaskMetrics] = []
        /// Every call in order, these included.
        var allCalls: [String] = []
    }

    private let record = Mutex(Record())
    private let hooks: Hooks
    private let queue: DispatchQueue?
    private let completions = Signal()
    private let invalidation = Signal()
    private let writes = Signal()
    private let events = Signal()
    /// Counts all that is written down.
    private let news = Signal()

    init(on queue: DispatchQueue? = nil, _ change: (inout Hooks) -> Void = { _ in }) {
        var hooks = Hooks()
        change(&hooks)
        self.hooks = hooks
        self.queue = queue
    }

    var snapshot: Record { record.withLock { $0 } }
    var calls: [String] { snapshot.calls }
    var body: Data { snapshot.body }
    var error: URLError? { snapshot.error }

    /// Waits until so many tasks have completed.
    func completion(of count: Int = 1) async { await completions.wait(for: count) }
    /// Waits for the first piece of a download.
    func writing() async { await writes.wait() }
    func invalidated() async { await invalidation.wait(for: 1) }
    /// Waits until a background session has told what was waiting for it.
    func eventsFinished(_ count: Int = 1) async { await events.wait(for: count) }

    /// Waits until what was written down is as wanted.
    func record(until isReached: (Record) -> Bool) async {
        while true {
            // Counted before the look: what comes in between ends the wait at once.
            let count = news.count
            if record.withLock({ isReached($0) }) { return }
            await news.wait(for: count + 1)
        }
    }

    private func note(_ call: String, _ change: (inout Record) -> Void = { _ in }) {
        if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
        record.withLock { record in
            if record.calls.last != call { record.calls.append(call) }
            if record.allCalls.last != call { record.allCalls.append(call) }
            change(&record)
        }
        news.add()
    }

    private func noteAside(_ call: String, _ change: (inout Record) -> Void) {
        if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
        record.withLock { record in
            record.allCalls.append(call)
            change(&record)
        }
        news.add()
    }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        // Not on the queue.
        record.withLock { record in
            record.allCalls.append("created")
            record.created.append(task.taskIdentifier)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        noteAside("interim \(response.statusCode)") { $0.interim.append(response) }
        hooks.interim(response)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        noteAside("metrics") { $0.metrics.append(metrics) }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note("invalid")
        invalidation.add()
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        note("events")
        events.add()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect \(response.statusCode)")
        completionHandler(hooks.redirect(request))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note("bodyStream")
        completionHandler(hooks.body())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        note("sent") { $0.progress.append([bytesSent, totalBytesSent, totalBytesExpectedToSend]) }
        hooks.sent(task, totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(hooks.response(dataTask))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data") { $0.body.append(data) }
        hooks.data(dataTask, data)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note("wrote") {
            $0.progress.append([bytesWritten, totalBytesWritten, totalBytesExpectedToWrite])
        }
        hooks.wrote(downloadTask, totalBytesWritten)
        writes.add()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        note("resumed") { $0.resumed.append((fileOffset, expectedTotalBytes)) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        note("becomes") { $0.successors.append(downloadTask) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void
    ) {
        note("delayed")
        let (disposition, next) = hooks.delayed(request)
        completionHandler(disposition, next)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let data = try? Data(contentsOf: location)
        note("file") { $0.files.append(data) }
        hooks.file(location)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let state = task.state
        note("completed") { record in
            record.error = error as? URLError
            record.completionCount += 1
            record.stateAtCompletion = state
        }
        completions.add()
    }
}

/// Counts, and lets a test wait for a count.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func add() {
        let met = state.withLock { state in
            state.count += 1
            let count = state.count
            let met = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return met.map(\.continuation)
        }
        for continuation in met { continuation.resume() }
    }

    var count: Int { state.withLock { $0.count } }

    func wait(for count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}

/// Waits until everything that was submitted to a queue before has run.
func drain(_ queue: DispatchQueue) async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
}

/// Bytes that differ from place to place, so that a gap or a repetition shows.
func makeBytes(_ count: Int) -> Data {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    var block = Data()
    for _ in 0..<512 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        withUnsafeBytes(of: state) { block.append(contentsOf: $0) }
    }
    var data = Data(capacity: count + block.count)
    while data.count < count {
        withUnsafeBytes(of: data.count) { data.append(contentsOf: $0) }
        data.append(block)
    }
    return data.prefix(count)
}

func makeSession(
    _ delegate: RecordingDelegate? = nil, on queue: DispatchQueue? = nil,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
}
