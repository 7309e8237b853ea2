import CurlNetworking
import FoundationEssentials
import Synchronization

/// Sends requests with the credentials, follows the server's redirects within limits, and retries
/// according to the retry policy.
struct WebDAVConnection: Sendable {
    let signIn: WebDAVAuthenticator
    let policy: RetryPolicy
    let clock: WaitingClock
    let signature: ServerSignature

    /// For responses that are not streamed.
    static let answerLimit = 1 << 20

    /// The maximum number of consecutive redirects.
    private static let redirectLimit = 5

    /// Sends a request until it succeeds or the retry policy gives up.
    ///
    /// - Parameters:
    ///   - attempts: Records earlier attempts, for the caller to interpret a rejection.
    ///   - makeRequest: Called before each attempt: a download resumes from its current offset.
    func send(
        during operation: StoreError.Operation, at path: RemotePath?,
        through loader: HTTPLoader, limit: Int = answerLimit,
        observers: HTTPLoader.Observers = HTTPLoader.Observers(),
        attempts: AttemptLog? = nil, policy: RetryPolicy? = nil,
        makeRequest: @Sendable () throws(StoreError) -> WebDAVRequest
    ) async throws(StoreError) -> HTTPLoader.Answer {
        var spent = RetryPolicy.Spent()
        var observers = observers
        observers.wasSentAgain = { attempts?.noteThatOneMayHaveArrived() }
        while true {
            if Task.isCancelled { throw StoreError(.cancelled, during: operation, at: path) }
            let request = try makeRequest()
            let failed: FailedAttempt
            do throws(FailedAttempt) {
                return try await attempt(
                    request, during: operation, at: path, through: loader, limit: limit,
                    observers: observers)
            } catch {
                failed = error
            }
            if failed.mayHaveArrived { attempts?.noteThatOneMayHaveArrived() }
            guard let retryable = failed.retryable,
                let wait = (policy ?? self.policy).wait(
                    after: retryable, isRepeatable: request.isRepeatable, spent: &spent,
                    jitter: clock.jitter())
            else { throw failed.error }
            RetryNotice.post(retryable, wait: wait)
            try await clock.wait(wait, during: operation, at: path)
        }
    }
}

/// The attempts at a request before the last one.
final class AttemptLog: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Whether an earlier attempt may have succeeded without a response, so that the current
    /// state may be its result.
    var mayHaveArrived: Bool { flag.load(ordering: .relaxed) }

    func noteThatOneMayHaveArrived() {
        flag.store(true, ordering: .relaxed)
    }
}

private struct FailedAttempt: Error {
    var error: StoreError
    var retryable: RetryPolicy.Failure?

    var mayHaveArrived: Bool {
        switch retryable {
        case .unreachable, .busy: false
        case .broken, .timedOut: true
        // 408: the server did not receive all of it, and may have kept a part. 503, too, may be a gateway's, after the
        // server behind it has done the work.
        case .status(let status, _): status == 408 || status >= 500
        // Cancelled, timed out, or not an HTTP response: there was a connection.
        case nil: error.code != .untrusted && error.code != .fileUnreadable
        }
    }
}

// MARK: - One attempt

