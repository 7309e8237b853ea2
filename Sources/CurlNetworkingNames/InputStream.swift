#if !Foundation

    public import FoundationEssentials
    import CurlNetworkingPlatform
    import Synchronization

    /// Bytes that are read in their order, once: the body of a request that is not kept in memory.
    ///
    /// ```swift
    /// request.httpBodyStream = InputStream(fileAtPath: "/var/log/syslog")
    /// request.httpBodyStream = InputStream { buffer in encoder.fill(buffer) }
    /// ```
    ///
    /// Opened when the transfer begins and closed when it is over, on a queue of its own, where a read may
    /// take as long as it likes. Subclasses override all methods. All of Foundation has a class of this
    /// name too; beside it a file means this one. What only Foundation's can do (run loops, sockets, XML
    /// parsers) is still there as `Foundation.InputStream`.
    open class InputStream: @unchecked Sendable {
        // Unchecked only because the class is open: what changes sits in one Mutex, and a subclass makes
        // the same promise with its own conformance.

        /// How far a stream is. The numbers are those of Apple's `Stream.Status`.
        public enum Status: UInt, Sendable {
            case notOpen = 0
            case opening = 1
            case open = 2
            case reading = 3
            case writing = 4
            case atEnd = 5
            case closed = 6
            case error = 7
        }

        private enum Source: Sendable {
            case data(Data)
            case file(String)
            case closure(@Sendable (UnsafeMutableRawBufferPointer) throws -> Int)
        }

        private struct State: Sendable {
            var status = Status.notOpen
            var position = 0
            var descriptor: Int32 = -1
            var error: (any Error)?
        }

        private let source: Source
        private let state = Mutex(State())

        /// A stream of bytes in memory.
        public init(data: Data) {
            source = .data(data)
        }

        /// A stream of a file's bytes; nil unless `url` is a file URL. Whether there is such a file shows
        /// when it is opened.
        public init?(url: URL) {
            guard url.isFileURL else { return nil }
            source = .file(url.path(percentEncoded: false))
        }

        /// A stream of a file's bytes. Whether there is such a file shows when it is opened.
        public init?(fileAtPath path: String) {
            source = .file(path)
        }

        /// A stream of bytes that are made while they are sent. Not in Apple's suite.
        ///
        /// - Parameter read: Fills the start of its buffer and returns how many bytes that were; 0 means the
        ///   end. May block. One call at a time, never on the engine's queue nor the delegate's.
        public init(_ read: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws -> Int) {
            source = .closure(read)
        }

        /// An empty stream, for a subclass to build on.
        public init() {
            source = .data(Data())
        }

        deinit {
            state.withLock { state in
                if state.descriptor >= 0 { Glibc.close(state.descriptor) }
            }
        }

        /// Makes the stream ready to be read. A file that cannot be opened shows in ``streamStatus`` and
        /// ``streamError``.
        open func open() {
            state.withLock { state in
                guard state.status == .notOpen else { return }
                state.status = .open
                guard case .file(let path) = source else { return }
                state.descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
                if state.descriptor < 0 {
                    state.status = .error
                    state.error = Self.failure(errno, path)
                }
            }
        }

        /// Ends the stream; nothing can be read any more.
        open func close() {
            state.withLock { state in
                if state.descriptor >= 0 { Glibc.close(state.descriptor) }
                state.descriptor = -1
                if state.status != .error { state.status = .closed }
            }
        }

        /// Reads up to `len` bytes into `buffer`.
        ///
        /// - Returns: How many were read; 0 at the end, -1 when the stream is not open or failed.
        open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
            state.withLock { state in
                guard state.status == .open else { return state.status == .atEnd ? 0 : -1 }
                guard len > 0 else { return 0 }
                let room = UnsafeMutableRawBufferPointer(start: buffer, count: len)
                do {
                    let count = try read(into: room, &state)
                    if count == 0 { state.status = .atEnd }
                    return count
                } catch {
                    state.status = .error
                    state.error = error
                    return -1
                }
            }
        }

        /// Whether a read may bring bytes: true until the end has been seen.
        open var hasBytesAvailable: Bool { streamStatus == .open }

        /// How far the stream is.
        open var streamStatus: Status { state.withLock { $0.status } }

        /// Why the stream failed, when ``streamStatus`` is `.error`.
        open var streamError: (any Error)? { state.withLock { $0.error } }

        private func read(
            into buffer: UnsafeMutableRawBufferPointer, _ state: inout State
        ) throws -> Int {
            switch source {
            case .data(let data):
                let count = min(buffer.count, data.count - state.position)
                let start = data.startIndex + state.position
                data.copyBytes(to: buffer, from: start..<start + count)
                state.position += count
                return count
            case .file(let path):
                while true {
                    let count = Glibc.read(state.descriptor, buffer.baseAddress, buffer.count)
                    if count >= 0 { return count }
                    guard errno == EINTR else { throw Self.failure(errno, path) }
                }
            case .closure(let read):
                let count = try read(buffer)
                precondition(
                    (0...buffer.count).contains(count),
                    "an InputStream's closure returned a count outside its buffer")
                return count
            }
        }

        private static func failure(_ number: Int32, _ path: String) -> URLError {
            let code: URLError.Code =
                switch number {
                case ENOENT, ENOTDIR: .fileDoesNotExist
                case EACCES, EPERM: .noPermissionsToReadFile
                case EISDIR: .fileIsDirectory
                default: .cannotOpenFile
                }
            return URLError(code, underlyingText: "\(path): \(String(cString: strerror(number)))")
        }
    }

    extension InputStream: Hashable {
        /// Two streams are equal when they are the same.
        public static func == (one: InputStream, other: InputStream) -> Bool { one === other }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

#endif
