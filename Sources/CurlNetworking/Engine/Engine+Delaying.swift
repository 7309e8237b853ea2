import FoundationEssentials
import Synchronization

// Transfers that wait for a date: `earliestBeginDate`, or the end of a backoff between attempts.

extension Engine {
    /// Delays a transfer until its date.
    func delay(_ transfer: Transfer, until date: Date) {
        let seconds = date.timeIntervalSinceNow
        guard seconds > 0 else { return askWhetherToBegin(transfer) }
        transfer.enter(.delayed(until: now + UInt64(min(seconds, 1e9) * 1e9)))
        updateTimers(of: transfer)
    }

    /// Called when the date of a transfer's state has passed.
    func dateReached(for transfer: Transfer) {
        switch transfer.state {
        case .delayed:
            // The system clock may have been set back.
            delay(transfer, until: transfer.task.earliestBeginDate ?? .distantPast)
        case .backingOff:
            openBody(of: transfer)
        default:
            break
        }
    }

    private func askWhetherToBegin(_ transfer: Transfer) {
        transfer.enter(.delayed(until: nil))
        let task = transfer.task
        guard task.listener != nil else { return beginDelayed(DelayedRequest(), transfer) }
        let answered = callback(for: transfer) { (engine, transfer, answer: DelayedRequest) in
            engine.beginDelayed(answer, transfer)
        }
        task.post(.delayed(transfer.request, Reply(answered)))
    }

    private func beginDelayed(_ answer: DelayedRequest, _ transfer: Transfer) {
        let task = transfer.task
        switch answer.disposition {
        case .continueLoading:
            startTransfer(transfer)
        case .useNewRequest:
            guard let request = answer.request.map(transfer.settings.secured),
                let url = request.url, let origin = Origin(of: url)
            else {
                let url = answer.request?.url
                return fail(transfer, with: URLError(.badURL, failingURL: url?.withoutCredentials))
            }
            transfer.makeAttempt(request.withoutCredentials)
            transfer.authentication = AuthenticationState(for: url)
            transfer.slot.place.origin = origin
            if !(task is URLSessionUploadTask) {
                transfer.source = BodySource(of: request)
            }
            let shown = transfer.request
            task.status.withLock { $0.currentRequest = shown }
            startTransfer(transfer)
        case .cancel:
            task.cancel()
        }
    }
}
