import FoundationEssentials
import Synchronization

/// The engine's side of a task: a series of attempts until there is a response. Owned by the engine, used on
/// its thread only.
///
/// State of a single request and its response is in `Attempt`; the state here outlives it.
final class Transfer {
    /// Why no bytes are read now.
    struct Pauses: OptionSet {
        let rawValue: Int
        static let suspended = Pauses(rawValue: 1)
        /// The delegate or the disk is slow.
        static let flow = Pauses(rawValue: 2)
        /// A question to the delegate is pending.
        static let question = Pauses(rawValue: 4)
    }

    /// Changes at most once, when a data task becomes a download task.
    var task: URLSessionTask
    /// Changes with ``enter(_:)``.
    private(set) var state = TransferState.queued
    var slot: Slot
    var pauses: Pauses = []
    var timers: TransferTimers

    private(set) var attempt: Attempt
    var source: BodySource
    /// The state of a resumable upload.
    var upload: UploadResumption?
    /// The state of a resumed download.
    var download: DownloadResumption?
    var authentication: AuthenticationState
    var connectivity = TransferConnectivity()
    var history = History()
    var answer = Answer()
    var uploadProgress = UploadProgress()

    /// Whether the engine has to process it.
    var isPending = false
    let pending: PendingTransfers

    /// One of the connections that a session may have to a host.
    struct Slot {
        var place: ConnectionSlots<ObjectIdentifier>.Place
        var isTaken = false
    }

    /// The results of earlier attempts.
    struct History {
        var followedRedirects = 0
        /// Whether a redirect has led to another origin: credentials are not sent from then on.
        var hasLeftOrigin = false
        /// Whether a kept-alive connection was lost during the request, so that it needs a new one.
        var needsFreshConnection = false
        /// Whether libcurl has offered a connection from before the session's last `flush` or `reset`.
        var wasOfferedOldConnection = false
        /// How many connections were lost during the request, or have refused it.
        var lostConnections = 0
        /// Whether the request needs HTTP/1.1.
        var needsHTTP1 = false
        /// Whether a server has refused `Expect: 100-continue`: it is not sent from then on (RFC 9110 §10.1.1).
        var isExpectationRefused = false
    }

    /// The destination of the response's body.
    struct Answer {
        var memory = Data()
        var file: DownloadFile?
        var isDeliveredIncrementally = true
    }

    /// What was reported to the delegate about the request's body.
    struct UploadProgress {
        var reportedByteCount: Int64 = 0
        /// How many bytes were handed to the system.
        var handedOverByteCount: Int64 = 0
        /// Whether the body was reported for an earlier attempt, too.
        var isRepeated = false
        /// When to check again how much of the kernel's buffer was acknowledged.
        var nextCheck: UInt64?

        mutating func beginAttempt() {
            nextCheck = nil
            if reportedByteCount > 0 || handedOverByteCount > 0 { isRepeated = true }
            reportedByteCount = 0
            handedOverByteCount = 0
        }
    }

    /// Creates a transfer.
    ///
    /// - Parameter request: The first request; nil for the task's own.
    init(
        task: URLSessionTask, request first: URLRequest? = nil, origin: Origin,
        pending: PendingTransfers, sockets: ConnectionSockets = ConnectionSockets()
    ) {
        self.task = task
        self.pending = pending
        let first = first ?? task.requestToLoad
        let request = first.withoutCredentials
        let isWebSocket = task is URLSessionWebSocketTask
        attempt = Attempt(request, number: 0, isWebSocket: isWebSocket, sockets: sockets)
        authentication = AuthenticationState(for: first.url)
        source = task.source
        let number = task.session.number
        slot = Slot(place: .init(session: isWebSocket ? -number : number, origin: origin))
        let settings = task.session.settings
        timers = TransferTimers(
            requestSeconds: request.ownTimeout ?? settings.timeouts.request,
            resourceSeconds: settings.timeouts.resource)
        pauses = task.isSuspended ? .suspended : []
        attempt.transfer = self
    }

    var id: ObjectIdentifier { ObjectIdentifier(task) }
    var request: URLRequest { attempt.request }
    var settings: SessionSettings { task.session.settings }
    var isSuspended: Bool { pauses.contains(.suspended) }
    /// Whether a question to the delegate is pending.
    var isAsking: Bool { pauses.contains(.question) }
    /// Whether it has a place in the queue for a connection.
    var isQueued: Bool { state.isQueued && !isSuspended }

