/// Decides how a file too large for one request is sent in an upload session; sends nothing.
///
/// Send ``request``, pass the response to ``take(_:)``, and repeat until it is done or has
/// failed. Responses get lost: when a request is retried, the server says by
/// `incorrect_offset` whether the first one had arrived, and a finish that finds its session
/// gone may be the second one. Then it checks what is at the path.
///
/// Source: `files/upload_session/*`; how the official SDK and rclone handle lost responses.
struct ChunkedUpload: Sendable {
    enum Request: Hashable, Sendable {
        /// Opens a session with the first bytes.
        case start(length: Int64)
        /// Appends bytes at the offset.
        case append(session: String, offset: Int64, length: Int64)
        /// Appends the last bytes and creates the file.
        case finish(session: String, offset: Int64, length: Int64)
        /// Requests the metadata at the path.
        case lookUp
    }

    enum Answer: Sendable {
        case started(session: String)
        case appended
        case finished(RemoteFile)
        /// The session is at another offset than the request said.
        case incorrectOffset(Int64)
        /// The session is closed or unknown.
        case sessionGone(StoreError)
        /// The bytes of the request have come out wrong on the way: the server has not taken them.
        case damaged(StoreError)
        /// What is at the path, and whether it has the bytes of the file being sent.
        case found(RemoteFile, isSame: Bool)
        case failed(StoreError)
    }

    enum Outcome: Sendable {
        case proceed
        case done(RemoteFile)
        case failed(StoreError)
    }

    private(set) var request: Request

    private let byteCount: Int64
    /// Of each request but the last, from the next one on. One that is sent again is as long as it was.
    var chunkByteCount: Int64
    private var restartsLeft = 1
    private var corrections = 0
    /// How often the current request was damaged.
    private var damages = 0
    private static let damageLimit = 3
    private var reasonToLookUp: StoreError?

    /// - Parameters:
    ///   - byteCount: Of the whole file.
    ///   - chunkByteCount: Of each request but the last.
    ///   - kept: A session of an earlier run to resume. Sessions expire after some days: then it
    ///     starts over.
    init(byteCount: Int64, chunkByteCount: Int64, goingOnFrom kept: UploadRecord.Progress? = nil) {
        precondition(byteCount > 0 && chunkByteCount > 0, "there is something to send")
        self.byteCount = byteCount
        self.chunkByteCount = chunkByteCount
        request = .start(length: min(chunkByteCount, byteCount))
        if let kept, (0...byteCount).contains(kept.byteCount) {
            restartsLeft += 1
            advance(kept.place, from: kept.byteCount)
        }
    }

    /// What another run could resume from; nil when it would have to start over.
    var progress: UploadRecord.Progress? {
        switch request {
        case .start, .lookUp: nil
        case .append(let session, let offset, _), .finish(let session, let offset, _):
            UploadRecord.Progress(place: session, byteCount: offset)
        }
    }

    /// The bytes of the file that the current request carries.
    var range: Range<Int64> {
        switch request {
        case .start(let length): 0..<length
        case .append(_, let offset, let length), .finish(_, let offset, let length):
            offset..<(offset + length)
        case .lookUp: byteCount..<byteCount
        }
    }

    mutating func take(_ answer: Answer) -> Outcome {
        if case .damaged(let error) = answer {
            damages += 1
            // The same request again.
            return damages < Self.damageLimit ? .proceed : .failed(error)
        }
        damages = 0
        switch (request, answer) {
        case (.start(let length), .started(let session)):
            advance(session, from: length)
            return .proceed
        case (.append(let session, let offset, let length), .appended):
            corrections = 0
            advance(session, from: offset + length)
            return .proceed
        case (.append(let session, let offset, let length), .incorrectOffset(let correct)),
            (.finish(let session, let offset, let length), .incorrectOffset(let correct)):
            return correct == offset + length
                ? skip(session, to: correct) : correctOffset(session, to: correct)
        case (.finish, .finished(let file)):
            return .done(file)
        case (.append, .sessionGone(let error)):
            return restart(insteadOf: error)
        case (.finish, .sessionGone(let error)):
            reasonToLookUp = error
            request = .lookUp
            return .proceed
        case (.lookUp, .found(let file, isSame: true)):
            return .done(file)
        case (.lookUp, .found(_, isSame: false)):
            return restart(insteadOf: reasonToLookUp ?? senseless)
        case (.lookUp, .failed(let error)) where error.code == .notFound:
            return restart(insteadOf: reasonToLookUp ?? error)
        case (_, .failed(let error)), (_, .sessionGone(let error)):
            return .failed(error)
        default:
            return .failed(senseless)
        }
    }
}

extension ChunkedUpload {
    private var senseless: StoreError {
        StoreError(.badAnswer, during: .upload, detail: "an answer that does not fit \(request)")
    }

    private mutating func advance(_ session: String, from offset: Int64) {
        let rest = byteCount - offset
        request =
            rest > chunkByteCount
            ? .append(session: session, offset: offset, length: chunkByteCount)
            : .finish(session: session, offset: offset, length: rest)
    }

    /// The bytes had arrived, only the response was lost.
    private mutating func skip(_ session: String, to offset: Int64) -> Outcome {
        advance(session, from: offset)
        return .proceed
    }

    /// Sends from the server's offset, a few times in a row at most: two programs that
    /// disagree would loop forever.
    private mutating func correctOffset(_ session: String, to offset: Int64) -> Outcome {
        corrections += 1
        guard corrections <= 3, (0...byteCount).contains(offset) else {
            return restartsLeft > 1 ? restart(insteadOf: senseless) : .failed(senseless)
        }
        advance(session, from: offset)
        return .proceed
    }

    private mutating func restart(insteadOf error: StoreError) -> Outcome {
        guard restartsLeft > 0 else {
            return .failed(StoreError(.serverError, during: .upload, underlying: error))
        }
        restartsLeft -= 1
        corrections = 0
        request = .start(length: min(chunkByteCount, byteCount))
        return .proceed
    }
}