extension WebDAVConnection {
    private func attempt(
        _ request: WebDAVRequest, during operation: StoreError.Operation, at path: RemotePath?,
        through loader: HTTPLoader, limit: Int, observers: HTTPLoader.Observers
    ) async throws(FailedAttempt) -> HTTPLoader.Answer {
        guard var url = URL(string: request.url) else {
            throw FailedAttempt(
                error: StoreError(.badRequest, during: operation, at: path, detail: request.url))
        }
        let home = Place(url)
        var request = request
        for _ in 0...Self.redirectLimit {
            let answer: HTTPLoader.Answer
            let wire = urlRequest(request, to: url, isAtHome: home?.trusts(Place(url)) ?? false)
            let asked = request
            var observers = observers
            observers.accepts = { !asked.isCompressed($0) }
            do throws(HTTPLoader.Failure) {
                answer = try await loader.load(
                    wire, body: request.body, limit: limit, observers: observers)
            } catch .compressed where request.fields["Accept-Encoding"] != nil {
                request.acceptCompression()
                continue
            } catch {
                var reason = error.error(during: operation, at: path)
                if reason.code == .untrusted { reason.untrustedServer = signIn.untrustedServer }
                throw FailedAttempt(error: reason, retryable: error.retryable)
            }
            if answer.isSuccess {
                // A proxy's own errors say nothing of the server.
                if home?.trusts(Place(url)) == true { signature.note(answer.response) }
                return answer
            }
            if signIn.learn(from: answer.response, to: wire) == .digestIsWanted { continue }
            guard [301, 302, 307, 308].contains(answer.status),
                let location = answer.response.value(forHTTPHeaderField: "Location")
            else { throw refusal(answer, to: request, during: operation, at: path) }
            guard let target = redirect(to: location, from: url, of: request.method, home: home)
            else {
                throw FailedAttempt(
                    error: StoreError(
                        .badAnswer, during: operation, at: path,
                        detail: "\(answer.status) to "
                            + signIn.secrets.removed(from: location).prefix(300)))
            }
            url = target
        }
        throw FailedAttempt(
            error: StoreError(
                .badAnswer, during: operation, at: path, detail: "redirected too often")
        )
    }

    private func urlRequest(_ request: WebDAVRequest, to url: URL, isAtHome: Bool) -> URLRequest {
        var wire = URLRequest(url: url)
        wire.httpMethod = request.method
        for (name, value) in request.fields { wire.setValue(value, forHTTPHeaderField: name) }
        let isSecure = url.scheme?.lowercased() == "https"
        if isAtHome, let authorization = signIn.authorization(isSecure: isSecure) {
            wire.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        if let timeout = request.timeout { wire.timeoutInterval = timeout / .seconds(1) }
        return wire
    }

    private func refusal(
        _ answer: HTTPLoader.Answer, to request: WebDAVRequest,
        during operation: StoreError.Operation, at path: RemotePath?
    ) -> FailedAttempt {
        let refusal = WebDAVRefusal(
            status: answer.status, method: request.method,
            words: signIn.secrets.text(of: answer.body, characterLimit: 500),
            retryAfter: answer.response.value(forHTTPHeaderField: "Retry-After")
                .flatMap { RetryAfter.parse($0, now: answer.response.date ?? clock.date()) },
            challenges: answer.response.value(forHTTPHeaderField: "WWW-Authenticate")
                .map { signIn.secrets.removed(from: $0) })
        return FailedAttempt(
            error: refusal.error(during: operation, at: path), retryable: refusal.failure)
    }

    /// The URL to send the same method and body to instead; nil to stop.
    ///
    /// Never from https to http. To another server only for downloads, which some servers store
    /// elsewhere, and without the credentials.
    private func redirect(
        to location: String, from url: URL, of method: String, home: Place?
    ) -> URL? {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL,
            let place = Place(target), let origin = Place(url), let home,
            !(origin.isSecure && !place.isSecure)
        else { return nil }
        return home.trusts(place) || ["GET", "HEAD"].contains(method) ? target : nil
    }
}

/// The origin of a URL.
private struct Place: Hashable {
    var host: String
    var port: Int
    var isSecure: Bool

    init?(_ url: URL) {
        guard let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty,
            let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { return nil }
        self.host = host
        isSecure = scheme == "https"
        port = url.port ?? (isSecure ? 443 : 80)
    }

    /// Whether the other is the same origin, or the same with TLS.
    func trusts(_ other: Place?) -> Bool {
        guard let other else { return false }
        return other == self
            || (other.host == host && port == 80 && other.port == 443 && other.isSecure)
    }
}
