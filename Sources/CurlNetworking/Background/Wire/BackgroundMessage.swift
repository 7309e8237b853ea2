import FoundationEssentials

// The messages between a program and the helper, over a Unix socket, in frames of JSON. A connection is
// for one session, and is open as long as that session has tasks.

/// From the program.
enum BackgroundRequest: Codable, Hashable, Sendable {
    /// The first message. A helper of an older version exits.
    case hello(version: Int)
    /// Asks for a session by its identifier. One connection has it at a time.
    ///
    /// - `owner`: the owner of its files in the spool, which the helper removes when the tasks are in the
    ///   journal.
    /// - `waits`: whether it waited for another process at the previous helper; that process may reconnect
    ///   first.
    case attach(session: String, owner: String? = nil, waits: Bool? = nil)
    case add(BackgroundTaskRecord)
    case suspend(Int)
    case resume(Int)
    case prioritize(Int, Float)
    case describe(Int, String?)
    /// Cancels a task and removes its files.
    case cancel(Int)
    /// Cancels a task and asks for its resume data.
    case cancelProducingResumeData(Int)
    /// The completion was reported to the delegate: the record can be removed.
    case delivered(Int)
    /// Answers a challenge.
    case respond(Int, question: Int, BackgroundChallengeAnswer)
}

/// From the helper.
enum BackgroundReply: Codable, Hashable, Sendable {
    case welcome(version: Int)
    /// The helper has an older version, leaves its tasks in the journal and exits.
    case givingWay
    /// Another process has the session. A client that stays connected gets it when it is free.
    case inUse(process: Int32)
    /// A task of the session…
    case task(BackgroundTaskRecord)
    /// …and now all were sent.
    case attached
    case added(Int)
    /// The task could not be added to the journal.
    case refused(Int, BackgroundFailure)
    case redirected(Int, BackgroundTaskRecord.Request)
    case answered(Int, BackgroundTaskRecord.Answer)
    case sent(Int, total: Int64, expected: Int64)
    case received(Int, total: Int64, expected: Int64)
    /// A download resumes at this offset, with resume data of an earlier task.
    case resumed(Int, offset: Int64, expected: Int64)
    /// Its final state, which is on disk.
    case ended(Int, BackgroundTaskRecord.State, BackgroundHistory)
    /// An authentication challenge; the transfer waits for the answer.
    case challenged(Int, question: Int, BackgroundChallenge)
    case resumeData(Int, Data?)
    /// All files of an acknowledged or cancelled task are removed.
    case gone(Int)
}

/// An error as it is sent between processes.
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

/// The protocol version. Raise it when a message changes, and keep supporting older ones.
enum BackgroundVersion {
    static let current = 4
}

/// Messages as bytes: four for the length, big-endian, then JSON.
enum BackgroundFrame {
    /// Room for the largest record, with its data in base64 twice.
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

/// Decodes messages from the bytes received.
struct BackgroundDecoder<Message: Decodable> {
    private var bytes = Data()

    enum CorruptionError: Error, Equatable {
        case tooLarge
        case malformed
    }

    mutating func append(_ more: Data) {
        bytes.append(more)
    }

    /// The next message; nil when more bytes are needed. After an error the stream cannot be decoded any
    /// further.
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
