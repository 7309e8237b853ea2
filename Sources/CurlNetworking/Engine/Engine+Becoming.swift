import FoundationEssentials
import Synchronization

// A data task whose answer turns out to be one for a file.

extension Engine {
    /// The delegate wants the rest of the answer in a file.
    func becomeDownload(_ task: URLSessionTask, attempt: Int) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.isAsking,
            let old = task.status.withLock({ $0.life.isOver ? nil : $0 })
        else { return }
        let successor = task.session.adopt { identifier in
            URLSessionDownloadTask(
                session: task.session, identifier: identifier, request: task.firstRequest,
                source: task.source, receiver: .fileDelegate, delegate: old.delegate)
        }
        successor.status.withLock { status in
            status.takeOver(old)
            status.isHeldBack = true  // until the delegate knows of it
            status.predecessor = task  // whose body may still be on its way
        }
        stopWatchingNetwork(for: transfer)
        transfers[transfer.id] = nil
        transfer.task = successor
        transfers[transfer.id] = transfer
        transfer.caching.writer?.discard()
        transfer.caching.writer = nil
        makeFile(for: transfer)
        task.post(.becameDownload(successor)) { $0.successor = successor }
        transfer.pauses.remove(.asking)
        transfer.mark()
    }

    /// A task was cancelled after it had become another, and before anybody knew: neither goes on.
    func dropSuccessor(of task: URLSessionTask) {
        guard let successor = task.successor else { return }
        if let transfer = transfers[ObjectIdentifier(successor)] {  // not over already
            remove(transfer)
            transfer.file?.discard()
        }
        successor.status.withLock { status in
            status.life.complete()
            status.predecessor = nil
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
        receivedByteCount = old.receivedByteCount
        sentByteCount = old.sentByteCount
        expectedToSend = old.expectedToSend
        expectedToReceive = old.expectedToReceive
        reportedSent = old.reportedSent
        transactions = old.transactions
        followedRedirects = old.followedRedirects
        priority = old.priority
        taskDescription = old.taskDescription
    }
}
