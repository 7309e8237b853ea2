import FoundationEssentials

/// The body of one attempt, and how much of it has left.
struct OutgoingBody {
    var content = Content.none
    /// Where in the whole body this attempt begins.
    var start: Int64 = 0
    /// Without what earlier attempts have sent.
    var sentByteCount: Int64 = 0
    /// Whether libcurl waits for more of it.
    var isAwaited = false
    /// Of a task with a rate.
    var pace = SendingPace()
    /// Whether one of unknown length goes out in chunks: HTTP/2 has frames of its own.
    var isChunked = true
    /// Whether libcurl has taken all of it.
    private var isTaken = false
    private var chunks = ChunkMeter()

    enum Content {
        case none
        case data(Data, position: Int)
        case reader(BodyReader)
        case produced(BodyPipe)
        /// What a WebSocket has to send, without end.
        case pipe(OutgoingPipe)
    }

    init(_ content: Content = .none) {
        self.content = content
    }

    var isNone: Bool { if case .none = content { true } else { false } }

    /// Whether nothing of it has to leave any more, as far as is known.
    var isSent: Bool {
        if case .none = content { return true }
        return byteCount < 0 ? isTaken : start + sentByteCount >= byteCount
    }

    /// Of the whole body; -1 when it is not known.
    var byteCount: Int64 {
        switch content {
        case .none: 0
        case .data(let data, _): Int64(data.count)
        case .reader(let reader): reader.byteCount
        case .produced(let pipe): pipe.byteCount
        case .pipe: -1
        }
    }

    /// The next bytes. What was not there yet is awaited from then on.
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

    /// - Parameter offset: From where this attempt begins in the body.
    mutating func seek(to offset: Int64) -> Seek {
        let offset = start + offset
        switch content {
        case .none:
            return offset == 0 ? .done : .impossible
        case .data(let data, _):
            guard (0...Int64(data.count)).contains(offset) else { return .impossible }
            content = .data(data, position: Int(offset))
            return .done
        case .pipe, .produced:
            return .impossible
        case .reader(let reader):
            guard reader.canRewind else { return .impossible }
            isTaken = false
            reader.rewind(to: offset)
            return .done
        }
    }

    /// Takes libcurl's count of what it has sent, which begins at 0 when it tries again.
    mutating func noteOnTheWire(_ byteCount: Int64) {
        sentByteCount = max(sentByteCount, chunks.bodyByteCount(onTheWire: byteCount))
    }
}
