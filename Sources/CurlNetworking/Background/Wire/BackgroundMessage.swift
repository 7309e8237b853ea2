import FoundationEssentials

// What a program and the helper say to each other, over a unix socket, in frames of JSON. A
// connection is for one session, and held as long as that session has tasks.

/// From the program.
enum BackgroundRequest: Codable, Hashable, Sendable {
    /// The first message. A helper of an older version gives way.
    case hello(version: Int)
    /// Asks for a session by its identifier. One connection has it at a time.
    ///
    /// `owner`: of its deposits, which the helper removes as it takes the tasks over. `waits`: it has
    /// waited for another process at a helper that is gone, and that process may be about to come back.
    case attach(session: String, owner: String? = nil, waits: Bool? = nil)
    case add(BackgroundTaskRecord)
    case suspend(Int)
    case resume(Int)
    case prioritize(Int, Float)
    case describe(Int, String?)
    /// Ends a task; nothing of it is kept.
    case cancel(Int)
    /// Ends a task, and asks for what is needed to go on with it later.
    case cancelProducingResumeData(Int)
    /// The delegate was told how a task ended: its record can go.
    case delivered(Int)
    /// To a challenge.
    case respond(Int, question: Int, BackgroundChallengeAnswer)
}

/// From the helper.
enum BackgroundReply: Codable, Hashable, Sendable {
    case welcome(version: Int)
    /// It is of an older version, leaves its tasks in the journal and goes.
    case givingWay
    /// Another process has the session. Whoever stays on the line gets it when it is free.
    case inUse(process: Int32)
    /// One task that is known of the session…
    case task(BackgroundTaskRecord)
    /// …and now all were told.
    case attached
    case added(Int)
    /// It is not in the journal.
    case refused(Int, BackgroundFailure)
    case redirected(Int, BackgroundTaskRecord.Request)
    case answered(Int, BackgroundTaskRecord.Answer)
    case sent(Int, total: Int64, expected: Int64)
    case received(Int, total: Int64, expected: Int64)
    /// A download goes on from here, with resume data of an earlier task.
    case resumed(Int, offset: Int64, expected: Int64)
    /// Its state is final, and on the disk.
    case ended(Int, BackgroundTaskRecord.State, BackgroundHistory)
    /// The server asks; the transfer waits.
    case challenged(Int, question: Int, BackgroundChallenge)
    case resumeData(Int, Data?)
    /// Nothing of a task is left that was delivered or cancelled.
    case gone(Int)
}

/// An error as it crosses between processes.
struct BackgroundFailure: Codable, Hashable, Sendable {
    var code: Int
    var text: String?

    init(_ error: any Error) {
        if let error = error as? URLError {
            code = error.errorCode
            text = error.underlyingText
        } else {
            code = URLError.Code.unknown.rawValue
            text = String(describing: error)
        }
    }
}

/// The version of all this. Raise it when a message changes; keep speaking the older ones.
enum BackgroundVersion {
    static let current = 3
}

/// Messages as bytes: four for the length, big-endian, then JSON.
enum BackgroundFrame {
    /// A record of the largest kind fits, with its data in base64 twice over.
    static let largestByteCount = 4 << 20
    static let headByteCount = 4

    static func encode(_ message: some Encodable) throws(URLError) -> Data {
        let body: Data
        do {
            body = try JSONEncoder().encode(message)
        } catch {
            throw URLError(.unknown, underlyingText: "cannot encode a message: \(error)")
        }
        guard body.count <= largestByteCount else {
            throw URLError(.dataLengthExceedsMaximum, underlyingText: "a message is too large")
        }
        var frame = Data(capacity: headByteCount + body.count)
        for shift in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: body.count >> shift)) }
        frame.append(body)
        return frame
    }
}

/// Puts messages together from bytes as they come.
struct BackgroundDecoder<Message: Decodable> {
    private var bytes = Data()

    enum CorruptionError: Error, Equatable {
        case tooLarge
        case malformed
    }

    mutating func append(_ more: Data) {
        bytes.append(more)
    }

    /// The next message; nil when more bytes are needed. After an error the peer cannot be followed
    /// any more.
    mutating func next() throws(CorruptionError) -> Message? {
        guard bytes.count >= BackgroundFrame.headByteCount else { return nil }
        let count = bytes.prefix(BackgroundFrame.headByteCount).reduce(0) { $0 << 8 | Int($1) }
        guard count <= BackgroundFrame.largestByteCount else { throw .tooLarge }
        let end = BackgroundFrame.headByteCount + count
        guard bytes.count >= end else { return nil }
        let body = Data(bytes.dropFirst(BackgroundFrame.headByteCount).prefix(count))
        bytes = Data(bytes.dropFirst(end))
        guard let message = try? JSONDecoder().decode(Message.self, from: body) else {
            throw .malformed
        }
        return message
    }
}
