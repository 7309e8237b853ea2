import FoundationEssentials
import Glibc
import Synchronization

/// Room for a piece of body, taken from a small stock and given back with the last reference to it.
///
/// Large bodies go through the same few buffers over and over, which keeps the memory flat and in the
/// processor's caches. Filled by the engine; once it has become `Data` nobody writes to it any more.
final class PieceBuffer {
    static let byteCount = 256 << 10

    private(set) var count = 0
    private let storage: Storage

    init() {
        storage = Self.stock.withLock { $0.popLast() } ?? Storage()
    }

    var room: Int { Self.byteCount - count }

    /// Takes as much as there is room for. Returns the rest.
    func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let part = min(bytes.count, room)
        guard part > 0, let start = bytes.baseAddress else { return bytes }
        (storage.start + count).copyMemory(from: start, byteCount: part)
        count += part
        return UnsafeRawBufferPointer(rebasing: bytes[part...])
    }

    /// The bytes: without a copy when they fill at least half of the buffer, so that keeping
    /// small pieces does not keep large buffers.
    func makeData() -> Data {
        guard count >= Self.byteCount / 2 else { return Data(bytes: storage.start, count: count) }
        return Data(
            bytesNoCopy: storage.start, count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} })
    }

    func append(to data: inout Data) {
        data.append(storage.start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    deinit {
        let storage = self.storage
        Self.stock.withLock { stock in
            if stock.count < Self.largestStock { stock.append(storage) }
        }
    }

    private static let largestStock = 16
    private static let stock = Mutex<[Storage]>([])

    /// Memory of its own from the kernel: blocks of this size that come and go by the thousand would
    /// leave the heap in shreds.
    private final class Storage: @unchecked Sendable {
        // Unchecked because it has one owner at a time: a buffer, or the stock behind its lock.
        let start: UnsafeMutableRawPointer

        init() {
            let start = mmap(
                nil, PieceBuffer.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0)
            guard let start, start != MAP_FAILED else {
                preconditionFailure("no memory for a piece of body")
            }
            self.start = start
        }

        deinit {
            munmap(start, PieceBuffer.byteCount)
        }
    }
}
