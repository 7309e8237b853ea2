import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// A buffer for a piece of a body, taken from a small pool and returned with the last reference to it.
///
/// Reusing a few buffers keeps memory use flat and the data in the processor's caches. The engine fills a
/// buffer; once it has become `Data`, it is not written to.
final class PieceBuffer {
    static let byteCount = 256 << 10

    private(set) var count = 0
    private let storage: Storage

    init() {
        storage = Self.stock.withLock { $0.popLast() } ?? Storage()
    }

    var room: Int { Self.byteCount - count }

    /// Appends as many bytes as fit. Returns the rest.
    func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let part = min(bytes.count, room)
        guard part > 0, let start = bytes.baseAddress else { return bytes }
        (storage.start + count).copyMemory(from: start, byteCount: part)
        count += part
        return UnsafeRawBufferPointer(rebasing: bytes[part...])
    }

    /// Returns the bytes, without copying if they fill at least half of the buffer: small pieces must not
    /// keep large buffers alive.
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

    /// Memory mapped from the kernel: allocating and freeing many blocks of this size would fragment the
    /// heap.
    private final class Storage: @unchecked Sendable {
        // Unchecked because it has one owner at a time: a buffer, or the pool behind its lock.
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
