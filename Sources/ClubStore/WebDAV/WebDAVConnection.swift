import CurlNetworking
import FoundationEssentials
import Synchronization

/// Sends requests with the credentials, follows the server's redirects within reason, and repeats
/// what the retry policy allows.
struct WebDAVConnection: Sendable {
    let signIn: WebDAVAuthenticator
    let policy: RetryPolicy
    let clock: WaitingClock

    /// Answers that are not read piece by piece.
    static let answerLimit = 1 << 20

    /// How many redirects in a row are followed.
    private static let redirectLimit = 5

    /// Sends a request until the answer says yes, or until there is no more hope of that.
    ///
    /// - Parameters:
    ///   - attempts: Told what went before, for the caller to judge a refusal by.
    ///   - makeRequest: Asked before each attempt: a download goes on from where it has got to.
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
            try await clock.wait(wait, during: operation, at: path)
        }
    }
}

/// What came before the last attempt at a request.
final class AttemptLog: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Whether an earlier attempt may have been done although no success was heard of it, so that
    /// what the server tells now may be its consequence.
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
        // 408: the server did not get all of it, and may have kept what it got.
        case .status(let status, _): status == 408 || (status >= 500 && status != 503)
        // Cancelled, out of time, or answered with no HTTP: there was a connection.
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
        for _ in 0...Self.redirectLimit {
            let answer: HTTPLoader.Answer
            let wire = urlRequest(request, to: url, isAtHome: home?.trusts(Place(url)) ?? false)
            do throws(HTTPLoader.Failure) {
                answer = try await loader.load(
                    wire, body: request.body, limit: limit, observers: observers)
            } catch {
                throw FailedAttempt(
                    error: error.error(during: operation, at: path), retryable: error.retryable)
            }
            if answer.isSuccess { return answer }
            if signIn.learns(from: answer.response, to: wire) { continue }
            guard [301, 302, 307, 308].contains(answer.status),
                let location = answer.response.value(forHTTPHeaderField: "Location")
            else { throw refusal(answer, to: request, during: operation, at: path) }
            guard let target = redirect(to: location, from: url, of: request.method, home: home)
            else {
                throw FailedAttempt(
                    error: StoreError(
                        .badAnswer, during: operation, at: path,
                        detail: "\(answer.status) to \(location.prefix(300))"))
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
            words: String(decoding: answer.body.prefix(500), as: UTF8.self),
            retryAfter: answer.response.value(forHTTPHeaderField: "Retry-After")
                .flatMap { RetryAfter.parse($0, now: answer.response.date ?? clock.date()) })
        return FailedAttempt(
            error: refusal.error(during: operation, at: path), retryable: refusal.failure)
    }

    /// Where to ask instead, with the same method and body; nil to ask nobody.
    ///
    /// Never from https to http. To another server only for bytes to be read, which some keep with
    /// somebody else, and without the credentials.
    private func redirect(
        to location: String, from url: URL, of method: String, home: Place?
    ) -> URL? {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL,
            let place = Place(target), let origin = Place(url), let home,
            !(origin.isSecure && !place.isSecure)
        else { return nil }
        return home.trusts(place) || method == "GET" ? target : nil
    }
}

/// Whom an address speaks to.
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

    /// Whether the other is this one, or this one behind TLS.
    func trusts(_ other: Place?) -> Bool {
        guard let other else { return false }
        return other == self
            || (other.host == host && port == 80 && other.port == 443 && other.isSecure)
    }
}
