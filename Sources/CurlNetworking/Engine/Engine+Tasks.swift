import FoundationEssentials
import Synchronization

// What tasks ask of the engine. What a task wants is read from the task itself, so that jobs that
// come late or twice do no harm. As in the files beside this one, every function runs in a turn of the
// engine, never inside a callback of libcurl.

extension Engine {
    func start(_ task: URLSessionTask) {
        guard transfers[ObjectIdentifier(task)] == nil, !task.status.withLock({ $0.life.isOver })
        else {
            return
        }
        if let failure = task.startFailure {
            return task.post(.completed(TaskResult(error: failure)))
        }
        let request = task.requestToLoad
        guard let url = request.url, let origin = Origin(of: url) else {
            let url = request.url
            let isHTTP = ["http", "https"].contains(url?.scheme?.lowercased())
            let code: URLError.Code = isHTTP ? .badURL : .unsupportedURL
            return task.post(
                .completed(TaskResult(error: URLError(code, failingURL: url?.withoutCredentials))))
        }
        let transfer = Transfer(task: task, origin: origin, marks: marks, sockets: sockets)
        transfers[transfer.id] = transfer
        noteSuspension(of: transfer)
        if !delays(transfer) { startTransfer(transfer) }
    }

    /// The time to begin has come.
    func startTransfer(_ transfer: Transfer) {
        resumeUpload(transfer)
        if !openPartialFile(for: transfer) { begin(transfer) }
    }

    func lifeChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        noteSuspension(of: transfer)
        let isSuspended = transfer.pauses.contains(.suspended)
        switch transfer.stage {
        case .waiting where isSuspended && transfer.isQueued:
            slots.withdraw(transfer.id, from: transfer.place)
            transfer.isQueued = false
        case .waiting where !isSuspended && !transfer.isQueued:
            begin(transfer)
        case .held where !isSuspended:
            connect(transfer)
        case .connecting where isSuspended && !transfer.isAsking:
            detach(transfer)  // nothing of the request has left yet
            transfer.stage = .held
        default:
            break
        }
        applyPauses(to: transfer)
    }

    func priorityChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.isQueued else { return }
        slots.withdraw(transfer.id, from: transfer.place)
        transfer.isQueued = false
        enqueue(transfer)
    }

    func abort(_ task: URLSessionTask) {
        if let transfer = transfers[ObjectIdentifier(task)] { return stop(transfer) }
        dropSuccessor(of: task)
        // What was given is all there is, as long as nothing was begun with it.
        let isFresh = !task.status.withLock { $0.life.hasStarted }
        task.finishCancelling(
            resumeData: isFresh && task.wantsResumeData ? task.givenResumeData : nil)
    }

    func fail(_ task: URLSessionTask, with error: URLError) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        fail(transfer, with: error.failingURL == nil ? error.for(transfer.request.url) : error)
    }

    func flowOpened(for task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        transfer.pauses.remove(.flow)
        applyPauses(to: transfer)
    }

    func noteSuspension(of transfer: Transfer) {
        if transfer.task.status.withLock({ $0.life.isHeld }) {
            transfer.pauses.insert(.suspended)
        } else {
            transfer.pauses.remove(.suspended)
        }
    }

    // MARK: - Pauses

    func applyPauses(to transfer: Transfer) {
        if transfer.stage == .serving { return serveMore(transfer) }
        transfer.updateTimers(at: now)
        deadlineChanged(of: transfer)
        guard transfer.stage == .exchanging, transfer.result == nil, let easy = transfer.easy else {
            return
        }
        _ = easy.pause(
            receiving: !transfer.pauses.isEmpty,
            sending: transfer.isAwaitingBody || transfer.pauses.contains(.suspended))
    }
}
