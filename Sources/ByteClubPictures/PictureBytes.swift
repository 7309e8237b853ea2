import FoundationEssentials
import Glibc

/// Random access to a picture's bytes.
enum PictureBytes {
    /// The descriptor's position does not change.
    case descriptor(Int32)
    case memory(UnsafeRawBufferPointer)

    /// The number of bytes; 0 also for files without a known size, as in `/proc`.
    var count: Int {
        switch self {
        case .memory(let bytes): return bytes.count
        case .descriptor(let number):
            var status = stat()
            return fstat(number, &status) == 0 ? Int(status.st_size) : 0
        }
    }
}

/// Reads a picture's bytes in order, through a buffer.
struct PictureByteReader: ~Copyable {
    private let source: PictureBytes
    private let operation: String
    private let buffer: UnsafeMutableRawBufferPointer
    private var window = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The offset of the buffer in the file.
    private var start: Int
    /// The position of the next byte in the buffer.
    private var next = 0
    /// The maximum offset.
    private let limit: Int

    /// - Parameter limit: The maximum number of bytes read; more is an error.
    init(
        _ source: PictureBytes, from position: Int = 0, limit: Int = PictureLimits.fileByteCount,
        to operation: String
    ) {
        self.source = source
        self.limit = limit
        self.operation = operation
        start = position
        switch source {
        case .descriptor: buffer = .allocate(byteCount: 64 << 10, alignment: 16)
        case .memory: buffer = .init(start: nil, count: 0)
        }
    }

    deinit { buffer.deallocate() }

    /// The offset of the next byte in the file.
    var position: Int { start + next }

    /// The next byte; nil at the end.
    mutating func byte() throws(PictureError) -> UInt8? {
        guard try fill() == .bytes else { return nil }
        defer { next += 1 }
        return window[next]
    }

    /// The next two bytes as a number; nil at the end.
    mutating func word() throws(PictureError) -> Int? {
        guard let high = try byte(), let low = try byte() else { return nil }
        return Int(high) << 8 | Int(low)
    }

    /// The next bytes, fewer at the end.
    mutating func bytes(_ count: Int) throws(PictureError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count, try fill() == .bytes {
            let taken = min(count - result.count, window.count - next)
            result.append(contentsOf: window[next..<next + taken])
            next += taken
        }
        return result
    }

    /// Skips bytes.
    mutating func skip(_ count: Int) {
        next += count
    }

    /// The code of the next marker, skipping other bytes; nil at the end.
    ///
    /// Source: ITU-T T.81, B.1.1.2: a marker is 0xFF, which may be repeated, and a code; a 0 instead of the
    /// code means that the 0xFF is data.
    mutating func marker() throws(PictureError) -> UInt8? {
        while try fill() == .bytes {
            guard let first = window.baseAddress,
                let found = memchr(first + next, 0xFF, window.count - next)
            else {
                next = window.count
                continue
            }
            next = UnsafeRawPointer(found) - first + 1
            var code = try byte()
            while code == 0xFF { code = try byte() }
            if let code, code != 0 { return code }
        }
        return nil
    }

    func error(_ code: PictureError.Code, detail: String? = nil) -> PictureError {
        PictureError(code, operation: operation, detail: detail)
    }

    private enum Filling {
        case bytes
        case end
    }

    /// Fills the buffer if it is empty, unless at the end.
    private mutating func fill() throws(PictureError) -> Filling {
        if next < window.count { return .bytes }
        let position = position
        guard position <= limit else {
            throw error(
                .tooLarge, detail: limit < PictureLimits.fileByteCount ? "header" : "file")
        }
        guard !Task.isCancelled else { throw error(.cancelled) }
        switch source {
        case .memory(let bytes):
            window = UnsafeRawBufferPointer(rebasing: bytes[min(position, bytes.count)...])
        case .descriptor(let number):
            var count: Int
            repeat {
                count = pread(number, buffer.baseAddress, buffer.count, off_t(position))
            } while count < 0 && errno == EINTR
            guard count >= 0 else {
                throw error(.unreadable, detail: String(cString: strerror(errno)))
            }
            window = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        }
        start = position
        next = 0
        return window.isEmpty ? .end : .bytes
    }
}

extension [UInt8] {
    /// The little-endian number at an offset.
    func littleEndian(at offset: Int, byteCount: Int) -> Int {
        self[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
