import FoundationEssentials

/// The body of one attempt, and how much of it was sent.
struct OutgoingBody {
    var content = Content.none
    /// The offset in the whole body at which this attempt starts.
    var start: Int64 = 0
    /// Excluding earlier attempts.
    var sentByteCount: Int64 = 0
    /// The offset in the whole body of the next byte that libcurl takes.
    var position: Int64 = 0
    /// Whether libcurl waits for more of it.
    var isAwaited = false
    /// For tasks with a rate limit.
    var rateLimiter = SendRateLimiter()
    /// Whether a body of unknown length is sent chunked. HTTP/2 has its own frames.
    var isChunked = true
    /// Whether libcurl has taken all of it.
    private var isTaken = false
    private var chunks = ChunkMeter()

    enum Content {
        case none
        case data(Data, position: Int)
        case reader(BodyReader)
        case produced(BodyPipe)
        /// The output of a WebSocket, which has no end.
        case pipe(OutgoingPipe)
    }

    init(_ content: Content = .none) {
        self.content = content
    }

    var isNone: Bool { if case .none = content { true } else { false } }

    /// Whether all of it was sent, as far as is known.
    var isSent: Bool {
        if case .none = content { return true }
        return byteCount < 0 ? isTaken : start + sentByteCount >= byteCount
    }

    /// The length of the whole body; -1 if unknown.
    var byteCount: Int64 {
        switch content {
        case .none: 0
        case .data(let data, _): Int64(data.count)
        case .reader(let reader): reader.byteCount
        case .produced(let pipe): pipe.byteCount
        case .pipe: -1
        }
    }

    /// Takes the next bytes. If there are none yet, the body is marked as awaited.
    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> BodyReader.Portion {
        switch content {
        case .none:
            return .end
        case .data(let data, let position):
            let count = min(buffer.count, data.count - position)
            let first = data.startIndex + position
            data.copyBytes(to: buffer, from: first..<first + count)
            content = .data(data, position: position + count)
            return count == 0 ? .end : .bytes(count)
        case .reader(let reader):
            let portion = reader.take(into: buffer)
            if case .bytes(let count) = portion, reader.byteCount < 0, isChunked {
                chunks.note(chunk: count)
            }
            if case .notYet = portion { isAwaited = true }
            if case .end = portion { isTaken = true }
            return portion
        case .produced(let pipe):
            let portion = pipe.take(into: buffer)
            if case .bytes(let count) = portion, pipe.byteCount < 0, isChunked {
                chunks.note(chunk: count)
            }
            if case .notYet = portion { isAwaited = true }
            if case .end = portion { isTaken = true }
            return portion
        case .pipe(let pipe):
            let portion = pipe.take(into: buffer)
            if case .notYet = portion { isAwaited = true }
            return portion
        }
    }

    enum Seek {
        case done
        /// The body cannot be read again, or is shorter.
        case impossible
    }

    /// Prepares to send the body again.
    ///
    /// - Parameter offset: The offset in the whole body at which this attempt starts.
    mutating func seek(to offset: Int64) -> Seek {
        let offset = start + offset
        switch content {
        case .none:
            return offset == 0 ? .done : .impossible
        case .data(let data, _):
            guard (0...Int64(data.count)).contains(offset) else { return .impossible }
            content = .data(data, position: Int(offset))
            position = offset
            return .done
        case .pipe, .produced:
            return .impossible
        case .reader(let reader):
            guard reader.canRewind else { return .impossible }
            isTaken = false
            reader.rewind(to: offset)
            position = offset
            return .done
        }
    }

    /// Records libcurl's count of sent bytes, which restarts at 0 when it retries.
    mutating func noteOnTheWire(_ byteCount: Int64) {
        sentByteCount = max(sentByteCount, chunks.bodyByteCount(onTheWire: byteCount))
    }
}
