import FoundationEssentials
import Synchronization

/// The engine's side of a task: one attempt after another until there is a response. Owned by the
/// engine, used on its thread only.
///
/// What belongs to one request and its response is in the `Attempt`; what is here outlives it.
final class Transfer {
    /// Why no bytes are read now.
    struct Pauses: OptionSet {
        let rawValue: Int
        static let suspended = Pauses(rawValue: 1)
        /// The delegate or the disk is slow.
        static let flow = Pauses(rawValue: 2)
        /// The delegate has been asked something.
        static let question = Pauses(rawValue: 4)
    }

    /// Changes once at most: when a data task becomes a download task.
    var task: URLSessionTask
    var state = TransferState.queued
    var slot: Slot
    var pauses: Pauses = []
    var timers: TransferTimers

    private(set) var attempt: Attempt
    var source: BodySource
    /// An upload that may survive its connection.
    var upload: UploadResumption?
    /// A download that continues an earlier one.
    var download: DownloadResumption?
    var authentication: AuthenticationState
    var connectivity = TransferConnectivity()
    var history = History()
    var answer = Answer()
    var uploadProgress = UploadProgress()

    /// Whether it is among the engine's pending transfers.
    var isPending = false
    let pending: PendingTransfers

    /// One of the connections that a session may have to a host.
    struct Slot {
        var place: ConnectionSlots<ObjectIdentifier>.Place
        var isTaken = false
    }

    /// What earlier attempts have led to.
    struct History {
        var followedRedirects = 0
        /// Whether a redirect has led to another origin: credentials stay behind from then on.
        var hasLeftOrigin = false
        /// Whether a kept-alive connection was lost over the request: it goes out on a new one.
        var needsFreshConnection = false
        /// Whether libcurl has offered it a connection from before the session's last `flush` or `reset`.
        var meetsOldConnections = false
        /// How many connections were lost over the request, or have refused it.
        var lostConnections = 0
        /// Whether something has shown that the request needs HTTP/1.1.
        var needsHTTP1 = false
    }

    /// Where the body of the response goes.
    struct Answer {
        var memory = Data()
        var file: DownloadFile?
        var isDeliveredIncrementally = true
    }

    /// What the delegate knows of the body that is sent.
    struct UploadProgress {
        var reportedByteCount: Int64 = 0
        /// How much was handed to the system.
        var handedOverByteCount: Int64 = 0
        /// Whether the body of an earlier attempt was reported.
        var isRepeated = false
        /// When to ask the kernel again how much of what it holds the server has taken.
        var nextCheck: UInt64?

        mutating func beginAttempt() {
            nextCheck = nil
            if reportedByteCount > 0 || handedOverByteCount > 0 { isRepeated = true }
            reportedByteCount = 0
            handedOverByteCount = 0
        }
    }

    /// - Parameter request: What is sent first; nil: what the task asks for.
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
        pauses = task.isHeld ? .suspended : []
        attempt.transfer = self
    }

    var id: ObjectIdentifier { ObjectIdentifier(task) }
    var request: URLRequest { attempt.request }
    var settings: SessionSettings { task.session.settings }
    var isSuspended: Bool { pauses.contains(.suspended) }
    /// Whether the delegate has been asked something.
    var isAsking: Bool { pauses.contains(.question) }
    /// Whether it has a place in the queue for a connection.
    var isQueued: Bool { state.isQueued && !isSuspended }

    /// Whether the attempt is a request about the upload, which the task's user does not see.
    var isControlRequest: Bool {
        guard let upload else { return false }
        return !upload.isCreating && upload.step != nil
    }

    /// When the engine has to act although nothing has happened.
    var deadline: UInt64? {
        let soonest = min(
            state.date ?? .max, timers.deadline ?? .max, uploadProgress.nextCheck ?? .max,
            attempt.body.pace.resumption ?? .max, attempt.received.pace.resumption ?? .max)
        return soonest == .max ? nil : soonest
    }

    /// Replaces the attempt: what comes late to the old one is lost with it.
    ///
    /// - Parameter request: nil for the same again.
    func makeAttempt(_ request: URLRequest? = nil) {
        let next = attempt.successor(request)
        attempt.cache.writer?.discard()
        attempt = next
        next.transfer = self
        pauses.subtract([.question, .flow])
        uploadProgress.beginAttempt()
    }

    /// Lets the timers run as the state and the pauses require.
    func updateTimers(at now: UInt64) {
        timers.update(
            isOnTheWire: (state.isOnTheWire || isAwaitingFirstConnection) && !isWebSocket,
            isUnpaused: pauses.isEmpty && !attempt.isHeldByRate,
            isWaiting: state.networkCheck != nil && !isWebSocket, isSuspended: isSuspended, at: now)
    }

    private var isAwaitingFirstConnection: Bool {
        state.isAwaitingConnection && attempt.http.awaitsFirstConnection
    }
}

/// The timers of a transfer. The request timer restarts with each byte, the resource timer does not.
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

    /// - Parameters:
    ///   - isOnTheWire: Whether libcurl has the request.
    ///   - isWaiting: Whether the transfer waits for a network, which is counted as part of its time.
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
    /// Whether a GET has a body: servers drop or refuse it (RFC 9110 §9.3.1), and Apple's suite does not
    /// send it.
    var isGetWithBody: Bool {
        request.method == "GET" && attempt.body.byteCount != 0 && webSocket == nil
    }

    /// Whether the response is over and its compressed body is not. A part of a body (206) ends where it
    /// was asked to.
    var isCutShort: Bool {
        guard case .ours(let decoding) = attempt.received.decoding else { return false }
        return !decoding.isComplete && attempt.response?.statusCode != 206
    }

    /// Whether the whole body has left, as far as its length is known.
    var hasSentBody: Bool {
        guard upload?.step?.isUpload == true else { return false }
        return attempt.sentBodyByteCount >= attempt.body.byteCount
    }
}
