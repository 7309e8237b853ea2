extension URLSession.AsyncBytes {
    /// The body as UTF-8 text, line by line, without the line ends.
    ///
    /// A line ends at LF, CR, CRLF, VT, FF, NEL or one of Unicode's separators. Empty lines are left out,
    /// as Apple's suite does. What is not UTF-8 becomes U+FFFD.
    public var lines: Lines { Lines(bytes: self) }

    /// The body as UTF-8 text, scalar by scalar. What is not UTF-8 becomes U+FFFD.
    public var unicodeScalars: UnicodeScalars { UnicodeScalars(bytes: self) }

    /// The body as UTF-8 text, character by character. What is not UTF-8 becomes U+FFFD.
    public var characters: Characters { Characters(scalars: unicodeScalars) }

    /// The lines of a body.
    public struct Lines: AsyncSequence, Sendable {
        public typealias Element = String

        fileprivate let bytes: URLSession.AsyncBytes

        public func makeAsyncIterator() -> Iterator {
            Iterator(bytes: bytes.makeAsyncIterator())
        }

        /// Reads a body line by line.
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

        /// Reads a body scalar by scalar.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: URLSession.AsyncBytes.Iterator
            /// A byte that began the next scalar while it ended the one before.
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

        /// Reads a body character by character.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var scalars: UnicodeScalars.Iterator
            /// The character so far; it is complete when a scalar comes that begins another one.
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

/// Puts lines together from bytes. Empty ones are left out.
struct LineReader {
    private var line: [UInt8] = []

    /// - Returns: A line that ends with this byte.
    mutating func take(_ byte: UInt8) -> String? {
        line.append(byte)
        return lineEnd.flatMap { take(without: $0) }
    }

    /// - Returns: What is behind the last line end.
    mutating func finish() -> String? { take(without: 0) }

    /// How many bytes at the end of what was read end a line; nil when none do. A CRLF ends two
    /// lines, the second of them empty.
    private var lineEnd: Int? {
        switch line.last {
        case 0x0A, 0x0B, 0x0C, 0x0D: 1
        case 0x85 where line.suffix(2) == [0xC2, 0x85]: 2
        case 0xA8 where line.suffix(3) == [0xE2, 0x80, 0xA8]: 3
        case 0xA9 where line.suffix(3) == [0xE2, 0x80, 0xA9]: 3
        default: nil
        }
    }

    /// nil for an empty line.
    private mutating func take(without endByteCount: Int) -> String? {
        line.removeLast(endByteCount)
        guard !line.isEmpty else { return nil }
        defer { line.removeAll(keepingCapacity: true) }
        return String(decoding: line, as: UTF8.self)
    }
}
