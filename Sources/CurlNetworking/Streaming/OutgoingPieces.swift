import FoundationEssentials

/// Bytes that wait to be sent, in pieces.
///
/// Each piece has a `Receipt`, which is returned when all of it was taken.
struct OutgoingPieces<Receipt: Sendable>: Sendable {
    private var pieces: [(bytes: Data, receipt: Receipt)] = []
    /// How much of the first piece was taken.
    private var position = 0

    /// The number of waiting pieces, including a partly taken one.
    var count: Int { pieces.count }

    /// The receipts of waiting pieces, oldest first.
    var receipts: [Receipt] { pieces.map(\.receipt) }

    mutating func append(_ bytes: Data, _ receipt: Receipt) {
        pieces.append((bytes, receipt))
    }

    /// Fills a buffer with waiting bytes.
    ///
    /// - Returns: The number of bytes, and the receipts of the pieces that were completely taken.
    mutating func take(
        into buffer: UnsafeMutableRawBufferPointer
    ) -> (byteCount: Int, receipts: [Receipt]) {
        var (count, taken): (Int, [Receipt]) = (0, [])
        while count < buffer.count, let piece = pieces.first {
            let part = min(piece.bytes.count - position, buffer.count - count)
            let start = piece.bytes.startIndex + position
            piece.bytes.copyBytes(
                to: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]),
                from: start..<start + part)
            count += part
            position += part
            guard position == piece.bytes.count else { break }
            taken.append(pieces.removeFirst().receipt)
            position = 0
        }
        return (count, taken)
    }
}
