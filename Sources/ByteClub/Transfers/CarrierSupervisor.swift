internal import ByteClubMessages
internal import ClubAccess
internal import ClubStore

/// Starts the process that performs transfers; in tests, this process does.
protocol TransferCarrying: Sendable {
    /// Starts the process unless it is running.
    ///
    /// - Returns: Why it could not be started; nil on success.
    func start() async -> String?
    func isRunning() async -> Bool
}

extension CarrierProcess: TransferCarrying {}

/// What the transfers need of a ``CarrierSupervisor``.
struct CarrierNeeds: Equatable {
    /// Whether the journal's folder is not watched.
    var mustPoll: Bool
    /// Whether there are transfers that should be running.
    var hasWantedTransfers: Bool
    /// Whether there is anything for the carrier to do.
    var hasWork: Bool
}

/// What a ``CarrierSupervisor`` asks and tells.
@MainActor protocol CarrierSupervisorDelegate: AnyObject {
    /// As they are now.
    var carrierNeeds: CarrierNeeds { get }
    /// Reads the journal.
    func poll() async
    func carrierDidFail(_ reason: String)
}

/// Keeps the process that performs transfers running while there are any.
@MainActor final class CarrierSupervisor {
    weak var delegate: (any CarrierSupervisorDelegate)?

    private let carrier: any TransferCarrying
    private let folder: String
    private let interval: Duration
    private var checking: Task<Void, Never>?
    /// How often the carrier was restarted since it last wrote a status.
    private var restartCount = 0
    private static let restartLimit = 5

    /// - Parameters:
    ///   - folder: The journal's, for messages.
    ///   - interval: How often to check whether the carrier was killed.
    init(_ carrier: any TransferCarrying, for folder: String, checkingEvery interval: Duration) {
        self.carrier = carrier
        self.folder = folder
        self.interval = interval
    }

    /// The carrier is alive: it has written a status.
    func didWriteStatus() { restartCount = 0 }

    func startCarrier() async {
        guard delegate?.carrierNeeds.hasWork == true, let reason = await carrier.start() else {
            return
        }
        delegate?.carrierDidFail(
            localized("The background program for transfers cannot be started: \(reason)."))
    }

    /// Begins or ends the checks, as the delegate's transfers need them.
    func update() {
        guard let needs = delegate?.carrierNeeds, needs.hasWantedTransfers || needs.mustPoll else {
            return stop()
        }
        guard checking == nil else { return }
        checking = Task { [weak self, interval] in
            var missedCount = 0
            while !Task.isCancelled {
                try? await Pause.sleep(for: interval)
                guard !Task.isCancelled, let self else { return }
                missedCount = await check(missedCount)
            }
        }
    }

    func stop() {
        checking?.cancel()
        checking = nil
    }

    /// Restarts a carrier that was killed; polls the folder if the system does not report changes.
    ///
    /// - Parameter missedCount: How often in a row it was not running.
    /// - Returns: The same, after this check.
    private func check(_ missedCount: Int) async -> Int {
        if let delegate, delegate.carrierNeeds.mustPoll { await delegate.poll() }
        guard checking != nil, delegate?.carrierNeeds.hasWantedTransfers == true else {
            if checking != nil { update() }
            return missedCount
        }
        guard await !carrier.isRunning() else { return 0 }
        // A carrier that is starting may not have announced itself yet.
        guard missedCount >= 1 else { return missedCount + 1 }
        await restartCarrier()
        return 0
    }

    /// A carrier that exits each time without a status, e.g. because its folder is not writable, is not restarted
    /// forever.
    private func restartCarrier() async {
        restartCount += 1
        guard restartCount > Self.restartLimit else { return await startCarrier() }
        restartCount = 0
        delegate?.carrierDidFail(
            localized(
                "The background program for transfers ends at once. See whether the folder "
                    + "\(TypedPath.shown(folder)) can be written and the disk has room, then try again."
            ))
    }
}
