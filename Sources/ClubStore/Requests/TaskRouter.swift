import CurlNetworking
import FoundationEssentials
import Synchronization

/// One request and its incomplete response.
struct Exchange: Sendable {
    let observers: HTTPLoader.Observers
    let limit: Int
    let continuation: CheckedContinuation<Result<HTTPLoader.Answer, HTTPLoader.Failure>, Never>
    var response: HTTPURLResponse?
    var body = Data()
    var failure: HTTPLoader.Failure?

    init(
        _ observers: HTTPLoader.Observers, limit: Int,
        continuation: CheckedContinuation<Result<HTTPLoader.Answer, HTTPLoader.Failure>, Never>
    ) {
        self.observers = observers
        self.limit = limit
        self.continuation = continuation
    }

    var isSuccess: Bool { response.map { (200..<300).contains($0.statusCode) } ?? false }
}

/// The session's delegate; forwards each callback to the exchange it concerns.
///
/// All callbacks come on one queue; the lock is for exchanges started elsewhere.
final class TaskRouter: URLSessionDataDelegate {
    private let exchanges = Mutex<[Int: Exchange]>([:])
    private let lead = Mutex<TimeInterval?>(nil)
    private let challengeAnswer: HTTPLoader.ChallengeAnswer

    init(_ challengeAnswer: @escaping HTTPLoader.ChallengeAnswer) {
        self.challengeAnswer = challengeAnswer
    }

    var clockLead: TimeInterval? { lead.withLock { $0 } }

    func follow(_ task: URLSessionTask, with exchange: Exchange) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let (disposition, credential) = challengeAnswer(challenge, task.originalRequest)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.observers.didSend(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse, var exchange = exchange(of: dataTask)
        else { return completionHandler(.cancel) }
        exchange.response = response
        if let date = response.date { lead.withLock { $0 = Date().timeIntervalSince(date) } }
        if exchange.isSuccess, !exchange.observers.accepts(response) {
            exchange.failure = .compressed
        } else if exchange.isSuccess {
            do throws(StoreError) {
                if let sink = exchange.observers.sink {
                    try sink.begin(response)
                } else if response.expectedContentLength > exchange.limit {
                    exchange.failure = .tooLarge
                }
            } catch {
                exchange.failure = .refusedBySink(error)
            }
        }
        update(dataTask, to: exchange)
        completionHandler(exchange.failure == nil ? .allow : .cancel)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        if let exchange = exchange(of: dataTask), exchange.isSuccess,
            let sink = exchange.observers.sink
        {
            guard exchange.failure == nil else { return }
            do throws(StoreError) {
                try sink.take(data)
            } catch {
                fail(dataTask, with: .refusedBySink(error))
            }
            return
        }
        let isTooLarge = exchanges.withLock { exchanges -> Bool in
            guard let limit = exchanges[dataTask.taskIdentifier]?.limit,
                let count = exchanges[dataTask.taskIdentifier]?.body.count,
                let isSuccess = exchanges[dataTask.taskIdentifier]?.isSuccess
            else { return false }
            exchanges[dataTask.taskIdentifier]?.body.append(data.prefix(max(0, limit - count)))
            return isSuccess && count + data.count > limit
        }
        if isTooLarge { fail(dataTask, with: .tooLarge) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let isLost = { (transaction: URLSessionTaskTransactionMetrics) in
            transaction.response == nil && transaction.requestStartDate != nil
        }
        if metrics.transactionMetrics.dropLast().contains(where: isLost) {
            exchange(of: task)?.observers.wasSentAgain()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) })
        else { return }
        exchange.continuation.resume(returning: result(of: exchange, error: error))
    }
}

extension TaskRouter {
    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    private func update(_ task: URLSessionTask, to exchange: Exchange) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func fail(_ task: URLSessionTask, with failure: HTTPLoader.Failure) {
        exchanges.withLock { exchanges in
            if exchanges[task.taskIdentifier]?.failure == nil {
                exchanges[task.taskIdentifier]?.failure = failure
            }
        }
        task.cancel()
    }

    private func result(
        of exchange: Exchange, error: (any Error)?
    ) -> Result<HTTPLoader.Answer, HTTPLoader.Failure> {
        if let failure = exchange.failure { return .failure(failure) }
        if let error {
            return .failure(.transport(error as? URLError ?? URLError(.unknown)))
        }
        guard let response = exchange.response else {
            return .failure(.transport(URLError(.badServerResponse)))
        }
        return .success(HTTPLoader.Answer(response: response, body: exchange.body))
    }
}
