public import FoundationEssentials

/// The progress of a transfer. Written by the program that performs it, read by all.
public struct TransferStatus: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable {
        /// Queued, or waiting for the next attempt.
        case waiting
        /// The photo is being re-encoded.
        case preparing
        case running
        case paused
        case done
        case failed
        case cancelled

        /// Whether nothing more happens unless the user requests it.
        var isFinished: Bool {
            switch self {
            case .done, .failed, .cancelled: true
            case .waiting, .preparing, .running, .paused: false
            }
        }
    }

    public var state = State.waiting
    /// The bytes transferred; all of them only when the other side has confirmed the whole file.
    public var byteCount: Int64 = 0
    /// 0 until known.
    public var totalByteCount: Int64 = 0
    /// Only while it runs, once it can be estimated.
    public var bytesPerSecond: Double?
    /// How long no byte has moved, while it runs; nil if that is not worth a word.
    public var silentSeconds: Double?
    /// The progress of re-encoding, from 0 to 1.
    public var preparedFraction: Double?
    /// Why it waits or has failed; nil if an earlier version has written only ``reason``.
    public var failure: TransferFailure?
    /// The same as a sentence, in the language of the program that wrote it.
    public var reason: String?
    /// When it is retried.
    public var nextAttempt: Date?
    /// Its path in the club when done: the name of an upload may have been taken.
    public var path: String?
    public var revision: String?
    /// Consecutive failed attempts.
    public var failureCount = 0
    /// The retry count of the order that this belongs to.
    public var retryCount = 0
    public var updated = Date(timeIntervalSince1970: 0)

    public init() {}

    /// Limits the values of a damaged file, a faulty server, or a clock that was set back.
    ///
    /// - Parameter now: A later status is due at once: the clock was set back, perhaps by hours.
    package func corrected(at now: Date) -> TransferStatus {
        var status = self
        status.byteCount = max(0, min(byteCount, Self.byteLimit))
        status.totalByteCount = max(0, min(totalByteCount, Self.byteLimit))
        status.bytesPerSecond = bytesPerSecond.flatMap { $0 > 0 ? min($0, 1e15) : nil }
        status.silentSeconds = silentSeconds.flatMap { $0 > 0 ? min($0, 1e9) : nil }
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
    /// A pebibyte, so that sums do not overflow.
    private static let byteLimit: Int64 = 1 << 50

    /// Whether nothing more happens unless the user requests it.
    public var isFinished: Bool { state.isFinished }
}

/// A transfer: its order and its status.
public struct TransferItem: Hashable, Sendable, Identifiable {
    public var order: TransferOrder
    public var status: TransferStatus

    public init(order: TransferOrder, status: TransferStatus = TransferStatus()) {
        self.order = order
        self.status = status
    }

    public var id: String { order.id }

    /// The displayed state: an order takes effect at once, before it is carried out.
    public var state: TransferStatus.State {
        let isAskedAgain = order.intent == .run && order.retryCount > status.retryCount
        // A completed transfer is not repeated.
        if isAskedAgain, status.state != .done { return .waiting }
        guard !status.isFinished else { return status.state }
        return switch order.intent {
        case .run: status.state == .paused ? .waiting : status.state
        case .pause: .paused
        case .cancel: .cancelled
        }
    }

    /// Whether it is active or queued.
    public var isWanted: Bool {
        switch state {
        case .waiting, .preparing, .running: true
        case .paused, .done, .failed, .cancelled: false
        }
    }

    /// Whether nothing more happens unless the user requests it.
    public var isFinished: Bool { state.isFinished }

    /// Whether a carrier must transfer something, or update the status.
    public var needsCarrier: Bool { isWanted || state != status.state }

    public var canPause: Bool { isWanted }
    public var canCancel: Bool { isWanted || state == .paused }
    public var canResume: Bool { [.paused, .failed, .cancelled].contains(state) }
    /// Whether a retry has an effect: it has stopped, or it or one of its requests waits for the next attempt.
    public var canTryAgain: Bool {
        switch state {
        case .waiting: status.nextAttempt != nil
        case .running: status.nextAttempt.map { $0 > Date() } ?? false
        case .preparing, .paused, .done, .failed, .cancelled: canResume
        }
    }

    /// Whether a resumption is called a retry: it has failed, or waits for the next attempt. What the user has paused or
    /// cancelled is not.
    public var isTriedAgain: Bool { state == .failed || (canTryAgain && !canResume) }

    /// Whether it can be moved in front of the others that wait.
    public var canGoFirst: Bool { state == .waiting }

    /// From 0 to 1.
    public var fraction: Double {
        guard status.totalByteCount > 0 else { return state == .done ? 1 : 0 }
        return max(0, min(1, Double(status.byteCount) / Double(status.totalByteCount)))
    }

    /// Estimated from the current rate; nil if it cannot be estimated yet.
    public var secondsLeft: Double? {
        guard state == .running, let speed = status.bytesPerSecond, speed > 0 else { return nil }
        return (Double(status.totalByteCount) - Double(status.byteCount)) / speed
    }
}

extension [TransferItem] {
    /// In the order in which they begin.
    public var inTurn: [TransferItem] {
        sorted {
            let (left, right) = ($0.order.precedence ?? 0, $1.order.precedence ?? 0)
            return left == right ? $0.id < $1.id : left > right
        }
    }

    /// What an order has to have to begin before all of these that wait.
    public var firstPrecedence: Int {
        (filter(\.canGoFirst).map { $0.order.precedence ?? 0 }.max() ?? 0) + 1
    }
}
