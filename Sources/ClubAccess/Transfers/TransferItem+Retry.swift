package import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

extension TransferItem {
    /// Whether a request waits to be repeated.
    package var isRetrying: Bool { waitingRetry != nil }

    /// Why a request waits to be repeated, and for how long; nil if none does.
    package var retrySentence: String? { waitingRetry?.sentence }

    private var waitingRetry: RetryNotice? {
        state == .running ? retryNotice(at: Date()) : nil
    }

    /// The reason for which a request is repeated; nil if it is not, or for another reason.
    func retryNotice(at now: Date) -> RetryNotice? {
        guard let next = status.nextAttempt, next > now, let reason = status.failure?.retryReason
        else { return nil }
        return RetryNotice(
            reason: reason, wait: .seconds(min(next.timeIntervalSince(now), 1e9)))
    }
}

extension TransferFailure {
    /// A request of an active transfer will be repeated; nil if it is only silent for now.
    init?(_ notice: RetryNotice) {
        let code: StoreError.Code
        switch notice.reason {
        case .busy: code = .rateLimited(retryAfter: nil)
        case .unavailable: code = .serverUnavailable(retryAfter: nil)
        case .locked: code = .locked
        case .failed: code = .serverError
        case .unreachable, .disconnected: code = .offline
        case .silent: return nil
        }
        self.init(code, isUnreachable: notice.reason == .unreachable)
    }

    /// Nil unless it concerns the server or the connection.
    fileprivate var retryReason: RetryNotice.Reason? {
        guard isAboutServer, let code = storeCode else { return nil }
        return switch code {
        case .rateLimited: .busy
        case .serverUnavailable: .unavailable
        case .locked: .locked
        case .serverError, .badAnswer: .failed
        case .offline where isUnreachable: .unreachable
        case .offline, .timedOut: .disconnected
        default: nil
        }
    }
}
