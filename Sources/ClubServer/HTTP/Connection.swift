import Glibc

/// The bytes of one client: read through a buffer, written whole.
///
/// One task uses it, from the first request to the last.
final class Connection {
    let descriptor: Int32
    private let loop: EventLoop
    private var buffer: UnsafeMutableRawBufferPointer
    /// What of the buffer has been received and not yet taken.
    private var filled: Range<Int> = 0..<0
    let activity: ConnectionActivity

    private static let smallBufferByteCount = 16 << 10
    private static let largeBufferByteCount = 256 << 10

    init(descriptor: Int32, loop: EventLoop, activity: ConnectionActivity) {
        self.descriptor = descriptor
        self.loop = loop
        self.activity = activity
        buffer = .allocate(byteCount: Self.smallBufferByteCount, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    enum Failure: Error {
        /// The other side has closed, or there is nothing to be gained from it any more.
        case closed
        case headTooLarge
        case malformed(RequestHead.Failure)
        case malformedChunk
    }

    // MARK: - Reading

    /// The next request's head, or nil when the client has closed between two requests.
    func readHead() async throws -> RequestHead? {
        activity.enter(.betweenRequests)
        shrink()
        var searched = 0
        while true {
            if let end = endOfHead(from: searched) {
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[filled.lowerBound..<end.head])
                activity.enter(.answering)
                do throws(RequestHead.Failure) {
                    let head = try RequestHead(bytes)
                    filled = end.next..<filled.upperBound
                    return head
                } catch {
                    throw Failure.malformed(error)
                }
            }
            searched = max(0, filled.count - 3)
            if !filled.isEmpty { activity.enter(.readingHead) }
            guard filled.count < RequestHead.byteLimit else { throw Failure.headTooLarge }
            makeRoom()
            guard try await receive() else {
                if filled.isEmpty { return nil }
                throw Failure.closed
            }
        }
    }

    /// Finds the empty line: where the head ends, and where what follows begins.
    private func endOfHead(from searched: Int) -> (head: Int, next: Int)? {
        // Empty lines before a request are to be ignored (RFC 9112 §2.2).
        while let first = filled.first, buffer[first] == 0x0D || buffer[first] == 0x0A {
            filled = (first + 1)..<filled.upperBound
        }
        var index = filled.lowerBound + searched
        while index < filled.upperBound {
            if buffer[index] == 0x0A {
                if index + 1 < filled.upperBound, buffer[index + 1] == 0x0A {
                    return (index, index + 2)
                }
                if index + 2 < filled.upperBound, buffer[index + 1] == 0x0D,
                    buffer[index + 2] == 0x0A
                {
                    let head = index > filled.lowerBound && buffer[index - 1] == 0x0D
                    return (head ? index - 1 : index, index + 3)
                }
            }
            index += 1
        }
        return nil
    }

    /// Calls `body` with the next `count` bytes in pieces as they arrive.
    func readBytes(
        _ count: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        var rest = count
        if rest > UInt64(buffer.count), buffer.count < Self.largeBufferByteCount {
            resize(to: Self.largeBufferByteCount)
        }
        while rest > 0 {
            if filled.isEmpty {
                filled = 0..<0
                guard try await receive() else { throw Failure.closed }
            }
            let taken = Int(min(rest, UInt64(filled.count)))
            let end = filled.lowerBound + taken
            try body(UnsafeRawBufferPointer(rebasing: buffer[filled.lowerBound..<end]))
            filled = end..<filled.upperBound
            rest -= UInt64(taken)
        }
    }

    /// Calls `body` with what a chunked body holds (RFC 9112 §7.1). Trailers are dropped.
    func readChunks(_ body: (UnsafeRawBufferPointer) throws -> Void) async throws {
        while true {
            let line = try await readLine()
            guard let size = Self.chunkSize(line) else { throw Failure.malformedChunk }
            if size == 0 { break }
            try await readBytes(size, body)
            guard try await readLine().isEmpty else { throw Failure.malformedChunk }
        }
        var trailerByteCount = 0
        while true {
            let line = try await readLine()
            if line.isEmpty { return }
            trailerByteCount += line.count
            if trailerByteCount > RequestHead.byteLimit { throw Failure.headTooLarge }
        }
    }

    /// Digits alone, then perhaps blanks, then perhaps extensions; nil for anything else. A size that
    /// two readers may understand differently is how one request is smuggled behind another.
    static func chunkSize(_ line: [UInt8]) -> UInt64? {
        let digits = line.prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
            default: false
            }
        }
        let next = line.dropFirst(digits.count).first { $0 != 0x20 && $0 != 0x09 }
        guard (1...15).contains(digits.count), next == nil || next == UInt8(ascii: ";") else {
            return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private func readLine() async throws -> [UInt8] {
        var line: [UInt8] = []
        while true {
            while let first = filled.first {
                let byte = buffer[first]
                filled = (first + 1)..<filled.upperBound
                if byte == 0x0A {
                    if line.last == 0x0D { line.removeLast() }
                    return line
                }
                line.append(byte)
                if line.count > 4096 { throw Failure.malformedChunk }
            }
            filled = 0..<0
            guard try await receive() else { throw Failure.closed }
        }
    }

    /// Adds what has arrived to the buffer, waiting for it.
    ///
    /// - Returns: false when the other side has closed.
    private func receive() async throws -> Bool {
        if filled.isEmpty { filled = 0..<0 }
        while true {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled.upperBound...])
            let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                filled = filled.lowerBound..<(filled.upperBound + count)
                activity.noteProgress()
                return true
            }
            if count == 0 { return false }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await loop.wait(for: descriptor, toWrite: false)
            default: throw Failure.closed
            }
        }
    }

    /// Makes room for at least one more byte.
    private func makeRoom() {
        if filled.upperBound < buffer.count { return }
        resize(to: filled.lowerBound > 0 ? buffer.count : buffer.count * 2)
    }

    private func resize(to byteCount: Int) {
        let other = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
        other.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[filled]))
        buffer.deallocate()
        buffer = other
        filled = 0..<filled.count
    }

    /// Gives a large buffer back between two requests.
    private func shrink() {
        guard buffer.count > Self.smallBufferByteCount, filled.count <= Self.smallBufferByteCount
        else { return }
        resize(to: Self.smallBufferByteCount)
    }

    // MARK: - Writing

    func write(_ bytes: [UInt8], moreFollows: Bool = false) async throws {
        var sent = 0
        while sent < bytes.count {
            let flags =
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                | (moreFollows ? Int32(MSG_MORE) : 0)
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, flags)
            }
            try await advance(count) { sent += $0 }
        }
    }

    /// Sends a range of a file without carrying it through the process.
    func write(_ file: borrowing Descriptor, _ range: Range<Int64>) async throws {
        var offset = off_t(range.lowerBound)
        let end = off_t(range.upperBound)
        while offset < end {
            let count = sendfile(descriptor, file.number, &offset, min(Int(end - offset), 1 << 20))
            // The file is shorter than it was: what was promised cannot be kept.
            if count == 0 { throw Failure.closed }
            try await advance(count) { _ in }
        }
    }

    private func advance(_ count: Int, _ sent: (Int) -> Void) async throws {
        if count >= 0 {
            activity.noteProgress()
            sent(count)
            return
        }
        switch errno {
        case EINTR: return
        case EAGAIN: try await loop.wait(for: descriptor, toWrite: true)
        default: throw Failure.closed
        }
    }
}
