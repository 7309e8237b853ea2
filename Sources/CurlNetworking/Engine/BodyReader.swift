import CByteClubCurl
import Dispatch
import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// Reads the body of a request for the engine, without blocking it.
///
/// File data in the page cache is read at once. The rest is read ahead: files on the file queue, streams
/// (which may block) on their own queue. The engine is woken when data is available. At most two blocks are
/// buffered.
final class BodyReader: Sendable {
    /// The result of asking for bytes.
    enum Portion {
        case bytes(Int)
        /// None available yet; the engine will be woken.
        case notYet
        case end
        case failed(URLError)
    }

    /// The length of the body; -1 if unknown.
    let byteCount: Int64
    private let origin: Origin
    private let queue: DispatchQueue
    private let wake: @Sendable () -> Void
    private let state: Mutex<State>

    private enum Origin: Sendable {
        case file(Descriptor)
        case stream(BodyStream)
    }

    private struct State: Sendable {
        var blocks: [Block] = []
        /// How many bytes of the first block were taken.
        var position = 0
        var spare: [Block] = []
        var isReading = false
        var isAtEnd = false
        var failure: URLError?
        var isAwaited = false
        /// The file offset of the next block.
        var offset: Int64 = 0
        /// Incremented by `rewind`, so that a block read for the old position is dropped.
        var round = 0
    }

    static let blockByteCount = 128 << 10

    // MARK: - Opening

    /// Opens a file. Called on the file queue.
    static func open(file url: URL, wake: @escaping @Sendable () -> Void) throws(URLError)
        -> BodyReader
    {
        let path = url.path(percentEncoded: false)
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard number >= 0 else {
            let code: URLError.Code =
                switch errno {
                case ENOENT, ENOTDIR: .fileDoesNotExist
                case EACCES, EPERM: .noPermissionsToReadFile
                default: .cannotOpenFile
                }
            throw URLError(code, failingURL: url, underlyingText: "\(path): \(lastSystemError)")
        }
        let descriptor = Descriptor(number)
        var facts = stat()
        guard fstat(number, &facts) == 0 else {
            throw URLError(.cannotOpenFile, failingURL: url, underlyingText: lastSystemError)
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw URLError(.fileIsDirectory, failingURL: url)
        default:
            throw URLError(
                .cannotOpenFile, failingURL: url, underlyingText: "\(path) is not a regular file")
        }
        posix_fadvise(number, 0, 0, POSIX_FADV_SEQUENTIAL)
        return BodyReader(descriptor, byteCount: Int64(facts.st_size), wake: wake)
    }

    /// Reads a stream.
    ///
    /// - Parameter byteCount: The length that the request declares, or -1. More bytes are not read, fewer are
    ///   an error.
    init(stream: BodyStream, byteCount: Int64, wake: @escaping @Sendable () -> Void) {
        origin = .stream(stream)
        self.byteCount = byteCount
        queue = DispatchQueue(label: "CurlNetworking.stream")
        self.wake = wake
        state = Mutex(State())
    }

    private init(
        _ descriptor: Descriptor, byteCount: Int64, wake: @escaping @Sendable () -> Void
    ) {
        origin = .file(descriptor)
        self.byteCount = byteCount
        queue = FileQueue.queue
        self.wake = wake
        state = Mutex(State())
    }

    deinit {
        // Closing a stream may block, and must happen on its queue.
        if case .stream(let body) = origin { queue.async { @Sendable in body.stream.close() } }
    }

    /// Whether the body can be read again from the beginning.
    var canRewind: Bool {
        if case .file = origin { true } else { false }
    }

    // MARK: - Reading

    func take(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        let portion: Portion = state.withLock { state in
            let count = takeBlocks(of: &state, into: buffer)
            if count > 0 { return .bytes(count) }
            if let failure = state.failure { return .failed(failure) }
            if state.isAtEnd { return .end }
            if !state.isReading, let count = takeCached(of: &state, into: buffer) {
                return .bytes(count)
            }
            state.isAwaited = true
            return .notYet
        }
        switch (portion, origin) {
        case (.notYet, _), (.bytes, .stream): readAhead()
        default: break
        }
        return portion
    }

