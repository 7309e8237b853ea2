public import FoundationEssentials

/// How far a transfer is. Written by who carries it out, read by everybody.
public struct TransferStatus: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable {
        /// Its turn has not come, or it waits before the next attempt.
        case waiting
        /// The photo is re-encoded.
        case preparing
        case running
        case paused
        case done
        case failed
        case cancelled

        /// Whether nothing more happens unless a person asks for it.
        var isFinished: Bool {
            switch self {
            case .done, .failed, .cancelled: true
            case .waiting, .preparing, .running, .paused: false
            }
        }
    }

    public var state = State.waiting
    /// Bytes that have moved; all of them only when the other side has confirmed the whole.
    public var byteCount: Int64 = 0
    /// 0 until it is known.
    public var totalByteCount: Int64 = 0
    /// While it runs, and once enough has moved to tell.
    public var bytesPerSecond: Double?
    /// How much of the photo is re-encoded, from 0 to 1.
    public var preparedFraction: Double?
    /// Why it waits or has failed; nil where an earlier version has written ``reason`` alone.
    public var failure: TransferFailure?
    /// The same as a sentence, in the language of the program that has written it.
    public var reason: String?
    /// When it is tried again.
    public var nextAttempt: Date?
    /// Where it is in the club, when it is done: an upload may have found its name taken.
    public var path: String?
    public var revision: String?
    /// How many attempts in a row have failed.
    public var failureCount = 0
    /// Which of the order's retries this is about.
    public var retryCount = 0
    public var updated = Date(timeIntervalSince1970: 0)

    public init() {}

    /// What a damaged file, a strange server or a clock that was set back must not do to who reads it.
    ///
    /// - Parameter now: A status from later than that is due at once: the clock was set back, perhaps by
    ///   hours.
    func corrected(at now: Date) -> TransferStatus {
        var status = self
        status.byteCount = max(0, min(byteCount, Self.byteLimit))
        status.totalByteCount = max(0, min(totalByteCount, Self.byteLimit))
        status.bytesPerSecond = bytesPerSecond.flatMap { $0 > 0 ? min($0, 1e15) : nil }
        status.preparedFraction = preparedFraction.map { max(0, min($0, 1)) }
        status.failureCount = max(0, min(failureCount, 1 << 30))
        status.retryCount = max(0, min(retryCount, 1 << 30))
        if let nextAttempt {
            let wait = nextAttempt.timeIntervalSince(updated)
            let isFromTheFuture = updated.timeIntervalSince(now) > 1
            if isFromTheFuture || wait > Self.longestWait || nextAttempt < .distantPast {
                status.nextAttempt = nil
            }
        }
        return status
    }

    /// In seconds.
    public static let longestWait: TimeInterval = 86_400
    /// A pebibyte: sums of such sizes fit.
    private static let byteLimit: Int64 = 1 << 50

    /// Whether nothing more happens unless a person asks for it.
    public var isFinished: Bool { state.isFinished }
}

/// A transfer: what is wanted, and how far it is.
public struct TransferItem: Hashable, Sendable, Identifiable {
    public var order: TransferOrder
    public var status: TransferStatus

    public init(order: TransferOrder, status: TransferStatus = TransferStatus()) {
        self.order = order
        self.status = status
    }

    public var id: String { order.id }

    /// What a person sees: what was wished counts at once, before it is carried out.
    public var state: TransferStatus.State {
        let isAskedAgain = order.wish == .run && order.retryCount > status.retryCount
        // What was done before it was asked for again is not done twice.
        if isAskedAgain, status.state != .done { return .waiting }
        guard !status.isFinished else { return status.state }
        return switch order.wish {
        case .run: status.state == .paused ? .waiting : status.state
        case .pause: .paused
        case .cancel: .cancelled
        }
    }

    /// Whether it is to move, now or at its turn.
    public var isWanted: Bool {
        switch state {
        case .waiting, .preparing, .running: true
        case .paused, .done, .failed, .cancelled: false
        }
    }

    /// Whether nothing more happens unless a person asks for it.
    public var isFinished: Bool { state.isFinished }

    /// Whether a carrier has something to do or to write down for it.
    public var needsCarrier: Bool { isWanted || state != status.state }

    public var canPause: Bool { isWanted }
    public var canCancel: Bool { isWanted || state == .paused }
    public var canResume: Bool { [.paused, .failed, .cancelled].contains(state) }
    /// Whether asking for it again changes something: it has stopped, or waits for the next attempt.
    public var canTryAgain: Bool { canResume || (state == .waiting && status.nextAttempt != nil) }

    /// From 0 to 1.
    public var fraction: Double {
        guard status.totalByteCount > 0 else { return state == .done ? 1 : 0 }
        return max(0, min(1, Double(status.byteCount) / Double(status.totalByteCount)))
    }

    /// Seconds left at this speed; nil while it is too early to tell.
    public var secondsLeft: Double? {
        guard state == .running, let speed = status.bytesPerSecond, speed > 0 else { return nil }
        return (Double(status.totalByteCount) - Double(status.byteCount)) / speed
    }
}
