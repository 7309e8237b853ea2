import FoundationEssentials
import Synchronization

// Jobs submitted by tasks. They read the task's current state, so that late or duplicate jobs do no harm.

extension Engine {
    func lifeChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        let wasSuspended = transfer.isSuspended
        if task.isSuspended {
            transfer.pauses.insert(.suspended)
        } else {
            transfer.pauses.remove(.suspended)
        }
        switch transfer.state {
        case _ where transfer.isSuspended == wasSuspended:
            break
        case .queued where transfer.isSuspended:
            slots.withdraw(transfer.id, from: transfer.slot.place)
            releaseSlot(of: transfer)  // if it was admitted and has not opened its body
        case .queued:
            beginAttempt(transfer)
        case .readyToConnect where !transfer.isSuspended:
            connect(transfer)
        case .awaitingConnection where transfer.isSuspended:
            leaveSharing(transfer)
            transfer.enter(.readyToConnect)
        case .connecting where transfer.isSuspended && !transfer.isAsking:
            suspendConnecting(transfer)
        default:
            break
        }
        applyPauses(to: transfer)
        // The kernel has continued to send its buffer meanwhile.
        if wasSuspended { checkUpload(of: transfer) }
    }

    /// Suspends a transfer that has no connection: nothing of the request has been sent.
    func suspendConnecting(_ transfer: Transfer) {
        closeAttempt(of: transfer)
        transfer.makeAttempt()
        transfer.enter(.readyToConnect)
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

    /// Recalculates when reading may continue.
    func receivingRateChanged(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task.successor ?? task)] else { return }
        transfer.attempt.received.rateLimiter.begin()
        applyPauses(to: transfer)
    }

    func abort(_ task: URLSessionTask) {
        if let transfer = transfers[ObjectIdentifier(task)] { return stop(transfer) }
        dropSuccessor(of: task)
        // Given resume data stays valid if the task never began.
        let hasBegun = task.status.withLock { $0.life.hasBegun }
        task.finishCancelling(
            resumeData: !hasBegun && task.wantsResumeData ? task.givenResumeData : nil)
    }

    func flowOpened(for task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        transfer.pauses.remove(.flow)
        applyPauses(to: transfer)
    }

    // MARK: - Pauses

    /// Applies the pauses of a transfer to its timers and to libcurl.
    func applyPauses(to transfer: Transfer) {
        if transfer.state.replay != nil { return replayMore(of: transfer) }
        updateTimers(of: transfer)
        guard transfer.state.isExchanging, transfer.attempt.result == nil else { return }
        transfer.attempt.pause(
            receiving: !transfer.pauses.isEmpty || transfer.attempt.isRateLimited,
            sending: transfer.attempt.body.isAwaited || transfer.isSuspended)
    }
}

extension URLSessionTask {
    /// Whether the task is suspended.
    var isSuspended: Bool { status.withLock { $0.life.isSuspended } }
}
