import CurlNetworking
import Foundation
import Synchronization

/// Answers challenges, and writes down what was asked, and of which method.
final class ChallengeBook: Sendable {
    typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

    private let answering: @Sendable (URLAuthenticationChallenge) -> Answer
    private let entries = Mutex<[(challenge: URLAuthenticationChallenge, method: String)]>([])

    init(_ answering: @escaping @Sendable (URLAuthenticationChallenge) -> Answer) {
        self.answering = answering
    }

    /// Answers with a name and a password, and gives up when they have failed.
    convenience init(
        user: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) {
        self.init { challenge in
            guard challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
            return (
                .useCredential,
                URLCredential(user: user, password: password, persistence: persistence)
            )
        }
    }

    var challenges: [URLAuthenticationChallenge] { entries.withLock { $0.map(\.challenge) } }
    /// `session` or `task` for each challenge.
    var methods: [String] { entries.withLock { $0.map(\.method) } }

    fileprivate func answer(_ challenge: URLAuthenticationChallenge, as method: String) -> Answer {
        entries.withLock { $0.append((challenge, method)) }
        return answering(challenge)
    }
}

/// Has the task's method alone.
final class TaskChallengeDelegate: URLSessionDataDelegate {
    let book: ChallengeBook
    /// Counts tasks that have completed.
    let completions = Signal()

    init(_ book: ChallengeBook) {
        self.book = book
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = book.answer(challenge, as: "task")
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        completions.add()
    }
}

/// Has both methods.
final class ChallengeDelegate: URLSessionDataDelegate {
    let book: ChallengeBook

    init(_ book: ChallengeBook) {
        self.book = book
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = book.answer(challenge, as: "session")
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = book.answer(challenge, as: "task")
        completionHandler(answer.0, answer.1)
    }
}

/// Has neither.
final class SilentDelegate: URLSessionDataDelegate {}

func makeSession(
    _ delegate: any URLSessionDelegate, _ change: (URLSessionConfiguration) -> Void = { _ in }
) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
}

func status(_ response: URLResponse) -> Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }

/// A body in pieces.
func makeStream(_ pieces: [String]) -> InputStream {
    let rest = Mutex(pieces)
    return InputStream { buffer in
        rest.withLock { rest in
            guard !rest.isEmpty else { return 0 }
            let piece = rest.removeFirst()
            buffer.copyBytes(from: piece.utf8)
            return piece.utf8.count
        }
    }
}

extension ChallengeBook {
    /// Believes every server, and knows nothing else.
    static func acceptingAll() -> ChallengeBook {
        ChallengeBook { challenge in
            guard let trust = challenge.protectionSpace.serverTrust else {
                return (.performDefaultHandling, nil)
            }
            return (.useCredential, URLCredential(trust: trust))
        }
    }
}
