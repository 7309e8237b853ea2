public import FoundationEssentials
import CurlNetworkingPlatform

extension URL {
    /// The contents of this URL as lines of UTF-8 text, like `URLSession.AsyncBytes.lines`: loaded by the
    /// shared session, or read from a file, piece by piece. Reading starts with the first line.
    ///
    /// ```swift
    /// for try await line in url.lines { … }
    /// ```
    public var lines: Lines { Lines(url: self) }

    /// The lines of a URL's contents.
    public struct Lines: AsyncSequence, Sendable {
        public typealias Element = String

        fileprivate let url: URL

        public func makeAsyncIterator() -> Iterator { Iterator(url: url) }

        /// An iterator that loads or reads the contents.
        public struct Iterator: AsyncIteratorProtocol {
            private enum Source {
                case none
                case network(URLSession.AsyncBytes.Lines.Iterator)
                case file(LineSource, [UInt8], position: Int)
            }

            private let url: URL
            private var source = Source.none
            private var reader = LineReader()

            fileprivate init(url: URL) {
                self.url = url
            }

            /// Returns the next line, or nil at the end.
            ///
            /// - Throws: `URLError`.
            public mutating func next() async throws -> String? {
                switch source {
                case .none:
                    source = try await open()
                    return try await next()
                case .network(var lines):
                    defer { source = .network(lines) }
                    return try await lines.next()
                case .file(let file, var piece, var position):
                    defer { source = .file(file, piece, position: position) }
                    while true {
                        while position < piece.count {
                            defer { position += 1 }
                            if let text = reader.take(piece[position]) { return text }
                        }
                        (piece, position) = (try await file.read(), 0)
                        if piece.isEmpty { return reader.finish() }
                    }
                }
            }

            private func open() async throws -> Source {
                guard url.isFileURL else {
                    let (bytes, _) = try await URLSession.shared.bytes(from: url)
                    return .network(bytes.lines.makeAsyncIterator())
                }
                return .file(try await LineSource.open(url), [], position: 0)
            }
        }
    }
}

/// An open file, pipe or terminal whose lines are read.
private final class LineSource: Sendable {
    private static let pieceByteCount = 64 << 10

    private let descriptor: Int32
    private let url: URL

    private init(_ url: URL) throws(URLError) {
        self.url = url
        descriptor = Glibc.open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Self.failure(errno == ENOENT ? .fileDoesNotExist : .cannotOpenFile, url)
        }
    }

    deinit { close(descriptor) }

    static func open(_ url: URL) async throws -> LineSource {
        try await run { () throws(URLError) in try LineSource(url) }
    }

    /// Returns the next piece; an empty one at the end.
    func read() async throws -> [UInt8] {
        try await Self.run { [self] () throws(URLError) in
            var failure: URLError?
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) {
                buffer, filled in
                var count = -1
                repeat {
                    count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                } while count < 0 && errno == EINTR
                if count < 0 { failure = Self.failure(.cannotOpenFile, url) }
                filled = max(count, 0)
            }
            if let failure { throw failure }
            return piece
        }
    }

    private static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(URLError) -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            FileQueue.runLongRead { continuation.resume(with: Result(catching: work)) }
        }
    }

    private static func failure(_ code: URLError.Code, _ url: URL) -> URLError {
        URLError(code, failingURL: url, underlyingText: lastSystemError)
    }
}
