import CCurl
import FoundationEssentials
import Synchronization

/// The engine's side of a task: one attempt after another, each a request to one URL, until an answer is
/// there. Owned by the engine, used on its queue alone.
///
/// libcurl's callbacks only note what happened and mark the transfer; the engine attends to it afterwards,
/// when libcurl is not on the stack.
final class Transfer {
    enum Stage {
        /// For a free connection to the host.
        case waiting
        /// For the cache to say what it has.
        case planning
        /// For a network it may use.
        case offline
        /// For the body to be opened.
        case preparing
        /// Suspended before there was a connection.
        case held
        case connecting
        case exchanging
        /// Given from the cache.
        case serving
        case over
    }

    /// What of a request had left this machine when its kept-alive connection was lost.
    enum ConnectionLoss {
        /// Not a byte.
        case unsent
        /// Some or all of it.
        case sent
    }

    /// Why no bytes are read now.
    struct Pauses: OptionSet {
        let rawValue: Int
        static let suspended = Pauses(rawValue: 1)
        /// The delegate or the disk is slow.
        static let flow = Pauses(rawValue: 2)
        /// The delegate was asked something.
        static let asking = Pauses(rawValue: 4)
    }

    /// Who undoes the codings of the answer's body.
    enum Decoding {
        /// The head is not complete.
        case undecided
        /// Nobody: there is none, it was not asked for, or it is not known here.
        case none
        case ours(ContentDecoding)
        case libcurls
    }

    /// Changes once at most: when a data task becomes a download task.
    var task: URLSessionTask
    var stage = Stage.waiting
    /// Whether it stands in line for a connection, and whether it has one.
    var isQueued = false
    var hasConnection = false
    var place: ConnectionSlots<ObjectIdentifier>.Place
    var pauses: Pauses = []
    var requestTimer: Countdown
    var resourceTimer: Countdown

    // The attempt.
    var attempt = 0
    var request: URLRequest
    var source: BodySource
    var body = OutgoingBody.none
    /// Where in the body this attempt begins.
    var bodyOffset: Int64 = 0
    var chunks = ChunkMeter()
    /// An upload that may survive its connection.
    var upload: UploadResumption?
    /// A download that goes on.
    var resumption: DownloadResumption?
    /// When a rest of ours is over.
    var retryDate: UInt64?
    /// Whether the rest is the one before the task begins.
    var isDelayed = false
    var followedRedirects = 0
    /// Whether a redirect has led to another origin: credentials stay behind for good.
    var hasLeftOrigin = false
    /// Whether a kept-alive connection was lost over the request: it goes out on a new one.
    var needsFreshConnection = false
    var easy: EasyHandle?
    var response: HTTPURLResponse?
    /// The next request, once the rest of a redirect's or challenge's body has been discarded.
    var nextRequest: URLRequest?
    var authentication: AuthenticationState
    /// The request as those see it who ask for authorizationFields, when there was need of one.
    var challenged: ChallengedRequest?
    /// The fields of this attempt that authorize who we are. Nobody gets to see them.
    var authorizationFields: [HTTPHeaderFields.Field] = []
    /// Those for the proxy alone.
    var proxyAuthorizationFields: [HTTPHeaderFields.Field] = []
    var proxy: ProxyServer?
    /// What the proxy says about a tunnel to the server; nil when there is none to be made.
    var tunnelHead: ResponseHeadParser?
    /// Whether the attempt has failed for the proxy's 407.
    var isTunnelRefused = false
    var handshake: TLSHandshake?
    /// Whether a proxy that speaks TLS has shown its certificate.
    var hasMetProxy = false
    var discardedByteCount = 0
    var caching = AttemptCaching()
    var connectivity = TransferConnectivity()

    // What callbacks have noted.
    /// What of the request had left when the attempt's kept-alive connection was lost.
    var loss: ConnectionLoss?
    /// The sockets that were opened for the attempt.
    var openedSockets: [curl_socket_t] = []
    let sockets: ConnectionSockets
    /// Whether the request asked for a compressed body.
    var acceptsCodings = false
    var decoding = Decoding.undecided
    var head = ResponseHeadParser()
    /// The body since the engine last looked, in pieces.
    var arrived: [PieceBuffer] = []
    var arrivedByteCount = 0
    var sentByteCount: Int64 = 0
    var hasMoved = false
    var isAwaitingBody = false
    /// The socket of a WebSocket that libcurl does not want to read from.
    var silentSocket: curl_socket_t?
    var failure: URLError?
    var result: CURLcode?
    var timings = TransactionTimings()

    // The answer so far.
    var memory = Data()
    var deliversAsItComes = true
    var file: DownloadFile?
    var postedSent: Int64 = 0
    /// Whether the body of an earlier attempt was told of.
    var sendsAgain = false

    private var isMarked = false
    private let marks: Marks

    /// The transfers that something has happened to.
    final class Marks {
        private var transfers: [Transfer] = []

        var isEmpty: Bool { transfers.isEmpty }

        fileprivate func add(_ transfer: Transfer) { transfers.append(transfer) }

        func takeAll() -> [Transfer] {
            defer { transfers.removeAll(keepingCapacity: true) }
            for transfer in transfers { transfer.isMarked = false }
            return transfers
        }
    }

