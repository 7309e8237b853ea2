import FoundationEssentials

/// What the head of an answer means for its transfer: today's policies, one after another.
///
/// Pure: values go in, a value comes out, and no socket is needed to test it. The engine carries it out.
struct HeadDecision: Sendable {
    enum Action: Sendable {
        /// An interim answer (1xx): report it, and read on.
        case reportInterim
        /// Ask for credentials, or send the request again with them.
        case authenticate(AuthenticationAction)
        /// Send this next, without asking anybody: the upload continues.
        case send(URLRequest)
        /// Deliver the stored response instead.
        case replay(CachePlan.Answer)
        /// Ask the delegate, and send this next if it agrees.
        case follow(URLRequest, keepsBody: Bool)
        /// It is the response. To a download that continues, it means this.
        case deliver(DownloadResumption.Decision?)
        /// - showsResponse: Whether the task has the head as its response all the same.
        case fail(URLError, showsResponse: Bool)
    }

    var action: Action
    /// What the cache does about the head, whatever the action is.
    var cacheReaction: CacheReaction?

    /// The questions about a head, in the order in which they are put.
    enum Question: Int, Comparable {
        case isInterim
        case isChallenge
        case isOfUpload
        case isReplacedFromCache
        case isRedirect
        case isResponse

        static func < (one: Question, other: Question) -> Bool { one.rawValue < other.rawValue }
    }

    /// What was sent.
    struct Sent: Sendable {
        var request: URLRequest
        var isWebSocket = false
        /// How many redirects have led to the request.
        var followedRedirects = 0
        /// The request as those see it who ask for credentials; nil when none are involved.
        var challenged: ChallengedRequest?
        /// What has opened a tunnel to the server, and what the proxy has said to it.
        var tunnel: (request: ChallengedRequest, head: ResponseHead)?
        var credentialStorage: URLCredentialStorage?
        /// What the cache has to do with the request; nil without a cache.
        var cachePlan: CachePlan?
        var time = Date()
    }

    /// - Parameters:
    ///   - first: Questions before this one have been answered already: an application that does not
    ///     sign in, for instance, takes a 401 for the response, from `isOfUpload` on.
    ///   - upload: An upload that may survive its connection.
    ///   - download: A download that continues an earlier one.
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
        if first <= .isChallenge, let challenged = sent.challenged {
            if let tunnel = sent.tunnel, (200..<300).contains(tunnel.head.status) {
                // The tunnel is open: its credentials were right.
                _ = authentication.take(
                    tunnel.head, to: tunnel.request, cache: &credentials,
                    storage: sent.credentialStorage)
            }
            let action = authentication.take(
                head, to: challenged, cache: &credentials, storage: sent.credentialStorage)
            if !action.isDelivery { return HeadDecision(action: .authenticate(action)) }
        }
        if first <= .isOfUpload, let action = takeUpload(head, &upload) {
            return HeadDecision(action: action)
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

    /// - Returns: nil for a head that is treated like any other.
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
            underlyingText: "the server switched protocols unasked")
    }
}

extension AuthenticationAction {
    fileprivate var isDelivery: Bool { if case .deliver = self { true } else { false } }
}

extension ResponseHead {
    /// 101 is final: the bytes after it are not HTTP.
    fileprivate var isInterim: Bool { (100..<200).contains(status) && status != 101 }
}
