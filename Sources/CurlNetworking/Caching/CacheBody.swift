import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// The body of a stored response, in memory or in a file that stays readable even if the entry is evicted.
enum CacheBody: Sendable {
    case data(Data)
    case file(CacheBodyFile)

    var byteCount: Int {
        switch self {
        case .data(let data): data.count
        case .file(let file): file.byteCount
        }
    }

    /// The whole body. May read from disk.
    var data: Data {
        switch self {
        case .data(let data): data
        case .file(let file): file.data
        }
    }

    /// Returns a piece of the body, empty after its end. May read from disk; nil if that fails.
    func piece(at offset: Int, byteCount: Int) -> Data? {
        switch self {
        case .data(let data):
            let start = data.startIndex + min(offset, data.count)
            return data[start..<min(start + byteCount, data.endIndex)]
        case .file(let file):
            return file.piece(at: offset, byteCount: byteCount)
        }
    }
}

/// A body within an open file. The file is never modified, only replaced.
final class CacheBodyFile: Sendable {
    let byteCount: Int
    private let descriptor: Int32
    private let offset: Int
    /// The loaded body, so that repeated access returns the same data.
    private let loaded = Mutex<Data?>(nil)

    /// Takes ownership of the descriptor.
    init(descriptor: Int32, offset: Int, byteCount: Int) {
        self.descriptor = descriptor
        self.offset = offset
        self.byteCount = byteCount
    }

    deinit {
        close(descriptor)
    }

    var data: Data {
        loaded.withLock { loaded in
            if let loaded { return loaded }
            let data = piece(at: 0, byteCount: byteCount) ?? Data()
            loaded = data
            return data
        }
    }

    func piece(at start: Int, byteCount: Int) -> Data? {
        let count = max(0, min(byteCount, self.byteCount - start))
        guard count > 0 else { return Data() }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = read(into: UnsafeMutableRawBufferPointer(buffer), at: start)
        }
        return bytes.count == count ? Data(bytes) : nil
    }

    /// Returns the checksum of the whole body; nil if it cannot be read.
    func checksum() -> UInt64? {
        var sum = Checksum()
        var position = 0
        return withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) {
            buffer -> UInt64? in
            while position < byteCount {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(byteCount - position))
                guard read(into: part, at: position) == part.count else { return nil }
                sum.add(UnsafeRawBufferPointer(part))
                position += part.count
            }
            return sum.value
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let count = pread(
                descriptor, base + filled, buffer.count - filled, off_t(offset + start + filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }
}

/// A stored response.
struct CacheEntry: Sendable {
    var head: StoredHead
    var body: CacheBody
}

extension CacheEntry {
    /// The response as it was stored.
    var plainResponse: HTTPURLResponse {
        HTTPURLResponse(
            url: head.url, head: ResponseHead(status: head.status, headers: head.headers))
    }
}
