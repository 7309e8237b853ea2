@testable import ClubServer

/// What the club's HTTP reader makes of a connection's bytes: its requests, and how it ends.
struct RequestTranscript: Hashable {
    struct Entry: Hashable {
        var head: RequestHead
        var body: [UInt8] = []
        var isComplete = false
    }

    enum End: Hashable {
        /// More is needed.
        case open
        case refused(String)
    }

    private(set) var entries: [Entry] = []
    private(set) var end = End.open

    /// - Parameter count: How many bytes arrive at a time.
    init(of bytes: UnsafeRawBufferPointer, inPiecesOf count: Int) {
        let buffer = ReceiveBuffer()
        var arrived = 0
        do {
            while case .complete = try readRequest(
                buffer,
                needsMore: {
                    let piece = min(count, buffer.room.count, bytes.count - arrived)
                    guard piece > 0 else { return false }
                    buffer.room.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[arrived..<arrived + piece]))
                    buffer.received(piece)
                    arrived += piece
                    return true
                })
            {}
        } catch {
            end = .refused("\(error)")
        }
    }

    private enum Reading {
        /// Another request may follow.
        case complete
        case needsMore
    }

    /// - Parameter needsMore: Says whether more has arrived.
    private mutating func readRequest(
        _ buffer: ReceiveBuffer, needsMore: () -> Bool
    ) throws -> Reading {
        var headReader = HeadReader()
        var head = try headReader.next(in: buffer)
        while head == nil {
            guard needsMore() else { return .needsMore }
            head = try headReader.next(in: buffer)
        }
        guard let head else { return .needsMore }
        let index = entries.endIndex
        entries.append(Entry(head: head))
        var body = RequestBodyReader(try head.framing())
        while try body.read(buffer, { entries[index].body += $0 }) == .needsMore {
            guard needsMore() else { return .needsMore }
        }
        entries[index].isComplete = true
        return .complete
    }
}
