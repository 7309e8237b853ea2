import CurlNetworking
import Dispatch
import FoundationEssentials
import Synchronization

/// Sends requests over one session and gives each answer back whole, or as it arrives.
///
/// What it adds to the session's own async calls: a limit on what is taken into memory,
/// bodies handed on piece by piece, upload progress, and redirects not followed: an API
/// does not move, and its token must not wander.
final class HTTPLoader: Sendable {
    private let session: URLSession
    private let router: TaskRouter

    /// What to say to a server that asks who is there, after a request.
    typealias ChallengeAnswer =
        @Sendable (URLAuthenticationChallenge, URLRequest?) -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    /// - Parameters:
    ///   - queue: Where progress and pieces of bodies are delivered; nil for a queue of its own.
    ///   - challengeAnswer: Called on that queue; unless given, the server's refusal is the answer.
    init(
        configuration: URLSessionConfiguration, queue: DispatchQueue? = nil,
        challengeAnswer: @escaping ChallengeAnswer = { _, _ in (.performDefaultHandling, nil) }
    ) {
        router = TaskRouter(challengeAnswer)
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// See ``RemoteStore/clockLead``.
    var clockLead: TimeInterval? { router.clockLead }

    /// A session's configuration for a store: it keeps nothing, and gives no answer of yesterday. A
    /// store asks for what is there now, and has no use for cookies.
    static func makeConfiguration(timeout: Duration) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        return configuration
    }

    /// What came back, whatever its status.
    struct Answer: Sendable {
        var response: HTTPURLResponse
        /// Empty when a sink has taken it.
        var body: Data

        var status: Int { response.statusCode }
        var isSuccess: Bool { (200..<300).contains(status) }
    }

    enum Failure: Error, Sendable {
        case transport(URLError)
        /// The answer's body is larger than the limit.
        case tooLarge
        /// The sink would not go on.
        case refusedBySink(StoreError)
    }

    enum Body: Sendable {
        case none
        case data(Data)
        case file(URL)
    }

    /// Who follows one request while it is under way. Called on the loader's queue.
    struct Observers: Sendable {
        /// With the bytes of the body sent so far.
        var didSend: @Sendable (Int64) -> Void = { _ in }

        /// Takes the body of a successful answer; nil to have it in memory.
        var sink: (any BodySink)?

        /// Given the task once, before it starts, so that it can be suspended and resumed.
        var control: @Sendable (URLSessionTask) -> Void = { _ in }

        /// Told before the answer when a kept-alive connection was lost over the request, which was then
        /// sent again on another: the server may have done it twice.
        var wasSentAgain: @Sendable () -> Void = {}
    }

    /// Sends a request and waits for its answer. Cancelling the task cancels the request at once.
    ///
    /// - Parameter limit: The most bytes of the answer's body to take into memory. Of an
    ///   answer that is no success the beginning is enough; otherwise more is an error.
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
        let result: Result<Answer, Failure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                router.follow(
                    task, with: Exchange(observers, limit: limit, continuation: continuation))
                start.start()
            }
        } onCancel: {
            start.cancel()
        }
        return try result.get()
    }
}

/// Keeps a task from being cancelled before somebody waits for its end, who would wait for ever.
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

/// Takes the body of a successful answer as it arrives, in order, on the loader's queue.
protocol BodySink: AnyObject, Sendable {
    /// - Throws: To give up; nothing more is delivered.
    func begin(_ response: HTTPURLResponse) throws(StoreError)
    func take(_ data: Data) throws(StoreError)
}
