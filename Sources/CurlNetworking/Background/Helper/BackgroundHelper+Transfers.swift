import Dispatch
import FoundationEssentials

// The tasks that run: starting, timers, suspending.

extension BackgroundHelper {
    /// Whether a transfer keeps the helper running. A suspended one does not.
    func isAtWork(_ transfer: HelperTransfer) -> Bool {
        if transfer.isFinishing || transfer.attempt.check != nil { return true }
        guard transfer.attempt.inner != nil || transfer.retryAt != nil else { return false }
        return journal[transfer.id.session, transfer.id.number]?.isSuspended == false
    }

    /// Starts a task of the journal.
    func carry(_ record: BackgroundTaskRecord) {
        let transfer = HelperTransfer(.init(session: record.session, number: record.number))
        transfers[transfer.id] = transfer
        guard !record.isSuspended else { return }
        setDeadline(of: transfer, record)
        startAttempt(transfer)
    }

    private func setDeadline(of transfer: HelperTransfer, _ record: BackgroundTaskRecord) {
        guard let deadline = record.deadline else { return }
        let left = deadline - Date.now.timeIntervalSince1970
        transfer.deadline = Self.now + UInt64(max(0, min(left, 1e9)) * 1e9)
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Handles due timers.
    func wakeTransfers() {
        let now = Self.now
        for transfer in Array(transfers.values) {
            if transfer.isPastDeadline(at: now), !transfer.isFinishing {
                expire(transfer)
            } else if let retryAt = transfer.retryAt, retryAt <= now {
                startAttempt(transfer)
            }
        }
    }

    func expire(_ transfer: HelperTransfer) {
        fail(
            transfer,
            URLError(.timedOut, underlyingText: "timeoutIntervalForResource has expired"))
    }

    func setSuspended(_ id: HelperTransfer.ID, _ isSuspended: Bool) {
        let time = Int64(Date.now.timeIntervalSince1970)
        keep(id.number, in: id.session) { record in
            if isSuspended { record.suspend(at: time) } else { record.resume(at: time) }
        }
        guard let transfer = transfers[id], let record = journal[id.session, id.number] else {
            return
        }
        transfer.deadline = nil
        if !isSuspended { setDeadline(of: transfer, record) }
        if let inner = transfer.attempt.inner {
            guard (inner.state == .suspended) != isSuspended else { return }
            if isSuspended { inner.suspend() } else { inner.resume() }
        } else if isSuspended {
            transfer.retryAt = nil
        } else if !transfer.isFinishing, transfer.attempt.check == nil {
            startAttempt(transfer)
        }
    }
}
