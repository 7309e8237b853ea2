import CurlNetworking
import Dispatch
import FoundationEssentials
import Synchronization

/// Sends requests over one session and returns each response in memory or as it arrives.
///
/// Adds to the session's own async calls: a limit on bodies held in memory, bodies
/// delivered in chunks, and upload progress. Redirects are not followed: an API does not
/// move, and its token must not be sent elsewhere.
final class HTTPLoader: Sendable {
    let session: URLSession
    private let router: TaskRouter
    private let timeout: Duration
    private let silenceInterval: Duration

    /// The response to an authentication challenge for a request.
    typealias ChallengeAnswer =
        @Sendable (URLAuthenticationChallenge, URLRequest?) -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    /// - Parameters:
    ///   - queue: Where progress and body chunks are delivered; nil for a queue of its own.
    ///   - silenceInterval: How often to tell the observer of a ``RetryNotice`` that a server is silent.
    ///   - challengeAnswer: Called on that queue; if nil, the server's rejection is the response.
    init(
        configuration: URLSessionConfiguration, queue: DispatchQueue? = nil,
        silenceInterval: Duration = .seconds(5),
        challengeAnswer: @escaping ChallengeAnswer = { _, _ in (.performDefaultHandling, nil) }
    ) {
        router = TaskRouter(challengeAnswer)
        timeout = .seconds(configuration.timeoutIntervalForRequest)
        self.silenceInterval = silenceInterval
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// See ``RemoteStore/clockLead``.
    var clockLead: TimeInterval? { router.clockLead }

    /// A session configuration without storage or cache: a store needs current responses, and no
    /// cookies.
    ///
    /// - Parameter avoidsMeteredNetworks: Requests fail as offline where the network is paid by volume.
    static func makeConfiguration(
        timeout: Duration, avoidsMeteredNetworks: Bool = false
    ) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        configuration.allowsExpensiveNetworkAccess = !avoidsMeteredNetworks
        return configuration
    }

    /// The response, with any status.
    struct Answer: Sendable {
        var response: HTTPURLResponse
        /// Empty if a sink received it.
        var body: Data

        var status: Int { response.statusCode }
        var isSuccess: Bool { (200..<300).contains(status) }
    }

    enum Failure: Error, Sendable {
        case transport(URLError)
        /// The response body is larger than the limit.
        case tooLarge
        /// The body is compressed although it was to come as it is.
        case compressed
        /// The sink threw.
        case refusedBySink(StoreError)
    }

    enum Body: Sendable {
        case none
        case data(Data)
        case file(URL)
    }

    /// Callbacks of one request. Called on the loader's queue.
    struct Observers: Sendable {
        /// Receives the number of body bytes sent so far.
        var didSend: @Sendable (Int64) -> Void = { _ in }

        /// Receives the body of a successful response; nil to load it into memory.
        var sink: (any BodySink)?

        /// Receives the task once, before it starts, so that it can be suspended and
        /// resumed.
        var control: @Sendable (URLSessionTask) -> Void = { _ in }

        /// Called before the response if a kept-alive connection was lost and the request was sent
        /// again on another: the server may have performed it twice.
        var wasSentAgain: @Sendable () -> Void = {}

        /// Whether the body of a successful response is of use; else nothing of it is delivered, and the request
        /// fails as ``Failure/compressed``.
        var accepts: @Sendable (HTTPURLResponse) -> Bool = { _ in true }
    }

    /// Sends a request and waits for its response. Cancelling the task cancels the request at
    /// once.
    ///
    /// - Parameter limit: The most bytes of the response body to load into memory. An
    ///   unsuccessful response is truncated; otherwise more is an error.
    @concurrent func load(
        _ request: URLRequest, body: Body = .none, limit: Int, observers: Observers = Observers()
    ) async throws(Failure) -> Answer {
        let task: URLSessionTask =
            switch body {
            case .none: session.dataTask(with: request)
            case .data(let data): session.uploadTask(with: request, from: data)
            case .file(let file): session.uploadTask(with: request, fromFile: file)
            }
        observers.control(task)
        let start = CancellableStart(task)
        let watch = SilenceWatch(task, limit: timeout, every: silenceInterval)
        defer { watch?.end() }
        let result: Result<Answer, Failure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                router.follow(
                    task, with: Exchange(observers, limit: limit, continuation: continuation))
                start.start()
            }
        } onCancel: {
            start.cancel()
        }
        if case .failure(.transport(let error)) = result, error.code == .cancelled,
            !Task.isCancelled, watch?.hasGivenUp == true
        {
            throw .transport(URLError(.timedOut))
        }
        return try result.get()
    }
}

/// Delays a cancellation until someone awaits the result, who would otherwise wait forever.
private final class CancellableStart: Sendable {
    private enum State {
        case waiting, started, cancelled
    }

    private let task: URLSessionTask
    private let state = Mutex(State.waiting)

    init(_ task: URLSessionTask) {
        self.task = task
    }

    func start() {
        let isCancelled = state.withLock { state in
            defer { state = .started }
            return state == .cancelled
        }
        if isCancelled { task.cancel() } else { task.resume() }
    }

    func cancel() {
        let isStarted = state.withLock { state in
            if state == .waiting { state = .cancelled }
            return state == .started
        }
        if isStarted { task.cancel() }
    }
}

/// Receives the body of a successful response as it arrives, in order, on the loader's
/// queue.
protocol BodySink: AnyObject, Sendable {
    /// - Throws: To stop; nothing more is delivered.
    func begin(_ response: HTTPURLResponse) throws(StoreError)
    func take(_ data: Data) throws(StoreError)
}
