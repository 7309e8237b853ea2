import CurlNetworkingNames
import FoundationEssentials
import Synchronization

extension URLSessionTask {
    var madeProgress: Progress {
        status.withLock { status in
            if let progress = status.progress { return progress }
            let (completed, total) = status.unitCounts
            let progress = session.callbackQueue.makeProgress(totalUnitCount: total)
            progress.update(completedUnitCount: completed, totalUnitCount: total)
            progress.isPausable = true
            progress.cancellationHandler = { [weak self] in self?.cancel() }
            progress.pausingHandler = { [weak self] in self?.suspend() }
            progress.resumingHandler = { [weak self] in self?.resume() }
            status.progress = progress
            return progress
        }
    }

    /// Updates the progress after a change of counts, if it was ever requested.
    func updateProgress() {
        let found = status.withLock { status in
            status.progress.map { ($0, status.unitCounts) }
        }
        guard let (progress, (completed, total)) = found else { return }
        progress.update(completedUnitCount: completed, totalUnitCount: total)
    }

    /// Whether the engine delivers the body piece by piece.
    var deliversAsItComes: Bool {
        if case .delegate = receiver { prefersIncrementalDelivery } else { true }
    }

    /// Whether the body is delivered as it arrives; true by default. Otherwise it is kept in memory, and the
    /// delegate receives it in one call when it is complete.
    public var prefersIncrementalDelivery: Bool {
        get { status.withLock { $0.delivery.isIncremental } }
        set { status.withLock { $0.delivery.isIncremental = newValue } }
    }
}

extension TaskStatus {
    /// The values of the task's progress; a total of -1 if unknown.
    fileprivate var unitCounts: (completed: Int64, total: Int64) {
        let received = counts.resumedOffset + counts.received
        let completed = counts.sent + received
        if life.state == .completed, error == nil { return (max(completed, 1), max(completed, 1)) }
        let toSend = counts.expectedToSend >= 0 ? counts.expectedToSend : counts.clientExpectsToSend
        guard toSend >= 0, let toReceive,
            // A server can announce any length.
            case (let total, false) = toSend.addingReportingOverflow(toReceive), total > 0
        else { return (completed, -1) }
        return (min(completed, total - 1), total)
    }

    /// The number of bytes of the response body, those of an earlier task included; nil if unknown.
    private var toReceive: Int64? {
        if response == nil { return max(counts.clientExpectsToReceive, 0) }
        guard counts.expectedToReceive >= 0 else {
            return counts.clientExpectsToReceive >= 0 ? counts.clientExpectsToReceive : nil
        }
        let (total, isTooLarge) = counts.resumedOffset.addingReportingOverflow(
            counts.expectedToReceive)
        return isTooLarge ? nil : total
    }
}