    init(
        task: URLSessionTask, origin: Origin, marks: Marks,
        sockets: ConnectionSockets = ConnectionSockets()
    ) {
        self.task = task
        self.marks = marks
        self.sockets = sockets
        request = task.requestToLoad.withoutCredentials
        authentication = AuthenticationState(for: task.requestToLoad.url)
        source = task.source
        let isWebSocket = task is URLSessionWebSocketTask
        place = .init(
            session: isWebSocket ? -task.session.number : task.session.number, origin: origin)
        let settings = task.session.settings
        requestTimer = Countdown(seconds: request.ownTimeout ?? settings.requestTimeout)
        resourceTimer = Countdown(seconds: settings.resourceTimeout)
    }

    var id: ObjectIdentifier { ObjectIdentifier(task) }
    var settings: SessionSettings { task.session.settings }
    var isAsking: Bool { pauses.contains(.asking) }

    /// Whether this attempt is a request of ours about the upload, which its user does not see.
    var isControlRequest: Bool {
        guard let upload else { return false }
        return !upload.isCreating && upload.step != nil
    }

    /// When a timer of ours runs out.
    var deadline: UInt64? {
        let soonest = min(
            requestTimer.deadline ?? .max, resourceTimer.deadline ?? .max, retryDate ?? .max)
        return soonest == .max ? nil : soonest
    }

    func mark() {
        guard !isMarked else { return }
        isMarked = true
        marks.add(self)
    }

    func takeIn(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if arrived.last.map({ $0.room == 0 }) ?? true { arrived.append(PieceBuffer()) }
            rest = arrived[arrived.count - 1].append(rest)
        }
        arrivedByteCount += bytes.count
    }

    func takeArrived() -> [PieceBuffer] {
        defer {
            arrived.removeAll(keepingCapacity: true)
            arrivedByteCount = 0
        }
        return arrived
    }

    /// Forgets the last attempt's answer.
    func beginAttempt() {
        attempt += 1
        easy = nil
        response = nil
        nextRequest = nil
        challenged = nil
        authorizationFields = []
        proxyAuthorizationFields = []
        tunnelHead = nil
        isTunnelRefused = false
        handshake = nil
        hasMetProxy = false
        discardedByteCount = 0
        caching.beginAttempt()
        loss = nil
        acceptsCodings = false
        decoding = .undecided
        openedSockets.removeAll(keepingCapacity: true)
        head = ResponseHeadParser()
        timings = TransactionTimings()
        _ = takeArrived()
        sentByteCount = 0
        if postedSent > 0 { sendsAgain = true }
        postedSent = 0
        bodyOffset = 0
        chunks = ChunkMeter()
        isAwaitingBody = false
        silentSocket = nil
        result = nil
        pauses.subtract([.asking, .flow])
    }

    /// Sets the timers running as the stage and the pauses have it.
    func updateTimers(at now: UInt64) {
        let isOnItsWay = stage == .connecting || stage == .exchanging
        if isOnItsWay, pauses.isEmpty, !isWebSocket {
            if !requestTimer.isRunning {
                requestTimer.restart(at: now)
                requestTimer.start(at: now)
            }
        } else {
            requestTimer.stop(at: now)
        }
        if isOnItsWay || stage == .offline, !pauses.contains(.suspended), !isWebSocket {
            resourceTimer.start(at: now)
        } else {
            resourceTimer.stop(at: now)
        }
    }
}

extension Transfer {
    /// Whether a GET has a body: servers drop or refuse it (RFC 9110 §9.3.1), and Apple's suite does not
    /// send it.
    var isGetWithBody: Bool {
        request.method == "GET" && body.byteCount != 0 && webSocket == nil
    }

    /// Whether the answer is over and its compressed body is not. A part of a body (206) ends where it was
    /// asked to.
    var isCutShort: Bool {
        guard case .ours(let decoding) = decoding else { return false }
        return !decoding.isComplete && response?.statusCode != 206
    }

    /// Whether the whole body has left, as far as its length is known.
    var hasSentBody: Bool {
        guard upload?.step?.isUpload == true else { return false }
        let sent = max(sentByteCount, easy?.offset(CURLINFO_SIZE_UPLOAD_T) ?? 0)
        return bodyOffset + sent >= body.byteCount
    }

    /// What a body is taken for that nobody has said it of, as in Apple's suite.
    var assumedContentType: String? {
        request.method == "POST" && body.byteCount != 0 ? "application/x-www-form-urlencoded" : nil
    }
}

/// The body of one attempt.
enum OutgoingBody {
    case none
    case data(Data, position: Int)
    case reader(BodyReader)
    /// Whatever a WebSocket has to send, without end.
    case pipe(OutgoingPipe)

    /// -1 when it is not known.
    var byteCount: Int64 {
        switch self {
        case .none: 0
        case .data(let data, _): Int64(data.count)
        case .reader(let reader): reader.byteCount
        case .pipe: -1
        }
    }

    /// The next bytes of a body that comes from elsewhere.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> BodyReader.Portion {
        switch self {
        case .reader(let reader): reader.take(into: buffer)
        case .pipe(let pipe): pipe.take(into: buffer)
        case .none, .data: .end
        }
    }
}
