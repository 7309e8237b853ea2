/// What a client sends after a request's head. It is read as it comes and never held whole, unless
/// somebody asks for a small one.
final class RequestBody {
    private let connection: Connection
    private let framing: RequestHead.Framing
    private var mustSendContinue: Bool
    private(set) var isRead = false
    private var isBegun = false

    enum Failure: Error {
        case tooLarge
    }

    init(_ head: RequestHead, _ connection: Connection) throws(RequestHead.Failure) {
        self.connection = connection
        framing = try head.framing()
        mustSendContinue = head.expectsContinue
        isRead = framing == .none || framing == .length(0)
    }

    /// How much will come; 0 when the client does not say.
    var announcedByteCount: UInt64 {
        if case .length(let length) = framing { length } else { 0 }
    }

    /// Calls `body` with one piece after the other. Can be done once.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) async throws {
        guard !isRead else { return }
        isBegun = true
        if mustSendContinue {
            mustSendContinue = false
            try await connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        switch framing {
        case .none: break
        case .length(let length): try await connection.readBytes(length, body)
        case .chunked: try await connection.readChunks(body)
        }
        isRead = true
    }

    /// All of the body.
    ///
    /// - Throws: `.tooLarge` before more than `limit` bytes were taken.
    func collect(limit: Int) async throws -> [UInt8] {
        if case .length(let length) = framing, length > UInt64(limit) { throw Failure.tooLarge }
        var bytes: [UInt8] = []
        try await forEachPiece { piece in
            guard bytes.count + piece.count <= limit else { throw Failure.tooLarge }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    /// Reads what nobody asked for, if it is not much, so that the connection can go on.
    ///
    /// - Returns: Whether the next request can be read.
    func skip(limit: UInt64 = 1 << 20) async throws -> Bool {
        if isRead { return true }
        guard !mustSendContinue, !isBegun, case .length(let length) = framing, length <= limit
        else {
            return false
        }
        try await forEachPiece { _ in }
        return true
    }
}
