import FoundationEssentials
import Synchronization

// What tasks ask of the engine. What a task wants is read from the task itself, so that jobs that come
// late or twice do no harm.

extension Engine {
    func lifeChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        let wasSuspended = transfer.isSuspended
        if task.isHeld {
            transfer.pauses.insert(.suspended)
        } else {
            transfer.pauses.remove(.suspended)
        }
        switch transfer.state {
        case _ where transfer.isSuspended == wasSuspended:
            break
        case .queued where transfer.isSuspended:
            slots.withdraw(transfer.id, from: transfer.slot.place)
        case .queued:
            begin(transfer)
        case .readyToConnect where !transfer.isSuspended:
            connect(transfer)
        case .awaitingConnection where transfer.isSuspended:
            leaveConnection(transfer)
            transfer.state = .readyToConnect
        case .connecting where transfer.isSuspended && !transfer.isAsking:
            holdConnecting(transfer)
        default:
            break
        }
        applyPauses(to: transfer)
        // What the kernel held has gone on meanwhile.
        if wasSuspended { checkUpload(of: transfer) }
    }

    /// Suspends a transfer that has no connection: nothing of the request has left yet.
    func holdConnecting(_ transfer: Transfer) {
        closeAttempt(of: transfer)
        transfer.makeAttempt()
        transfer.state = .readyToConnect
    }

    func priorityChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        if transfer.attempt.http.isMultiplexed, transfer.state.isExchanging {
            transfer.attempt.easy?.setStreamWeight(ofPriority: task.priority)
        }
        guard transfer.isQueued else { return }
        slots.withdraw(transfer.id, from: transfer.slot.place)
        enqueue(transfer)
    }

    /// What it waits for is due at another time now.
    func receivingRateChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task.successor ?? task)] else { return }
        transfer.attempt.received.pace.begin()
        applyPauses(to: transfer)
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

    // MARK: - Pauses

    /// Brings timers and libcurl in line with why a transfer is paused, if it is.
    func applyPauses(to transfer: Transfer) {
        if transfer.state.replay != nil { return replayMore(of: transfer) }
        updateTimers(of: transfer)
        guard transfer.state.isExchanging, transfer.attempt.result == nil else { return }
        transfer.attempt.pause(
            receiving: !transfer.pauses.isEmpty || transfer.attempt.isHeldByRate,
            sending: transfer.attempt.body.isAwaited || transfer.isSuspended)
    }
}

extension URLSessionTask {
    /// Whether it is suspended now.
    var isHeld: Bool { status.withLock { $0.life.isHeld } }
}
