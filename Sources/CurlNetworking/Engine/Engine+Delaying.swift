import FoundationEssentials
import Synchronization

// Loads that rest: before their first leg, until a date; between two legs, so that a server in trouble
// is not asked all the time.

extension Engine {
    /// Whether a task has to wait for its date.
    func delays(_ load: Load) -> Bool {
        guard let date = load.task.earliestBeginDate else { return false }
        load.stage = .preparing
        load.isDelayed = true
        wait(load, until: date)
        return true
    }

    private func wait(_ load: Load, until date: Date) {
        let seconds = date.timeIntervalSinceNow
        guard seconds > 0 else { return askWhetherToBegin(load) }
        load.restsUntil = now + UInt64(min(seconds, 1e9) * 1e9)
        deadlineChanged(of: load)
    }

    /// A rest is over.
    func wake(_ load: Load) {
        load.restsUntil = nil
        guard load.isDelayed else { return prepareBody(of: load) }
        // Somebody may have set the clock back.
        wait(load, until: load.task.earliestBeginDate ?? .distantPast)
    }

    private func askWhetherToBegin(_ load: Load) {
        let task = load.task
        guard task.listener != nil else { return takeUp(DelayedRequest(), for: task) }
        task.post(
            .delayed(
                load.request,
                Reply { answer in Self.shared.submit { $0.takeUp(answer, for: task) } }))
    }

    private func takeUp(_ answer: DelayedRequest, for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)], load.isDelayed, load.restsUntil == nil
        else {
            return
        }
        load.isDelayed = false
        switch answer.disposition {
        case .continueLoading:
            setOut(load)
        case .useNewRequest:
            guard let request = answer.request, let url = request.url, let origin = Origin(of: url)
            else {
                let url = answer.request?.url
                return end(load, with: URLError(.badURL, failingURL: url?.withoutCredentials))
            }
            load.request = request.withoutCredentials
            load.authentication = AuthenticationState(for: url)
            load.place.origin = origin
            if !(task is URLSessionUploadTask) {
                load.source = request.httpBody.map(BodySource.data) ?? .none
            }
            let shown = load.request
            task.status.withLock { $0.currentRequest = shown }
            setOut(load)
        case .cancel:
            task.cancel()
        }
    }
}
