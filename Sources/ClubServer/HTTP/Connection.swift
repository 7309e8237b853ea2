import Glibc

/// A client's connection: buffered reads and complete writes.
///
/// Used by one task, from the first request to the last.
final class Connection {
    let descriptor: Int32
    let activity: ConnectionActivity
    private let loop: EventLoop
    private let buffer = ReceiveBuffer()
    private var headReader = HeadReader()
    private var progress = Progress.new

    private enum Progress {
        case new, betweenRequests, inRequest, answering
    }

    init(descriptor: Int32, loop: EventLoop, activity: ConnectionActivity) {
        self.descriptor = descriptor
        self.loop = loop
        self.activity = activity
    }

    enum Failure: Error {
        /// The peer has closed the connection, or it is unusable.
        case closed
        /// The server closes the connection; the peer may get the reason.
        case ended(CloseReason)
    }

    /// Whether the peer waits for a response, or is about to.
    var expectsAnswer: Bool { progress == .new || hasUnfinishedRequest }

    /// Whether a request has partly arrived, and nothing of its response was sent.
    var hasUnfinishedRequest: Bool {
        progress == .inRequest || progress != .answering && !buffer.isEmpty
    }

    /// Called before the first byte of a response is sent.
    func beginAnswer() { progress = .answering }

    // MARK: - Reading

    /// The next request's head, or nil when the client has closed between two requests.
    func readHead() async throws -> RequestHead? {
        buffer.shrink()
        headReader = HeadReader()
        if progress != .new { progress = .betweenRequests }
        while true {
            if let head = try headReader.next(in: buffer) {
                activity.enter(.working)
                progress = .inRequest
                return head
            }
            if !buffer.isEmpty { activity.enter(.readingHead) }
            guard try await receive() == .bytes else {
                if buffer.isEmpty { return nil }
                throw Failure.closed
            }
        }
    }

    /// Calls `body` with content from the reader as bytes arrive, up to the body's end.
    func read(
        _ reader: inout RequestBodyReader, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        while try reader.read(buffer, body) == .needsMore {
            buffer.expect(reader.expectedByteCount)
            guard try await receive() == .bytes else { throw Failure.closed }
        }
    }

    /// Discards the received part of a body, without waiting.
    func discardReceived(_ reader: inout RequestBodyReader) {
        _ = try? reader.read(buffer) { _ in }
    }

    private enum Arrival {
        case bytes
        /// The peer has closed the connection.
        case end
    }

    /// Receives bytes into the buffer, waiting for them.
    private func receive() async throws -> Arrival {
        while true {
            let room = buffer.room
            let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                buffer.received(count)
                activity.noteProgress(count)
                return .bytes
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await wait(toWrite: false)
            default: throw Failure.closed
            }
        }
    }

    private func wait(toWrite: Bool) async throws {
        if let reason = activity.closeReason { throw Failure.ended(reason) }
        try await loop.wait(for: descriptor, toWrite: toWrite) { activity.closeReason != nil }
    }

    // MARK: - Writing

    func write(_ bytes: [UInt8], moreFollows: Bool = false) async throws {
        var sent = 0
        while sent < bytes.count {
            let flags =
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                | (moreFollows ? Int32(MSG_MORE) : 0)
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, flags)
            }
            try await advance(count) { sent += $0 }
        }
    }

    /// Sends a range of a file without copying it through user space.
    func write(_ file: borrowing Descriptor, _ range: Range<Int64>) async throws {
        var offset = off_t(range.lowerBound)
        let end = off_t(range.upperBound)
        while offset < end {
            let count = sendfile(descriptor, file.number, &offset, min(Int(end - offset), 1 << 20))
            // The file was truncated: the announced length cannot be sent.
            if count == 0 { throw Failure.closed }
            try await advance(count) { _ in }
        }
    }

    private func advance(_ count: Int, _ sent: (Int) -> Void) async throws {
        if count >= 0 {
            activity.noteProgress(count)
            sent(count)
            return
        }
        switch errno {
        case EINTR: return
        case EAGAIN: try await wait(toWrite: true)
        default: throw Failure.closed
        }
    }
}
