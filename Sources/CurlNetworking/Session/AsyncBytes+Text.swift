extension URLSession.AsyncBytes {
    /// The body as lines of UTF-8 text, without line ends.
    ///
    /// A line ends at LF, CR, CRLF, VT, FF, NEL or one of Unicode's separators. Empty lines are omitted, as
    /// in Apple's implementation. Invalid UTF-8 becomes U+FFFD.
    public var lines: Lines { Lines(bytes: self) }

    /// The body as Unicode scalars, decoded from UTF-8. Invalid bytes become U+FFFD.
    public var unicodeScalars: UnicodeScalars { UnicodeScalars(bytes: self) }

    /// The body as characters, decoded from UTF-8. Invalid bytes become U+FFFD.
    public var characters: Characters { Characters(scalars: unicodeScalars) }

    /// The lines of a body.
    public struct Lines: AsyncSequence, Sendable {
        public typealias Element = String

        fileprivate let bytes: URLSession.AsyncBytes

        public func makeAsyncIterator() -> Iterator {
            Iterator(bytes: bytes.makeAsyncIterator())
        }

        /// An iterator that reads a body line by line.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: URLSession.AsyncBytes.Iterator
            private var reader = LineReader()

            fileprivate init(bytes: URLSession.AsyncBytes.Iterator) {
                self.bytes = bytes
            }

            public mutating func next() async throws -> String? {
                while let byte = try await bytes.next() {
                    if let text = reader.take(byte) { return text }
                }
                return reader.finish()
            }
        }
    }

    /// The Unicode scalars of a body.
    public struct UnicodeScalars: AsyncSequence, Sendable {
        public typealias Element = Unicode.Scalar

        fileprivate let bytes: URLSession.AsyncBytes

        public func makeAsyncIterator() -> Iterator {
            Iterator(bytes: bytes.makeAsyncIterator())
        }

        /// An iterator that reads a body scalar by scalar.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: URLSession.AsyncBytes.Iterator
            /// A byte that ended one scalar and starts the next.
            private var left: UInt8?

            fileprivate init(bytes: URLSession.AsyncBytes.Iterator) {
                self.bytes = bytes
            }

            public mutating func next() async throws -> Unicode.Scalar? {
                guard let first = try await nextByte() else { return nil }
                var encoded = [first]
                let count =
                    switch first {
                    case 0xC2...0xDF: 2
                    case 0xE0...0xEF: 3
                    case 0xF0...0xF4: 4
                    default: 1
                    }
                while encoded.count < count, let byte = try await nextByte() {
                    guard byte & 0xC0 == 0x80 else {
                        left = byte
                        break
                    }
                    encoded.append(byte)
                }
                let scalars = String(decoding: encoded, as: UTF8.self).unicodeScalars
                return scalars.count == 1 ? scalars.first : "\u{FFFD}"
            }

            private mutating func nextByte() async throws -> UInt8? {
                guard let byte = left else { return try await bytes.next() }
                left = nil
                return byte
            }
        }
    }

    /// The characters of a body.
    public struct Characters: AsyncSequence, Sendable {
        public typealias Element = Character

        fileprivate let scalars: UnicodeScalars

        public func makeAsyncIterator() -> Iterator {
            Iterator(scalars: scalars.makeAsyncIterator())
        }

        /// An iterator that reads a body character by character.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var scalars: UnicodeScalars.Iterator
            /// The character so far. It is complete when the next scalar starts another one.
            private var text = ""

            fileprivate init(scalars: UnicodeScalars.Iterator) {
                self.scalars = scalars
            }

            public mutating func next() async throws -> Character? {
                while let scalar = try await scalars.next() {
                    text.unicodeScalars.append(scalar)
                    if text.count > 1 { return text.removeFirst() }
                }
                return text.isEmpty ? nil : text.removeFirst()
            }
        }
    }
}

/// Assembles lines from bytes. Omits empty ones.
struct LineReader {
    private var line: [UInt8] = []

    /// Adds a byte. Returns the line that it ends, if any.
    mutating func take(_ byte: UInt8) -> String? {
        line.append(byte)
        return lineEnd.flatMap { take(without: $0) }
    }

    /// Returns the text after the last line end, if any.
    mutating func finish() -> String? { take(without: 0) }

    /// How many of the last bytes are a line end; nil if none are. A CRLF ends two lines, the second of them
    /// empty.
    private var lineEnd: Int? {
        switch line.last {
        case 0x0A, 0x0B, 0x0C, 0x0D: 1
        case 0x85 where line.suffix(2) == [0xC2, 0x85]: 2
        case 0xA8 where line.suffix(3) == [0xE2, 0x80, 0xA8]: 3
        case 0xA9 where line.suffix(3) == [0xE2, 0x80, 0xA9]: 3
        default: nil
        }
    }

    /// Returns the line without its end; nil if it is empty.
    private mutating func take(without endByteCount: Int) -> String? {
        line.removeLast(endByteCount)
        guard !line.isEmpty else { return nil }
        defer { line.removeAll(keepingCapacity: true) }
        return String(decoding: line, as: UTF8.self)
    }
}
