/// What a client sends after a request's head. It is read as it comes and never held whole, unless
/// somebody asks for a small one.
final class RequestBody {
    private let connection: Connection
    private var reader: BodyReader
    private var mustSendContinue: Bool
    private var isBegun = false
    /// How much will come; 0 when the client does not say.
    let announcedByteCount: UInt64

    enum Failure: Error {
        case tooLarge
    }

    init(_ head: RequestHead, _ framing: RequestHead.Framing, _ connection: Connection) {
        self.connection = connection
        reader = BodyReader(framing)
        mustSendContinue = head.expectsContinue
        announcedByteCount = framing.announcedByteCount
    }

    var isRead: Bool { reader.isComplete }

    /// Calls `body` with one piece after the other. Can be done once.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) async throws {
        guard !isRead else { return }
        isBegun = true
        connection.activity.enter(.readingBody)
        if mustSendContinue {
            mustSendContinue = false
            try await connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        try await connection.read(&reader, body)
        connection.activity.enter(.working)
    }

    /// All of the body.
    ///
    /// - Throws: `.tooLarge` before more than `limit` bytes were taken.
    func collect(limit: Int) async throws -> [UInt8] {
        if announcedByteCount > UInt64(limit) { throw Failure.tooLarge }
        var bytes: [UInt8] = []
        try await forEachPiece { piece in
            guard bytes.count + piece.count <= limit else { throw Failure.tooLarge }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    /// Reads what an answered request's body has left, if it is not much, so that the connection can go
    /// on.
    ///
    /// - Returns: Whether the next request can be read.
    func skip(limit: UInt64 = 1 << 20) async throws -> Bool {
        if isRead { return true }
        guard !mustSendContinue, !isBegun, (1...limit).contains(announcedByteCount) else {
            return false
        }
        try await forEachPiece { _ in }
        return true
    }

    /// Drops what has arrived of a refused request's body, and reads nothing more.
    ///
    /// - Returns: Whether that was all of it.
    func skipReceived() -> Bool {
        if !isRead, !isBegun { connection.discardReceived(&reader) }
        return isRead
    }
}