    private func takeBlocks(
        of state: inout State, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = 0
        while count < buffer.count, let block = state.blocks.first {
            let part = min(block.count - state.position, buffer.count - count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(
                from: UnsafeRawBufferPointer(
                    rebasing: block.bytes[state.position..<state.position + part]))
            count += part
            state.position += part
            if state.position == block.count {
                state.spare.append(state.blocks.removeFirst())
                state.position = 0
            }
        }
        return count
    }

    /// Reads data in the page cache without using the file queue; nil if there is none at this offset.
    private func takeCached(
        of state: inout State, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard case .file(let descriptor) = origin, let start = buffer.baseAddress else {
            return nil
        }
        let wanted = min(Int64(buffer.count), byteCount - state.offset)
        guard wanted > 0 else { return nil }
        let count = byteclub_read_cached(
            descriptor.number, start, Int(wanted), Int(state.offset))
        guard count > 0 else { return nil }
        state.offset += Int64(count)
        if state.offset >= byteCount { state.isAtEnd = true }
        return count
    }

    /// Restarts at an offset of the file.
    func rewind(to offset: Int64) {
        state.withLock { state in
            state.round += 1
            state.spare.append(contentsOf: state.blocks)
            state.blocks = []
            state.position = 0
            state.offset = offset
            state.isAtEnd = false
        }
    }

    /// Reads blocks until two are buffered.
    private func readAhead() {
        let begins = state.withLock { state in
            guard !state.isReading, !state.isAtEnd, state.failure == nil, state.blocks.count < 2
            else { return false }
            state.isReading = true
            return true
        }
        if begins { queue.async { @Sendable [self] in readBlock() } }
    }

    private func readBlock() {
        let (block, offset, round) = state.withLock { state in
            (state.spare.popLast() ?? Block(), state.offset, state.round)
        }
        let outcome = read(into: block, at: offset)
        let isAwaited = state.withLock { state in
            state.isReading = false
            guard state.round == round else {
                state.spare.append(block)
                return state.isAwaited
            }
            switch outcome {
            case .success(0):
                state.isAtEnd = true
                if byteCount >= 0, state.offset < byteCount {
                    state.failure = URLError(
                        .requestBodyStreamExhausted,
                        underlyingText:
                            "the body ended after \(state.offset) of \(byteCount) bytes")
                }
            case .success(let count):
                block.count = count
                state.blocks.append(block)
                state.offset += Int64(count)
                if byteCount >= 0, state.offset >= byteCount { state.isAtEnd = true }
            case .failure(let error):
                state.failure = error
            }
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { wake() }
        readAhead()
    }

    private func read(into block: Block, at offset: Int64) -> Result<Int, URLError> {
        switch origin {
        case .file(let descriptor):
            let wanted = min(Int64(block.bytes.count), byteCount - offset)
            guard wanted > 0 else { return .success(0) }
            while true {
                let count = pread(
                    descriptor.number, block.bytes.baseAddress, Int(wanted), Int(offset))
                if count >= 0 { return .success(count) }
                guard errno == EINTR else {
                    return .failure(
                        URLError(.requestBodyStreamExhausted, underlyingText: lastSystemError))
                }
            }
        case .stream(let body):
            let stream = body.stream
            if stream.streamStatus == .notOpen { stream.open() }
            let room = block.bytes.count
            let wanted = byteCount < 0 ? room : Int(min(Int64(room), byteCount - offset))
            let start = block.bytes.bindMemory(to: UInt8.self).baseAddress
            guard wanted > 0, let start else { return .success(0) }
            let count = stream.read(start, maxLength: wanted)
            guard count >= 0 else {
                return .failure(
                    URLError(
                        .requestBodyStreamExhausted,
                        underlyingText: stream.streamError.map { "\($0)" }
                            ?? "the stream is \(stream.streamStatus)"))
            }
            precondition(
                count <= wanted,
                "InputStream.read(_:maxLength:) returned more than it was asked for")
            return .success(count)
        }
    }
}

/// A block of the body. It has one owner at a time: the file queue fills it, the engine empties it, and the
/// reader's lock is held when it changes hands.
private final class Block: @unchecked Sendable {
    // Unchecked because only its owner uses it, and it changes hands under the reader's lock.
    let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BodyReader.blockByteCount, alignment: 4096)
    var count = 0

    deinit {
        bytes.deallocate()
    }
}

/// A file descriptor, closed with the last reference to it.
private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
