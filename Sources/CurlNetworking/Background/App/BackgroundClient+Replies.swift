import FoundationEssentials
import Synchronization

// Handles the helper's messages about running tasks.

extension BackgroundClient {
    func handle(_ reply: BackgroundReply) {
        switch reply {
        case .added(let number):
            entries[number]?.isKept = true
        case .refused(let number, let failure):
            guard let entry = entries[number] else { return }
            entry.needsHelper = false
            fail(
                entry,
                URLError(
                    URLError.Code(number: failure.code), failingURL: entry.task.firstRequest.url,
                    underlyingText: failure.text))
        case .redirected(let number, let request):
            guard let request = request.request else { return }
            entries[number]?.task.status.withLock { $0.currentRequest = request }
        case .answered(let number, let answer):
            guard let response = answer.response else { return }
            entries[number]?.task.status.withLock { status in
                status.response = response
                status.counts.expectedToReceive = response.expectedContentLength
            }
        case .sent(let number, let total, let expected) where total >= 0 && expected >= -1:
            noteMovement()
            if let entry = entries[number] { noteSent(entry, total, expected) }
        case .received(let number, let total, let expected) where total >= 0 && expected >= -1:
            noteMovement()
            entries[number]?.task.post(.wrote(total: total, expected: expected)) { status in
                status.counts.received = total
                status.counts.expectedToReceive = expected
            }
        case .resumed(let number, let offset, let expected) where offset >= 0 && expected >= -1:
            entries[number]?.task.post(.resumed(at: offset, expected: expected))
        case .ended(let number, let state, let history):
            guard let entry = entries[number], !entry.hasEnded else { return }
            end(entry, state, history)
        case .challenged(let number, let question, let challenge):
            put(challenge, to: entries[number]?.task, number, question)
        case .resumeData(let number, let data):
            awaitingResumeData.removeValue(forKey: number)?.finishCancelling(resumeData: data)
        case .gone(let number):
            acknowledged[number] = nil
            awaitingResumeData.removeValue(forKey: number)?.finishCancelling()
        case .task(let record):
            register(record)
        case .welcome, .givingWay, .inUse, .attached, .sent, .received, .resumed:
            break
        }
    }

    func noteSent(_ entry: BackgroundTaskEntry, _ total: Int64, _ expected: Int64) {
        entry.task.post(.sent(total: total, expected: expected)) { status in
            status.counts.sent = total
            status.counts.expectedToSend = expected
        }
    }

    /// Asks the delegate. With default handling, the credential of the program's own storage is used.
    private func put(
        _ question: BackgroundChallenge, to task: URLSessionTask?, _ number: Int, _ key: Int
    ) {
        guard let task else {
            return send(.respond(number, question: key, BackgroundChallengeAnswer(.none)))
        }
        let challenge = question.makeChallenge(task.session.settings.credentialStorage)
        task.post(
            .challenge(
                challenge, question.audience,
                Reply { [weak self] answer in
                    var answer = answer
                    if answer.disposition == .performDefaultHandling,
                        let known = challenge.proposedCredential
                    {
                        answer = ChallengeAnswer(disposition: .useCredential, credential: known)
                    }
                    let words = BackgroundChallengeAnswer(answer)
                    self?.submit { $0.send(.respond(number, question: key, words)) }
                }))
    }
}
