import FoundationEssentials
import Synchronization

// A data task whose answer turns out to be one for a file.

extension Engine {
    /// The delegate wants the rest of the answer in a file.
    func becomeDownload(_ task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.isAsking,
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
        stopWatchingNetwork(for: load)
        loads[load.id] = nil
        load.task = successor
        loads[load.id] = load
        load.caching.writer?.discard()
        load.caching.writer = nil
        makeFile(for: load)
        task.post(.becameDownload(successor)) { $0.successor = successor }
        load.pauses.remove(.asking)
        load.mark()
    }

    /// A task was cancelled after it had become another, and before anybody knew: neither goes on.
    func dropSuccessor(of task: URLSessionTask) {
        guard let successor = task.successor else { return }
        if let load = loads[ObjectIdentifier(successor)] {  // not over already
            leave(load)
            load.file?.discard()
        }
        successor.status.withLock { status in
            status.life.complete()
            status.predecessor = nil
        }
        task.session.strike(successor)
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
        toldSent = old.toldSent
        transactions = old.transactions
        followedRedirects = old.followedRedirects
        priority = old.priority
        taskDescription = old.taskDescription
    }
}
