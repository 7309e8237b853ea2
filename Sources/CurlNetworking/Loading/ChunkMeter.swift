/// Calculates how much of a chunked body was sent from libcurl's count, which includes each chunk's length
/// and line ends (RFC 9112 §7.1).
///
/// libcurl requests the next chunk when all of the previous one was sent.
struct ChunkMeter {
    private var wireStart: Int64 = 0
    private var bodyStart: Int64 = 0
    private var headByteCount: Int64 = 0
    private var byteCount: Int64 = 0

    /// Records the length of the next chunk.
    mutating func note(chunk count: Int) {
        if byteCount > 0 { wireStart += headByteCount + byteCount + 2 }
        bodyStart += byteCount
        byteCount = Int64(count)
        headByteCount = Int64(String(count, radix: 16).utf8.count) + 2
    }

    /// Returns the body bytes among the bytes sent; the same number if there are no chunks.
    func bodyByteCount(onTheWire count: Int64) -> Int64 {
        guard byteCount > 0 else { return count }
        return bodyStart + min(max(count - wireStart - headByteCount, 0), byteCount)
    }
}
