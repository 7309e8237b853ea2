/// Received bytes of a connection that are not parsed yet.
final class ReceiveBuffer {
    private var bytes: UnsafeMutableRawBufferPointer
    /// Half-open, in `bytes`.
    private var filled: Range<Int> = 0..<0

    /// Enough for a request with a short head.
    static let smallByteCount = 4 << 10
    /// The buffer size for a long body.
    static let largeByteCount = 256 << 10

    init() {
        bytes = .allocate(byteCount: Self.smallByteCount, alignment: 16)
    }

    deinit { bytes.deallocate() }

    var count: Int { filled.count }
    var isEmpty: Bool { filled.isEmpty }
    var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[filled]) }

    /// Consumes the first bytes of ``unread``.
    func take(_ count: Int) {
        filled = filled.lowerBound + count..<filled.upperBound
        if filled.isEmpty { filled = 0..<0 }
    }

    /// The free part of the buffer; never empty.
    var room: UnsafeMutableRawBufferPointer {
        if filled.upperBound == bytes.count {
            resize(to: filled.lowerBound > 0 ? bytes.count : bytes.count * 2)
        }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[filled.upperBound...])
    }

    /// Marks bytes of ``room`` as filled.
    func received(_ count: Int) {
        filled = filled.lowerBound..<filled.upperBound + count
    }

    /// Grows the buffer for a long body; in steps, since the announced length may be false.
    func expect(_ byteCount: UInt64) {
        if byteCount > UInt64(bytes.count), bytes.count < Self.largeByteCount {
            resize(to: min(bytes.count * 4, Self.largeByteCount))
        }
    }

    /// Frees a large buffer between two requests.
    func shrink() {
        guard bytes.count > Self.smallByteCount, filled.count <= Self.smallByteCount else { return }
        resize(to: Self.smallByteCount)
    }

    private func resize(to byteCount: Int) {
        let other = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
        other.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[filled]))
        bytes.deallocate()
        bytes = other
        filled = 0..<filled.count
    }
}
