/// The state of a transfer between `resume()` and its completion.
///
/// | state | ends with |
/// |---|---|
/// | delayed | its date and the delegate's answer (→ openingPartialFile, queued) |
/// | openingPartialFile | the open file (→ queued) |
/// | consultingCache | the cache's plan (→ queued) |
/// | checkingNetwork | an allowed network, or a change of networks (→ queued), no server (→ replayingCache) |
/// | queued | the beginning of an attempt (→ consultingCache, replayingCache, checkingNetwork), a free connection slot at the host (→ openingBody) |
/// | openingBody | the open and, if needed, hashed body (→ connecting, awaitingConnection, readyToConnect) |
/// | readyToConnect | `resume()` (→ connecting, awaitingConnection), a body to hash (→ openingBody) |
/// | awaitingConnection | another transfer's connection, or its failure (→ connecting), a body to hash (→ openingBody), `suspend()` (→ readyToConnect), a timeout (→ replayingCache, openingBody, backingOff) |
/// | connecting | a connection (→ exchanging), none with room (→ awaitingConnection), a body to hash (→ openingBody), `suspend()` (→ readyToConnect), no server (→ checkingNetwork, replayingCache, openingBody, backingOff) |
/// | exchanging | the end of the response (→ finished), a new attempt (→ queued), a lost request (→ connecting, awaitingConnection, readyToConnect, openingBody, backingOff), a stored response (→ replayingCache) |
/// | replayingCache | the end of the stored body (→ finished), a stored redirect (→ queued) |
/// | backingOff | its date (→ openingBody) |
/// | finished | never |
///
/// ``Name/exits`` has the same moves, and `Transfer.enter(_:)` holds the engine to them. Every state but `finished` also ends
/// with a failure or `cancel()`. Suspension, a slow delegate and a
/// pending question are independent of the state: see `Transfer.Pauses`. A transfer that is suspended before
/// it has a connection stays `queued` without a place in the queue, and consults the cache again when it is
/// resumed. One that has left the queue for a slot stays `queued` until it is processed, in the same turn.
enum TransferState {
    /// Until a time of the monotonic clock in nanoseconds; nil until the delegate has answered.
    case delayed(until: UInt64?)
    case openingPartialFile(PartialFileOpening)
    case consultingCache
    case checkingNetwork(NetworkCheck)
    case queued
    case openingBody
    /// Suspended with an open body.
    case readyToConnect
    /// Another transfer opens a connection that this one may share.
    case awaitingConnection
    case connecting
    case exchanging
    case replayingCache(CacheReplay)
    case backingOff(until: UInt64)
    case finished

    /// A check of the networks, and its purpose.
    struct NetworkCheck {
        /// Distinguishes this check from earlier ones.
        var number: Int
        /// The error of the failed connection; reported if there is a network.
        var failure: URLError?
    }

    /// A stored body that is being delivered.
    struct CacheReplay {
        let body: CacheBody
        var position = 0
        /// Whether the next piece is being read from a file.
        var isReading = false

        init(_ body: CacheBody) {
            self.body = body
        }
    }
}

extension TransferState {
    var isFinished: Bool { if case .finished = self { true } else { false } }
    var isQueued: Bool { if case .queued = self { true } else { false } }
    var isConsultingCache: Bool { if case .consultingCache = self { true } else { false } }
    var isOpeningBody: Bool { if case .openingBody = self { true } else { false } }
    var isReadyToConnect: Bool { if case .readyToConnect = self { true } else { false } }
    var isAwaitingConnection: Bool { if case .awaitingConnection = self { true } else { false } }
    var isConnecting: Bool { if case .connecting = self { true } else { false } }
    var isExchanging: Bool { if case .exchanging = self { true } else { false } }

    var networkCheck: NetworkCheck? {
        if case .checkingNetwork(let check) = self { check } else { nil }
    }

    /// The stored body that is being delivered.
    var replay: CacheReplay? {
        get { if case .replayingCache(let replay) = self { replay } else { nil } }
        set { if let newValue, replay != nil { self = .replayingCache(newValue) } }
    }

    /// When the engine has to act even if nothing happens.
    var date: UInt64? {
        switch self {
        case .delayed(let date): date
        case .backingOff(let date): date
        default: nil
        }
    }

    /// Whether libcurl has the request.
    var isOnTheWire: Bool { isConnecting || isExchanging }

    /// Whether the server has not responded yet, so that a stored response may replace its response.
    var isReachingServer: Bool { isOnTheWire || isAwaitingConnection || networkCheck != nil }
}
