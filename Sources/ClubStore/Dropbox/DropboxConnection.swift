import CurlNetworking
import DropboxAPI
import FoundationEssentials

/// Sends calls with the current token, renews the token once where that helps, and
/// retries according to the retry policy.
struct DropboxConnection: Sendable {
    let hosts: DropboxStore.Hosts
    let access: any AccessProvider
    let clock: WaitingClock

    /// Responses with two thousand entries are about a megabyte.
    static let answerLimit = 32 << 20

    /// Sends one request.
    typealias Perform =
        @Sendable (URLRequest) async throws(HTTPLoader.Failure) -> HTTPLoader.Answer

    /// Sends the call until it succeeds or the retry policy gives up.
    ///
    /// - Parameters:
    ///   - makeCall: Called before each attempt: a download resumes from its current offset.
    func send(
        during operation: StoreError.Operation, at path: RemotePath?, policy: RetryPolicy,
        makeCall: @Sendable () throws(StoreError) -> DropboxCall, perform: Perform
    ) async throws(StoreError) -> HTTPLoader.Answer {
        var spent = RetryPolicy.Spent()
        var replacement: String?
        var mayHaveArrived = false
        while true {
            if Task.isCancelled { throw StoreError(.cancelled, during: operation, at: path) }
            let call = try makeCall()
            var token: String?
            if call.isAuthorized {
                token = replacement
                if token == nil { token = try await access.accessToken() }
            }
            let attempt = await attempt(
                call.request(to: hosts, token: token), during: operation, at: path,
                perform: perform)
            let failed: FailedAttempt
            switch attempt {
            case .success(let answer): return answer
            case .failure(var failure):
                failure.error.followsUnclearAttempt = mayHaveArrived
                failed = failure
            }
            if let refusal = failed.refusal, refusal.isUselessToken, let token,
                replacement == nil
            {
                replacement = try await access.accessToken(
                    replacing: token, isExpired: refusal.isExpiredToken)
                guard replacement != nil else { throw failed.error }
                continue
            }
            guard let retryable = failed.retryable,
                let wait = policy.wait(
                    after: retryable, isRepeatable: call.isRepeatable, spent: &spent,
                    jitter: clock.jitter())
            else { throw failed.error }
            // 503, too, may be a gateway's, after the server behind it has done the work.
            switch retryable {
            case .broken, .timedOut: mayHaveArrived = true
            case .status(let status, _): mayHaveArrived = mayHaveArrived || status >= 500
            case .unreachable, .busy: break
            }
            RetryNotice.post(retryable, wait: wait)
            try await clock.wait(wait, during: operation, at: path)
            if retryable == .unreachable || retryable == .broken { await access.reviveServer() }
        }
    }

    private struct FailedAttempt: Error {
        var error: StoreError
        var refusal: DropboxRefusal?
        var retryable: RetryPolicy.Failure?
    }

    private func attempt(
        _ request: URLRequest, during operation: StoreError.Operation, at path: RemotePath?,
        perform: Perform
    ) async -> Result<HTTPLoader.Answer, FailedAttempt> {
        do throws(HTTPLoader.Failure) {
            let answer = try await perform(request)
            if answer.isSuccess { return .success(answer) }
            let refusal = DropboxRefusal(
                status: answer.status, body: answer.body, without: EchoedSecrets(of: request),
                retryAfter: answer.response.value(forHTTPHeaderField: "Retry-After"),
                now: answer.response.date ?? clock.date())
            return .failure(
                FailedAttempt(
                    error: refusal.error(during: operation, at: path), refusal: refusal,
                    retryable: refusal.failure))
        } catch {
            return .failure(
                FailedAttempt(
                    error: error.error(during: operation, at: path), retryable: error.retryable))
        }
    }
}
