import FoundationEssentials
import Synchronization

// Loads that rest: before their first attempt, until a date; between two attempts, so that a server in trouble
// is not asked all the time.

extension Engine {
    /// Whether a task has to wait for its date.
    func delays(_ transfer: Transfer) -> Bool {
        guard let date = transfer.task.earliestBeginDate else { return false }
        transfer.stage = .preparing
        transfer.isDelayed = true
        wait(transfer, until: date)
        return true
    }

    private func wait(_ transfer: Transfer, until date: Date) {
        let seconds = date.timeIntervalSinceNow
        guard seconds > 0 else { return askWhetherToBegin(transfer) }
        transfer.retryDate = now + UInt64(min(seconds, 1e9) * 1e9)
        deadlineChanged(of: transfer)
    }

    /// A rest is over.
    func wake(_ transfer: Transfer) {
        transfer.retryDate = nil
        guard transfer.isDelayed else { return prepareBody(of: transfer) }
        // Somebody may have set the clock back.
        wait(transfer, until: transfer.task.earliestBeginDate ?? .distantPast)
    }

    private func askWhetherToBegin(_ transfer: Transfer) {
        let task = transfer.task
        guard task.listener != nil else { return takeUp(DelayedRequest(), for: task) }
        task.post(
            .delayed(
                transfer.request,
                Reply { answer in Self.shared.submit { $0.takeUp(answer, for: task) } }))
    }

    private func takeUp(_ answer: DelayedRequest, for task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.isDelayed,
            transfer.retryDate == nil
        else {
            return
        }
        transfer.isDelayed = false
        switch answer.disposition {
        case .continueLoading:
            startTransfer(transfer)
        case .useNewRequest:
            guard let request = answer.request, let url = request.url, let origin = Origin(of: url)
            else {
                let url = answer.request?.url
                return fail(transfer, with: URLError(.badURL, failingURL: url?.withoutCredentials))
            }
            transfer.request = request.withoutCredentials
            transfer.authentication = AuthenticationState(for: url)
            transfer.place.origin = origin
            if !(task is URLSessionUploadTask) {
                transfer.source = request.httpBody.map(BodySource.data) ?? .none
            }
            let shown = transfer.request
            task.status.withLock { $0.currentRequest = shown }
            startTransfer(transfer)
        case .cancel:
            task.cancel()
        }
    }
}
