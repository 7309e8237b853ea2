import CByteClubCurl
import CurlNetworkingPlatform

/// A connected program, for one session. Owned by the helper, used on its queue only.
final class HelperClient {
    typealias Channel = BackgroundChannel<BackgroundRequest, BackgroundReply>

    let channel: Channel
    let process: pid_t
    /// The identifier of the session it has.
    var session: String?
    /// The identifier of the session it waits for.
    var awaited: String?
    /// The prefix of its files in the spool.
    var owner: String?
    var hasSaidHello = false

    init(_ channel: Channel, process: pid_t) {
        self.channel = channel
        self.process = process
    }
}

extension BackgroundHelper {
    func serve(client number: Int) {
        guard let client = clients[number] else { return }
        receive(from: client)
        if client.channel.isClosed {
            disconnect(client)
        } else if !client.channel.isBacklogged {
            sendDeferredProgress(to: client)
        }
    }

    private func receive(from client: HelperClient) {
        for request in client.channel.turn() {
            guard handle(request, client) == .handled else {
                log.note("process \(client.process) does not keep to the rules")
                return client.channel.close()
            }
        }
    }

    private func disconnect(_ client: HelperClient) {
        clients = clients.filter { $0.value !== client }
        guard let session = client.session else { return }
        answerByDefault(session)
        dismissWorkers(of: session)
        takeSpooledTasksSoon()  // also assigns waiting clients
    }

    func client(of session: String) -> HelperClient? {
        clients.values.first { $0.session == session && !$0.channel.isClosed }
    }

    func notify(_ session: String, _ reply: BackgroundReply) {
        client(of: session)?.channel.send(reply)
    }

    private enum Handling {
        case handled
        /// The request is invalid: the program does not keep to the protocol.
        case refused
    }

    private func handle(_ request: BackgroundRequest, _ client: HelperClient) -> Handling {
        switch request {
        case .hello(let version):
            client.hasSaidHello = true
            guard version <= BackgroundVersion.current else {
                client.channel.send(.givingWay)
                shutDown("process \(client.process) speaks version \(version)")
                return .handled
            }
            client.channel.send(.welcome(version: version))
            return .handled
        case .attach(let session, let owner, let waits):
            // The session may have been assigned while the client asked again.
            if client.session == session { return .handled }
            guard client.hasSaidHello, client.session == nil, !session.isEmpty else {
                return .refused
            }
            client.owner = owner
            attach(client, to: session, hasWaited: waits ?? false)
            return .handled
        default:
            guard let session = client.session else { return .refused }
            return handle(request, client, of: session)
        }
    }

    private func attach(_ client: HelperClient, to session: String, hasWaited: Bool) {
        if let holder = self.client(of: session) {
            guard holder.channel.isDeserted else {
                client.awaited = session
                return client.channel.send(.inUse(process: holder.process))
            }
            receive(from: holder)  // messages sent before it disconnected
            holder.channel.close()
            disconnect(holder)
        }
        if hasWaited, awaitsReconnect(of: session) {
            client.awaited = session
        } else {
            takeSpooledTasks()
            assign(client, to: session)
        }
    }

    /// Whether the process that had the session at the previous helper may still reconnect.
    private func awaitsReconnect(of session: String) -> Bool {
        !seenSessions.contains(session) && Self.now < reconnectDeadline
    }

    /// Gives free sessions to the clients that have waited longest.
    func assignWaitingClients() {
        for (_, client) in clients.sorted(by: { $0.key < $1.key }) {
            guard let session = client.awaited, !client.channel.isClosed,
                self.client(of: session) == nil, !awaitsReconnect(of: session)
            else { continue }
            assign(client, to: session)
        }
    }

    private func assign(_ client: HelperClient, to session: String) {
        seenSessions.insert(session)
        client.awaited = nil
        client.session = session
        for record in journal.tasks(of: session) { client.channel.send(.task(record)) }
        client.channel.send(.attached)
        // Progress since its last helper ended: it may be the only progress for a while.
        sendDeferredProgress(to: client)
        // A starting program may mean that the network is available again.
        for transfer in transfers.values where transfer.id.session == session {
            transfer.forgetFailures()
            if transfer.retryAt != nil { startAttempt(transfer) }
        }
    }

