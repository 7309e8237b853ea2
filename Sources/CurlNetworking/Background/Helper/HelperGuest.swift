import CCurl
import Glibc

/// A program that is connected, on behalf of one session. Owned by the helper, used on its queue alone.
final class HelperGuest {
    typealias Channel = BackgroundChannel<BackgroundRequest, BackgroundReply>

    let channel: Channel
    let process: pid_t
    /// The identifier of the session it has.
    var session: String?
    /// The identifier of the session it waits for.
    var awaited: String?
    /// What its deposits are known by.
    var owner: String?
    var hasSaidHello = false

    init(_ channel: Channel, process: pid_t) {
        self.channel = channel
        self.process = process
    }
}

extension BackgroundHelper {
    func attend(toGuest number: Int) {
        guard let guest = guests[number] else { return }
        hear(guest)
        if guest.channel.isClosed {
            bidFarewell(to: guest)
        } else if !guest.channel.isBacklogged {
            tellUntold(to: guest)
        }
    }

    private func hear(_ guest: HelperGuest) {
        for request in guest.channel.turn() {
            guard answer(request, guest) else {
                log.note("process \(guest.process) does not keep to the rules")
                return guest.channel.close()
            }
        }
    }

    private func bidFarewell(to guest: HelperGuest) {
        guests = guests.filter { $0.value !== guest }
        guard let session = guest.session else { return }
        answerForItself(session)
        dismissWorkers(of: session)
        takeDepositsSoon()  // and lets in who waits
    }

    func guest(of session: String) -> HelperGuest? {
        guests.values.first { $0.session == session && !$0.channel.isClosed }
    }

    func tell(_ session: String, _ reply: BackgroundReply) {
        guest(of: session)?.channel.send(reply)
    }

    /// Returns whether the request makes sense.
    private func answer(_ request: BackgroundRequest, _ guest: HelperGuest) -> Bool {
        switch request {
        case .hello(let version):
            guest.hasSaidHello = true
            guard version <= BackgroundVersion.current else {
                guest.channel.send(.givingWay)
                leave("process \(guest.process) speaks version \(version)")
                return true
            }
            guest.channel.send(.welcome(version: version))
            return true
        case .attach(let session, let owner, let waits):
            // One that has waited may have been let in while it asked again.
            if guest.session == session { return true }
            guard guest.hasSaidHello, guest.session == nil, !session.isEmpty else { return false }
            guest.owner = owner
            attach(guest, to: session, hasWaited: waits ?? false)
            return true
        default:
            guard let session = guest.session else { return false }
            return answer(request, guest, of: session)
        }
    }

    private func attach(_ guest: HelperGuest, to session: String, hasWaited: Bool) {
        if let holder = self.guest(of: session) {
            guard holder.channel.isDeserted else {
                guest.awaited = session
                return guest.channel.send(.inUse(process: holder.process))
            }
            hear(holder)  // its last words
            holder.channel.close()
            bidFarewell(to: holder)
        }
        if hasWaited, awaitsHolder(of: session) {
            guest.awaited = session
        } else {
            takeDeposits()
            letIn(guest, to: session)
        }
    }

    /// Whether the process that had a session at the helper before may not have come back yet.
    private func awaitsHolder(of session: String) -> Bool {
        !seenSessions.contains(session) && Self.now < holdersAreBackAt
    }

    /// Gives sessions that are free to those who have waited for them longest.
    func letInWaiting() {
        for (_, guest) in guests.sorted(by: { $0.key < $1.key }) {
            guard let session = guest.awaited, !guest.channel.isClosed,
                self.guest(of: session) == nil, !awaitsHolder(of: session)
            else { continue }
            letIn(guest, to: session)
        }
    }

    private func letIn(_ guest: HelperGuest, to session: String) {
        seenSessions.insert(session)
        guest.awaited = nil
        guest.session = session
        for record in journal.tasks(of: session) { guest.channel.send(.task(record)) }
        guest.channel.send(.attached)
        // Whoever comes back may have brought the network along.
        for transfer in transfers.values where transfer.id.session == session {
            transfer.forgetFailures()
            if transfer.retryAt != nil { begin(transfer) }
        }
    }

