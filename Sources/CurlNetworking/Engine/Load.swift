import CCurl
import FoundationEssentials
import Synchronization

/// The engine's side of a task: one leg after another, each a request to one URL, until an answer is
/// there. Owned by the engine, used on its queue alone.
///
/// libcurl's callbacks only note what happened and mark the load; the engine attends to it afterwards,
/// when libcurl is not on the stack.
final class Load {
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

    /// Why no bytes are read now.
    struct Pauses: OptionSet {
        let rawValue: Int
        static let suspended = Pauses(rawValue: 1)
        /// The delegate or the disk is slow.
        static let flow = Pauses(rawValue: 2)
        /// The delegate was asked something.
        static let asking = Pauses(rawValue: 4)
    }

    let task: URLSessionTask
    var stage = Stage.waiting
    /// Whether it stands in line for a connection, and whether it has one.
    var isInLine = false
    var hasConnection = false
    var place: ConnectionSlots<ObjectIdentifier>.Place
    var pauses: Pauses = []
    var requestTimer: Countdown
    var resourceTimer: Countdown

    // The leg.
    var leg = 0
    var request: URLRequest
    var source: BodySource
    var body = OutgoingBody.none
    var followedRedirects = 0
    /// Whether a redirect has led to another origin: credentials stay behind for good.
    var hasLeftOrigin = false
    /// Whether a kept-alive connection was tried in vain.
    var needsFreshConnection = false
    var easy: EasyHandle?
    var response: HTTPURLResponse?
    /// The next request, once the rest of a redirect's or challenge's body has been swallowed.
    var following: URLRequest?
    var authentication: AuthenticationState
    /// The request as those see it who ask for proofs, when there was need of one.
    var challenged: ChallengedRequest?
    /// The fields of this leg that prove who we are. Nobody gets to see them.
    var proofs: [HTTPHeaderFields.Field] = []
    var swallowedByteCount = 0
    var caching = LoadCaching()
    var connectivity = LoadConnectivity()

    // What callbacks have noted.
    var head = ResponseHeadParser()
    /// The body since the engine last looked, in pieces.
    var arrived: [PieceBuffer] = []
    var arrivedByteCount = 0
    var sentByteCount: Int64 = 0
    var hasMoved = false
    var isAwaitingBody = false
    var failure: URLError?
    var verdict: CURLcode?
    var notes = TransactionNotes()

    // The answer so far.
    var memory = Data()
    var deliversAsItComes = true
    var file: DownloadFile?
    var postedSent: Int64 = 0

    private var isMarked = false
    private let marks: Marks

    /// The loads that something has happened to.
    final class Marks {
        private var loads: [Load] = []

        var isEmpty: Bool { loads.isEmpty }

        fileprivate func add(_ load: Load) { loads.append(load) }

        func takeAll() -> [Load] {
            defer { loads.removeAll(keepingCapacity: true) }
            for load in loads { load.isMarked = false }
            return loads
        }
    }

    init(task: URLSessionTask, origin: Origin, marks: Marks) {
        self.task = task
        self.marks = marks
        request = task.firstRequest.withoutCredentials
        authentication = AuthenticationState(for: task.firstRequest.url)
        source = task.source
        place = .init(session: task.session.number, origin: origin)
        let settings = task.session.settings
        requestTimer = Countdown(seconds: request.ownTimeout ?? settings.requestTimeout)
        resourceTimer = Countdown(seconds: settings.resourceTimeout)
    }

    var id: ObjectIdentifier { ObjectIdentifier(task) }
    var settings: SessionSettings { task.session.settings }
    var isAsking: Bool { pauses.contains(.asking) }

    /// When a timer of ours runs out.
    var deadline: UInt64? {
        guard let request = requestTimer.deadline else { return resourceTimer.deadline }
        return min(request, resourceTimer.deadline ?? request)
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

    /// Forgets the last leg's answer.
    func beginLeg() {
        leg += 1
        easy = nil
        response = nil
        following = nil
        challenged = nil
        proofs = []
        swallowedByteCount = 0
        caching.beginLeg()
        head = ResponseHeadParser()
        notes = TransactionNotes()
        _ = takeArrived()
        sentByteCount = 0
        postedSent = 0
        isAwaitingBody = false
        verdict = nil
        pauses.subtract([.asking, .flow])
    }

    /// Sets the timers running as the stage and the pauses have it.
    func updateTimers(at now: UInt64) {
        let isOnItsWay = stage == .connecting || stage == .exchanging
        if isOnItsWay, pauses.isEmpty {
            if !requestTimer.isRunning {
                requestTimer.restart(at: now)
                requestTimer.start(at: now)
            }
        } else {
            requestTimer.stop(at: now)
        }
        if isOnItsWay || stage == .offline, !pauses.contains(.suspended) {
            resourceTimer.start(at: now)
        } else {
            resourceTimer.stop(at: now)
        }
    }
}

/// The body of one leg.
enum OutgoingBody {
    case none
    case data(Data, position: Int)
    case reader(BodyReader)

    /// -1 when it is not known.
    var byteCount: Int64 {
        switch self {
        case .none: 0
        case .data(let data, _): Int64(data.count)
        case .reader(let reader): reader.byteCount
        }
    }
}
