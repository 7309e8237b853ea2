import FoundationEssentials

/// What a response head means for its transfer; applies each policy in order.
///
/// Deterministic, and testable without a socket: it updates the values passed inout and returns an action for
/// the engine.
struct HeadDecision: Sendable {
    enum Action: Sendable {
        /// Report an interim response (1xx), and continue.
        case reportInterim
        /// Ask for credentials, or send the request again with them.
        case authenticate(AuthenticationAction)
        /// Send this next without asking: the upload continues.
        case send(URLRequest)
        /// Send this next without asking: the same request without `Expect`, which the server has refused.
        case sendWithoutExpectation(URLRequest)
        /// Deliver the stored response instead.
        case replay(CachePlan.Answer)
        /// Send this next if the delegate agrees.
        case follow(URLRequest, keepsBody: Bool)
        /// Deliver the response. The value says what it means for a resumed download.
        case deliver(DownloadResumption.Decision?)
        /// Fail.
        ///
        /// - showsResponse: Whether the task's `response` is set all the same.
        case fail(URLError, showsResponse: Bool)
    }

    var action: Action
    /// What the cache does, independent of the action.
    var cacheReaction: CacheReaction?

    /// The questions about a head, in order.
    enum Question: Int, Comparable {
        case isInterim
        case isChallenge
        case isOfUpload
        case isReplacedFromCache
        case isRedirect
        case isResponse

        static func < (one: Question, other: Question) -> Bool { one.rawValue < other.rawValue }
    }

    /// The request that was sent.
    struct Sent: Sendable {
        var request: URLRequest
        var isWebSocket = false
        /// Whether it was sent with `Expect: 100-continue`.
        var expectsContinue = false
        /// The number of redirects that led to the request.
        var followedRedirects = 0
        /// The request as authentication sees it; nil without authentication.
        var challenged: ChallengedRequest?
        /// The CONNECT request and the proxy's response to it.
        var tunnel: (request: ChallengedRequest, head: ResponseHead)?
        var credentialStorage: URLCredentialStorage?
        /// The cache's plan for the request; nil without a cache.
        var cachePlan: CachePlan?
        var time = Date()
    }

    /// Applies the policies to a head.
    ///
    /// - Parameters:
    ///   - first: The first question; earlier ones were answered before. For example, an application that
    ///     does not sign in takes a 401 as the response, from `isOfUpload` on.
    ///   - upload: A resumable upload.
    ///   - download: A resumed download.
    static func make(
        for head: ResponseHead, to sent: Sent, from first: Question = .isInterim,
        authentication: inout AuthenticationState, credentials: inout AuthenticationCache,
        upload: inout UploadResumption?, download: DownloadResumption?, now: Date
    ) -> HeadDecision {
        if first <= .isInterim, head.isInterim {
            upload?.take(interim: head)
            return HeadDecision(action: .reportInterim)
        }
        if head.status == 101, !sent.isWebSocket {
            return HeadDecision(action: .fail(sent.switchedProtocols, showsResponse: false))
        }
        if first <= .isInterim, head.status == 417, sent.expectsContinue {
            // Nothing else was refused, so neither the upload nor a credential is affected.
            var next = sent.request
            next.headers["Expect"] = nil
            return HeadDecision(action: .sendWithoutExpectation(next))
        }
        if first <= .isChallenge, let challenged = sent.challenged {
            if let tunnel = sent.tunnel, (200..<300).contains(tunnel.head.status) {
                // The proxy has accepted the credentials.
                _ = authentication.take(
                    tunnel.head, to: tunnel.request, cache: &credentials,
                    storage: sent.credentialStorage)
            }
            let action = authentication.take(
                head, to: challenged, cache: &credentials, storage: sent.credentialStorage)
            if !action.isDelivery { return HeadDecision(action: .authenticate(action)) }
        }
        let uploaded = upload?.request
        if first <= .isOfUpload, let action = takeUpload(head, &upload) {
            guard case .deliver = action else { return HeadDecision(action: action) }
            // As if it had been sent in one request.
            let removals = uploaded.map { CacheInvalidation.urls(for: $0, head) } ?? []
            return HeadDecision(
                action: action, cacheReaction: CacheReaction(answer: .server, removals: removals))
        }
        var reaction: CacheReaction?
        if first <= .isReplacedFromCache, let plan = sent.cachePlan {
            let decided = plan.react(to: head, requestTime: sent.time, responseTime: now)
            reaction = decided
            if case .stored(let stored) = decided.answer,
                let answer = plan.answer(under: stored, isConfirmed: head.status == 304, at: now)
            {
                return HeadDecision(action: .replay(answer), cacheReaction: reaction)
            }
        }
        if first <= .isRedirect {
            let redirect = RedirectPolicy.decide(
                status: head.status, location: head.headers["Location"], request: sent.request,
                followed: sent.followedRedirects)
            switch redirect {
            case .deliver:
                break
            case .follow(let proposal, let keepsBody):
                return HeadDecision(
                    action: .follow(proposal, keepsBody: keepsBody), cacheReaction: reaction)
            case .fail(let error):
                return HeadDecision(
                    action: .fail(error, showsResponse: true), cacheReaction: reaction)
            }
        }
        return HeadDecision(
            action: .deliver(download?.decide(on: head)), cacheReaction: reaction)
    }

    /// - Returns: nil if the head has no meaning for the upload.
    private static func takeUpload(
        _ head: ResponseHead, _ upload: inout UploadResumption?
    ) -> Action? {
        guard let isCreating = upload?.isCreating, upload?.step != nil,
            let decision = upload?.take(head)
        else { return nil }
        switch decision {
        case .deliver where isCreating: return nil
        case .deliver, .deliverWithoutBody: return .deliver(nil)
        case .send: return upload?.next.map { .send($0) } ?? .deliver(nil)
        case .fail(let error): return .fail(error, showsResponse: false)
        }
    }
}

extension HeadDecision.Sent {
    fileprivate var switchedProtocols: URLError {
        URLError(
            .badServerResponse, failingURL: request.url,
            underlyingText: "the server switched protocols without being asked")
    }
}

extension AuthenticationAction {
    fileprivate var isDelivery: Bool { if case .deliver = self { true } else { false } }
}

extension ResponseHead {
    /// 101 is final: the bytes after it are not HTTP.
    fileprivate var isInterim: Bool { (100..<200).contains(status) && status != 101 }
}