    private func answer(
        _ request: BackgroundRequest, _ guest: HelperGuest, of session: String
    ) -> Bool {
        switch request {
        case .hello, .attach:
            return false
        case .add(let record):
            guard record.session == session, record.isSound, record.state == .queued else {
                return false
            }
            add(record, for: guest)
        case .suspend(let number):
            hold(.init(session: session, number: number), true)
        case .resume(let number):
            hold(.init(session: session, number: number), false)
        case .prioritize(let number, let priority):
            guard priority.isFinite else { return false }
            prioritize(.init(session: session, number: number), priority)
        case .describe(let number, let text):
            keep(number, in: session) { $0.description = text }
        case .cancel(let number):
            cancel(.init(session: session, number: number))
            guest.channel.send(.gone(number))
        case .cancelProducingResumeData(let number):
            let data = takeResumeData(.init(session: session, number: number))
            guest.channel.send(.resumeData(number, data))
            guest.channel.send(.gone(number))
        case .respond(let number, let question, let answer):
            let transfer = transfers[.init(session: session, number: number)]
            guard let asked = transfer?.questions.removeValue(forKey: question) else { return true }
            let (disposition, credential) = answer.answer(asked.trust)
            asked.receive(disposition, credential)
        case .delivered(let number):
            forget(.init(session: session, number: number))
            guest.channel.send(.gone(number))
        }
        return true
    }

    private func add(_ record: BackgroundTaskRecord, for guest: HelperGuest) {
        if let present = journal[record.session, record.number] {
            // The same one: its program had missed our answer. Its word on the rest is newer.
            guard present.key != record.key else {
                removeDeposit(of: record, guest)
                guest.channel.send(.added(record.number))
                return catchUp(with: record)
            }
            let error = URLError(
                .backgroundSessionInUseByAnotherProcess,
                underlyingText: "another process has given this session a task of this number")
            return guest.channel.send(.refused(record.number, BackgroundFailure(error)))
        }
        do {
            try journal.add(record)
        } catch {
            log.note("cannot keep task \(record.number): \(error)")
            return guest.channel.send(.refused(record.number, BackgroundFailure(error)))
        }
        removeDeposit(of: record, guest)
        guest.channel.send(.added(record.number))
        take(up: record)
    }

    private func removeDeposit(of record: BackgroundTaskRecord, _ guest: HelperGuest) {
        guard let owner = guest.owner else { return }
        BackgroundDeposits(places).remove(record.number, of: record.session, owner: owner)
    }

    private func catchUp(with record: BackgroundTaskRecord) {
        guard let present = journal[record.session, record.number], !present.state.isOver else {
            return
        }
        let id = HelperTransfer.ID(session: record.session, number: record.number)
        prioritize(id, record.priority)
        keep(id.number, in: id.session) { $0.description = record.description }
        if present.isSuspended != record.isSuspended { hold(id, record.isSuspended) }
    }

    private func prioritize(_ id: HelperTransfer.ID, _ priority: Float) {
        keep(id.number, in: id.session) { $0.priority = priority }
        transfers[id]?.inner?.priority = priority
    }

    /// Changes what a task's record says; a disk that cannot take it costs the change its future.
    func keep(
        _ number: Int, in session: String, _ change: (inout BackgroundTaskRecord) -> Void
    ) {
        do {
            try journal.change(number, in: session, change)
        } catch {
            log.note("cannot note a change of task \(number): \(error)")
        }
    }

    /// Puts a challenge to the program of a task. Returns whether it is there.
    func ask(
        _ challenge: URLAuthenticationChallenge, for transfer: HelperTransfer,
        _ receive:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Bool {
        guard let guest = guest(of: transfer.id.session) else { return false }
        lastQuestion += 1
        transfer.questions[lastQuestion] = HelperTransfer.Question(
            trust: challenge.protectionSpace.serverTrust, receive: receive)
        guest.channel.send(
            .challenged(
                transfer.id.number, question: lastQuestion, BackgroundChallenge(challenge)))
        return true
    }

    /// Its program has gone without an answer.
    private func answerForItself(_ session: String) {
        for transfer in transfers.values where transfer.id.session == session {
            for question in transfer.questions.values {
                question.receive(.performDefaultHandling, nil)
            }
            transfer.questions = [:]
        }
    }

    private func tellUntold(to guest: HelperGuest) {
        for transfer in transfers.values where transfer.id.session == guest.session {
            guard let reply = transfer.untold else { continue }
            transfer.untold = nil
            guest.channel.send(reply)
        }
    }

    func tellProgress(of transfer: HelperTransfer, _ reply: BackgroundReply) {
        guard let guest = guest(of: transfer.id.session) else { return }
        if guest.channel.isBacklogged {
            transfer.untold = reply
        } else {
            transfer.untold = nil
            guest.channel.send(reply)
        }
    }
}
