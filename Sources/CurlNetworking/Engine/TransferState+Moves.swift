extension TransferState {
    /// A state without its values.
    enum Name: String, CaseIterable {
        case delayed, openingPartialFile, consultingCache, checkingNetwork, queued, openingBody,
            readyToConnect, awaitingConnection, connecting, exchanging, replayingCache, backingOff,
            finished

        /// The states that may follow this one; each but `finished` may also end with a failure or `cancel()`.
        ///
        /// The diagram in `docs/HowATransferRuns.md` shows the same moves, and what causes them.
        var exits: Set<Name> {
            switch self {
            case .delayed: [.openingPartialFile, .queued]
            case .openingPartialFile: [.queued]
            case .consultingCache: [.queued]
            case .checkingNetwork: [.queued, .replayingCache]
            case .queued: [.consultingCache, .replayingCache, .checkingNetwork, .openingBody]
            case .openingBody: [.connecting, .awaitingConnection, .readyToConnect]
            case .readyToConnect: [.connecting, .awaitingConnection, .openingBody]
            case .awaitingConnection:
                [.connecting, .readyToConnect, .openingBody, .backingOff, .replayingCache]
            case .connecting:
                [
                    .exchanging, .readyToConnect, .awaitingConnection, .checkingNetwork,
                    .openingBody, .backingOff, .replayingCache,
                ]
            case .exchanging:
                [
                    .queued, .connecting, .awaitingConnection, .readyToConnect, .openingBody,
                    .backingOff, .replayingCache, .finished,
                ]
            case .replayingCache: [.queued, .finished]
            case .backingOff: [.openingBody]
            case .finished: []
            }
        }

        /// The states in which a transfer may begin.
        static let entries: Set<Name> = [.queued, .delayed, .openingPartialFile]

        /// Whether another state may follow. A state may follow itself with other values, as when a network is
        /// checked again.
        func mayBecome(_ next: Name) -> Bool {
            next == self || exits.contains(next) || (next == .finished && self != .finished)
        }
    }

    var name: Name {
        switch self {
        case .delayed: .delayed
        case .openingPartialFile: .openingPartialFile
        case .consultingCache: .consultingCache
        case .checkingNetwork: .checkingNetwork
        case .queued: .queued
        case .openingBody: .openingBody
        case .readyToConnect: .readyToConnect
        case .awaitingConnection: .awaitingConnection
        case .connecting: .connecting
        case .exchanging: .exchanging
        case .replayingCache: .replayingCache
        case .backingOff: .backingOff
        case .finished: .finished
        }
    }
}
