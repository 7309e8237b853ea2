public import CurlNetworking
import FoundationEssentials

/// Loads a URL completely, up to a limit, and reports progress.
@MainActor
public final class WebFetch {
    /// The answer to a challenge: call it once.
    public typealias Answer =
        @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// The bytes loaded, and the total if known.
    public var didProgress: (@MainActor (Int64, Int64?) -> Void)?
    /// A user name and a password are required.
    public var didReceiveChallenge:
        (@MainActor (URLAuthenticationChallenge, @escaping Answer) -> Void)?

    /// Whether the user has typed the address without a scheme, for the sentence of a failure.
    public var isSchemeAssumed = false

    /// Whether a redirect may be followed; nil for any.
    var mayLoad: (@Sendable (URL) -> Bool)?

    private let task: URLSessionDataTask
    /// Whether the address has a user name.
    private let hasCredentials: Bool
    private let pageLimit: Int
    private let pictureLimit: Int
    private var response: URLResponse?
    private var body: [UInt8] = []
    private var isCut = false
    private var continuation: CheckedContinuation<WebResource, any Error>?

    /// - Parameters:
    ///   - limit: The maximum number of body bytes.
    ///   - pictureLimit: The same for pictures, if it differs.
    public init(
        _ request: URLRequest, in session: URLSession, limit: Int = 4 << 20,
        pictureLimit: Int? = nil
    ) {
        task = session.dataTask(with: request)
        hasCredentials = request.url?.user()?.isEmpty == false
        pageLimit = limit
        self.pictureLimit = pictureLimit ?? limit
    }

    /// Cancels; a running load throws `URLError.cancelled`.
    public func cancel() { task.cancel() }

    private var limit: Int {
        response?.mimeType?.hasPrefix("image/") == true ? pictureLimit : pageLimit
    }

    /// Loads the URL. Cancelling the surrounding task cancels the transfer.
    ///
    /// - Throws: `URLError`. Any complete response is a resource, whatever its status.
    public func run() async throws -> WebResource {
        task.delegate = TransferDelegate { [weak self] in self?.process($0) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.continuation = continuation
                task.resume()
            }
        } onCancel: { [task] in
            task.cancel()
        }
    }

    /// The same, but treats error pages as errors.
    ///
    /// - Throws: `WebFetchError`, also for a status of 400 and above.
    public func success(retry: WebRetry) async throws(WebFetchError) -> WebResource {
        let resource: WebResource
        do {
            resource = try await run()
        } catch {
            let sentence = request.map {
                WebFailure.sentence(
                    for: error, url: $0, retry: retry, isSchemeAssumed: isSchemeAssumed)
            }
            throw WebFetchError(sentence: sentence ?? "\(error)")
        }
        if let sentence = WebFailure.sentence(
            forStatus: resource.statusCode, url: resource.url,
            hadCredentials: hasCredentials && request?.host() == resource.url.host())
        {
            throw WebFetchError(sentence: sentence, statusCode: resource.statusCode)
        }
        return resource
    }

    private var request: URL? { task.originalRequest?.url }

    private func process(_ event: TransferDelegate.Event) {
        switch event {
        case .response(let response):
            // After a challenge, a new response begins.
            self.response = response
            body = []
            progress()
        case .data(let data):
            guard !isCut else { return }
            body += data.prefix(limit - body.count)
            if body.count >= limit, data.count > 0 {
                isCut = true
                task.cancel()
            }
            progress()
        case .challenge(let challenge, let answer):
            guard let didReceiveChallenge else { return answer(.performDefaultHandling, nil) }
            didReceiveChallenge(challenge, answer)
        case .redirect(let request, let answer):
            let isAllowed = request.url.flatMap { url in mayLoad.map { $0(url) } } ?? true
            answer(isAllowed ? request : nil)
        case .completed(let error):
            finish(error)
        }
    }

    private func progress() {
        let expected = response.map(\.expectedContentLength) ?? -1
        didProgress?(Int64(body.count), expected >= 0 ? expected : nil)
    }

    private func finish(_ error: (any Error)?) {
        defer { continuation = nil }
        guard let response, let url = response.url ?? task.originalRequest?.url,
            error == nil || isCut
        else {
            continuation?.resume(throwing: error ?? URLError(.badServerResponse))
            return
        }
        continuation?.resume(
            returning: WebResource(
                url: url, statusCode: (response as? HTTPURLResponse)?.statusCode ?? 200,
                mimeType: response.mimeType ?? WebResource.type(of: body),
                charset: response.textEncodingName, body: body, isCut: isCut))
    }
}

/// Why loading has failed, as a sentence.
public struct WebFetchError: Error {
    public let sentence: String
    /// The server's status of 400 and above; nil if there was no complete response.
    public var statusCode: Int?
}

/// Forwards the events of a task. Its session's delegate queue is the main queue.
private final class TransferDelegate: URLSessionDataDelegate {
    enum Event: Sendable {
        case response(URLResponse)
        case data(Data)
        case challenge(URLAuthenticationChallenge, WebFetch.Answer)
        case redirect(URLRequest, @Sendable (URLRequest?) -> Void)
        case completed((any Error)?)
    }

    private let process: @MainActor (Event) -> Void

    init(_ process: @escaping @MainActor (Event) -> Void) { self.process = process }

    private func pass(_ event: Event) {
        MainActor.assumeIsolated { process(event) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        pass(.response(response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        pass(.data(data))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        pass(.challenge(challenge, completionHandler))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        pass(.redirect(request, completionHandler))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        pass(.completed(error))
    }
}
