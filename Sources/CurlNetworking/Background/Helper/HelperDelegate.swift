import FoundationEssentials

/// The delegate of the helper's own sessions, on the helper's queue.
final class HelperDelegate: URLSessionDataDelegate, HeldPartDelegate {
    private let helper: BackgroundHelper

    init(_ helper: BackgroundHelper) {
        self.helper = helper
    }

    private func tell(
        _ task: URLSessionTask,
        _ event: @Sendable (isolated BackgroundHelper, HelperTransfer) -> Void
    ) {
        helper.assumeIsolated { helper in
            // Events of a cancelled attempt are ignored.
            guard let transfer = helper.carried[ObjectIdentifier(task)] else { return }
            event(helper, transfer)
            helper.armTimer()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        tell(task) { $0.redirected($1, to: request) }
        completionHandler(request)
    }

    /// Asks the program if it is connected. If not, or when it disconnects without an answer, the default
    /// handling applies: the storage's credential, and the system's evaluation of the server.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let result: BackgroundHelper.QuestionResult = helper.assumeIsolated { helper in
            guard let transfer = helper.carried[ObjectIdentifier(task)] else {
                return .notConnected
            }
            return helper.ask(challenge, for: transfer, completionHandler)
        }
        if result == .notConnected { completionHandler(.performDefaultHandling, nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        tell(task) { $1.history.add(metrics) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        tell(task) { $0.informed($1, response) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        tell(task) {
            $0.sent($1, bytesSent, of: totalBytesSent, expected: totalBytesExpectedToSend)
        }
    }

    func heldPartReached(by task: URLSessionTask) {
        tell(task) { $0.heldPartReached(by: $1) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        tell(dataTask) { helper, transfer in
            if let response = response as? HTTPURLResponse { helper.answered(transfer, response) }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tell(dataTask) { $0.received($1, data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let error = error.map { $0 as? URLError ?? URLError(.unknown, underlyingText: "\($0)") }
        tell(task) { $0.attemptEnded($1, error) }
    }
}
