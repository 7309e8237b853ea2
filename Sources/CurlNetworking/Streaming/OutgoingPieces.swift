import FoundationEssentials

/// Bytes that wait to be sent, in the pieces that they came in.
///
/// `Receipt` goes with each piece, for the caller to be told once all of it was taken.
struct OutgoingPieces<Receipt: Sendable>: Sendable {
    private var pieces: [(bytes: Data, receipt: Receipt)] = []
    /// How much of the first piece was taken.
    private var position = 0

    /// How many wait, a part of one among them.
    var count: Int { pieces.count }

    /// Of those that wait, oldest first.
    var receipts: [Receipt] { pieces.map(\.receipt) }

    mutating func append(_ bytes: Data, _ receipt: Receipt) {
        pieces.append((bytes, receipt))
    }

    /// Fills a buffer as far as there are bytes.
    ///
    /// - Returns: How many bytes were taken, and the receipts of the pieces that were taken whole.
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