    private func handle(
        _ request: BackgroundRequest, _ client: HelperClient, of session: String
    ) -> Handling {
        switch request {
        case .hello, .attach:
            return .refused
        case .add(let record):
            guard record.session == session, record.isSound, record.state == .queued else {
                return .refused
            }
            add(record, for: client)
        case .suspend(let number):
            setSuspended(.init(session: session, number: number), true)
        case .resume(let number):
            setSuspended(.init(session: session, number: number), false)
        case .prioritize(let number, let priority):
            guard priority.isFinite else { return .refused }
            prioritize(.init(session: session, number: number), priority)
        case .describe(let number, let text):
            keep(number, in: session) { $0.description = text }
        case .cancel(let number):
            cancel(.init(session: session, number: number))
            client.channel.send(.gone(number))
        case .cancelProducingResumeData(let number):
            let data = takeResumeData(.init(session: session, number: number))
            client.channel.send(.resumeData(number, data))
            client.channel.send(.gone(number))
        case .respond(let number, let question, let answer):
            let transfer = transfers[.init(session: session, number: number)]
            guard let asked = transfer?.attempt.questions.removeValue(forKey: question) else {
                return .handled
            }
            let (disposition, credential) = answer.answer(asked.trust)
            asked.receive(disposition, credential)
        case .delivered(let number):
            forget(.init(session: session, number: number))
            client.channel.send(.gone(number))
        }
        return .handled
    }

    private func add(_ record: BackgroundTaskRecord, for client: HelperClient) {
        if let present = journal[record.session, record.number] {
            // The same task: its program missed our reply. Its own state is newer.
            guard present.key != record.key else {
                removeSpooled(of: record, client)
                client.channel.send(.added(record.number))
                return catchUp(with: record)
            }
            let error = URLError(
                .backgroundSessionInUseByAnotherProcess,
                underlyingText: "another process has given this session a task of this number")
            return client.channel.send(.refused(record.number, BackgroundFailure(error)))
        }
        do {
            try journal.add(record)
        } catch {
            log.note("cannot keep task \(record.number): \(error)")
            return client.channel.send(.refused(record.number, BackgroundFailure(error)))
        }
        removeSpooled(of: record, client)
        client.channel.send(.added(record.number))
        carry(record)
    }

    private func removeSpooled(of record: BackgroundTaskRecord, _ client: HelperClient) {
        guard let owner = client.owner else { return }
        PendingTaskSpool(paths).remove(record.number, of: record.session, owner: owner)
    }

    private func catchUp(with record: BackgroundTaskRecord) {
        guard let present = journal[record.session, record.number], !present.state.isOver else {
            return
        }
        let id = HelperTransfer.ID(session: record.session, number: record.number)
        prioritize(id, record.priority)
        keep(id.number, in: id.session) { $0.description = record.description }
        if present.isSuspended != record.isSuspended { setSuspended(id, record.isSuspended) }
    }

    private func prioritize(_ id: HelperTransfer.ID, _ priority: Float) {
        keep(id.number, in: id.session) { $0.priority = priority }
        transfers[id]?.attempt.inner?.priority = priority
    }

    /// Changes a task's record. If that cannot be written, the change is lost.
    func keep(
        _ number: Int, in session: String, _ change: (inout BackgroundTaskRecord) -> Void
    ) {
        do {
            try journal.change(number, in: session, change)
        } catch {
            log.note("cannot note a change of task \(number): \(error)")
        }
    }

    enum QuestionResult {
        case asked
        /// The program is not connected.
        case notConnected
    }

    /// Sends a challenge to the task's program.
    func ask(
        _ challenge: URLAuthenticationChallenge, for transfer: HelperTransfer,
        _ receive:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> QuestionResult {
        guard let client = self.client(of: transfer.id.session) else { return .notConnected }
        lastQuestion += 1
        transfer.attempt.questions[lastQuestion] = HelperTransfer.Question(
            trust: challenge.protectionSpace.serverTrust, receive: receive)
        client.channel.send(
            .challenged(
                transfer.id.number, question: lastQuestion, BackgroundChallenge(challenge)))
        return .asked
    }

    /// Applies default handling, because the program disconnected without answering.
    private func answerByDefault(_ session: String) {
        for transfer in transfers.values where transfer.id.session == session {
            for question in transfer.attempt.questions.values {
                question.receive(.performDefaultHandling, nil)
            }
            transfer.attempt.questions = [:]
        }
    }

    private func sendDeferredProgress(to client: HelperClient) {
        for transfer in transfers.values where transfer.id.session == client.session {
            guard let reply = transfer.deferredProgress else { continue }
            transfer.deferredProgress = nil
            client.channel.send(reply)
        }
    }

    func notifyProgress(of transfer: HelperTransfer, _ reply: BackgroundReply) {
        guard let client = self.client(of: transfer.id.session), !client.channel.isBacklogged else {
            return transfer.deferredProgress = reply
        }
        transfer.deferredProgress = nil
        client.channel.send(reply)
    }
}