    /// Whether the attempt is a control request of the upload, which the task does not show.
    var isControlRequest: Bool {
        guard let upload else { return false }
        return !upload.isCreating && upload.step != nil
    }

    /// When the engine has to act even if nothing happens.
    var deadline: UInt64? {
        let soonest = min(
            state.date ?? .max, timers.deadline ?? .max, uploadProgress.nextCheck ?? .max,
            attempt.body.rateLimiter.resumption ?? .max,
            attempt.received.rateLimiter.resumption ?? .max, discardDeadline ?? .max)
        return soonest == .max ? nil : soonest
    }

    /// When to stop reading a discarded body; nil while nothing is read.
    var discardDeadline: UInt64? {
        guard let deadline = attempt.received.discardDeadline, attempt.isBodyDiscarded,
            pauses.isDisjoint(with: [.suspended, .question])
        else { return nil }
        return deadline
    }

    /// Moves to another state. A move that the table of states does not have is a bug of the engine.
    func enter(_ next: TransferState) {
        let isEntry = attempt.number == 0 && TransferState.Name.entries.contains(next.name)
        assert(
            isEntry || state.name.mayBecome(next.name), "\(state.name) became \(next.name)")
        state = next
    }

    /// The stored body that is being delivered; nil in any other state.
    var replay: TransferState.CacheReplay? {
        get { state.replay }
        set { state.replay = newValue }
    }

    /// Replaces the attempt. Late results for the old one are dropped.
    ///
    /// - Parameter request: nil repeats the same request.
    func makeAttempt(_ request: URLRequest? = nil) {
        let next = attempt.successor(request)
        attempt.cache.writer?.discard()
        attempt = next
        next.transfer = self
        pauses.subtract([.question, .flow])
        uploadProgress.beginAttempt()
    }

    /// Starts and stops the timers for the state and the pauses.
    func updateTimers(at now: UInt64) {
        timers.update(
            isOnTheWire: (state.isOnTheWire || isAwaitingFirstConnection) && !isWebSocket,
            isUnpaused: pauses.isEmpty && !attempt.isRateLimited,
            isWaiting: state.networkCheck != nil && !isWebSocket, isSuspended: isSuspended, at: now)
    }

    private var isAwaitingFirstConnection: Bool {
        state.isAwaitingConnection && attempt.http.awaitsFirstConnection
    }
}

/// The timers of a transfer. Each byte restarts the request timer, but not the resource timer.
struct TransferTimers {
    var request: Countdown
    var resource: Countdown

    init(requestSeconds: TimeInterval, resourceSeconds: TimeInterval) {
        request = Countdown(seconds: requestSeconds)
        resource = Countdown(seconds: resourceSeconds)
    }

    var deadline: UInt64? {
        let soonest = min(request.deadline ?? .max, resource.deadline ?? .max)
        return soonest == .max ? nil : soonest
    }

    /// Starts and stops the timers.
    ///
    /// - Parameters:
    ///   - isOnTheWire: Whether libcurl has the request.
    ///   - isWaiting: Whether the transfer waits for a network, which counts toward the resource timer.
    mutating func update(
        isOnTheWire: Bool, isUnpaused: Bool, isWaiting: Bool, isSuspended: Bool, at now: UInt64
    ) {
        if isOnTheWire, isUnpaused {
            if !request.isRunning {
                request.restart(at: now)
                request.start(at: now)
            }
        } else {
            request.stop(at: now)
        }
        if isOnTheWire || isWaiting, !isSuspended {
            resource.start(at: now)
        } else {
            resource.stop(at: now)
        }
    }

    mutating func stop(at now: UInt64) {
        request.stop(at: now)
        resource.stop(at: now)
    }
}

extension Transfer {
    /// Whether a GET has a body: servers reject or ignore it (RFC 9110 §9.3.1), and Apple's implementation
    /// does not send it.
    var isGetWithBody: Bool {
        request.method == "GET" && attempt.body.byteCount != 0 && webSocket == nil
    }

    /// Whether the response ended before its compressed body was complete. A partial response (206) may end
    /// anywhere.
    var isCutShort: Bool {
        guard case .ours(let decoding) = attempt.received.decoding else { return false }
        return !decoding.isComplete && attempt.response?.statusCode != 206
    }

    /// Whether the whole body of a resumable upload was sent.
    var hasSentBody: Bool {
        guard let upload, upload.step?.isUpload == true else { return false }
        return attempt.sentBodyByteCount >= upload.byteCount
    }
}
