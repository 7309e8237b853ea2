/// The bytes of one connection that have arrived and were not yet understood.
final class ReceiveBuffer {
    private var bytes: UnsafeMutableRawBufferPointer
    /// Half-open, in `bytes`.
    private var filled: Range<Int> = 0..<0

    /// A request whose head is short needs no more.
    static let smallByteCount = 4 << 10
    /// What a long body is read through.
    static let largeByteCount = 256 << 10

    init() {
        bytes = .allocate(byteCount: Self.smallByteCount, alignment: 16)
    }

    deinit { bytes.deallocate() }

    var count: Int { filled.count }
    var isEmpty: Bool { filled.isEmpty }
    var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[filled]) }

    /// Drops the first bytes of ``unread``.
    func take(_ count: Int) {
        filled = filled.lowerBound + count..<filled.upperBound
        if filled.isEmpty { filled = 0..<0 }
    }

    /// Where more can be put; never empty.
    var room: UnsafeMutableRawBufferPointer {
        if filled.upperBound == bytes.count {
            resize(to: filled.lowerBound > 0 ? bytes.count : bytes.count * 2)
        }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[filled.upperBound...])
    }

    /// So many bytes of ``room`` hold something now.
    func received(_ count: Int) {
        filled = filled.lowerBound..<filled.upperBound + count
    }

    /// Makes more room for a body that is longer than what fits; step by step, since it may only claim to be.
    func expect(_ byteCount: UInt64) {
        if byteCount > UInt64(bytes.count), bytes.count < Self.largeByteCount {
            resize(to: min(bytes.count * 4, Self.largeByteCount))
        }
    }

    /// Gives a large buffer back between two requests.
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
