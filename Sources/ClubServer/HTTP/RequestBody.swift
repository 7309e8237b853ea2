/// A request's body. It is streamed, and only small ones are loaded into memory on request.
final class RequestBody {
    private let connection: Connection
    private var reader: RequestBodyReader
    private var mustSendContinue: Bool
    private var isBegun = false
    /// The announced length; 0 if unknown.
    let announcedByteCount: UInt64

    enum Failure: Error {
        case tooLarge
    }

    init(_ head: RequestHead, _ framing: RequestHead.Framing, _ connection: Connection) {
        self.connection = connection
        reader = RequestBodyReader(framing)
        mustSendContinue = head.expectsContinue
        announcedByteCount = framing.announcedByteCount
    }

    var isRead: Bool { reader.isComplete }

    /// Calls `body` with consecutive chunks. Call it once.
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

    /// The whole body.
    ///
    /// - Throws: `.tooLarge` before more than `limit` bytes are read.
    func collect(limit: Int) async throws -> [UInt8] {
        if announcedByteCount > UInt64(limit) { throw Failure.tooLarge }
        var bytes: [UInt8] = []
        try await forEachPiece { piece in
            guard bytes.count + piece.count <= limit else { throw Failure.tooLarge }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    /// Reads the rest of a processed request's body if it is short, so that the connection stays
    /// usable: the next request can be read once this one ``isRead``.
    func skip() async throws {
        guard !isRead, canBeSkipped else { return }
        try await forEachPiece { _ in }
    }

    /// Whether the rest may be read for the sake of the next request.
    var canBeSkipped: Bool {
        !mustSendContinue && !isBegun && (1...Self.skippedByteLimit).contains(announcedByteCount)
    }

    private static let skippedByteLimit: UInt64 = 1 << 20

    /// Discards the received part of a rejected request's body, and reads nothing more.
    func skipReceived() {
        if !isRead, !isBegun { connection.discardReceived(&reader) }
    }
}
