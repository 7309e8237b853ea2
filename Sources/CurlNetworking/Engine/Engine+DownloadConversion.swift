import FoundationEssentials
import Synchronization

// Data tasks that become download tasks.

extension Engine {
    /// Continues a data task as a download task, as its delegate has asked.
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
            status.reports.isReportingSuspended = true  // until the delegate has received it
            status.succession.predecessor = task  // whose body events may still be pending
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

    /// Ends a download task if its data task was cancelled before the delegate learned of the conversion.
    func dropSuccessor(of task: URLSessionTask) {
        guard let successor = task.successor else { return }
        if let transfer = transfers[ObjectIdentifier(successor)] {  // still running
            closeTransfer(transfer)
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
    /// Copies the state that the new task continues with.
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
