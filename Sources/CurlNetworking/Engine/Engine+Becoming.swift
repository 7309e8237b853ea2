import FoundationEssentials
import Synchronization

// A data task whose answer turns out to be one for a file.

extension Engine {
    /// The delegate wants the rest of the answer in a file.
    func becomeDownload(_ transfer: Transfer) {
        let task = transfer.task
        guard let old = task.status.withLock({ $0.life.isOver ? nil : $0 }) else { return }
        let successor = task.session.adopt { identifier in
            URLSessionDownloadTask(
                session: task.session, identifier: identifier, request: task.firstRequest,
                source: task.source, receiver: .fileDelegate, delegate: old.delegate)
        }
        successor.status.withLock { status in
            status.takeOver(old)
            status.reports.isHeldBack = true  // until the delegate knows of it
            status.succession.predecessor = task  // whose body may still be on its way
        }
        stopWatchingNetwork(for: transfer)
        let formerID = transfer.id
        transfers[formerID] = nil
        transfer.task = successor
        transfers[transfer.id] = transfer
        sharing.rename(formerID, to: transfer.id, at: transfer.slot.place)
        transfer.attempt.cache.writer?.discard()
        transfer.attempt.cache.writer = nil
        makeFile(for: transfer)
        task.post(.becameDownload(successor)) { $0.succession.successor = successor }
    }

    /// A task was cancelled after it had become another, and before anybody knew: neither goes on.
    func dropSuccessor(of task: URLSessionTask) {
        guard let successor = task.successor else { return }
        if let transfer = transfers[ObjectIdentifier(successor)] {  // not over already
            close(transfer)
            transfer.answer.file?.discard()
        }
        successor.status.withLock { status in
            status.life.complete()
            status.succession.predecessor = nil
        }
        task.session.unregister(successor)
    }
}

extension TaskStatus {
    /// What a task goes on with that takes another one's place.
    fileprivate mutating func takeOver(_ old: TaskStatus) {
        life = old.life
        currentRequest = old.currentRequest
        response = old.response
        counts.received = old.counts.received
        counts.sent = old.counts.sent
        counts.expectedToSend = old.counts.expectedToSend
        counts.expectedToReceive = old.counts.expectedToReceive
        reports.sent = old.reports.sent
        metrics = old.metrics
        priority = old.priority
        taskDescription = old.taskDescription
    }
}
