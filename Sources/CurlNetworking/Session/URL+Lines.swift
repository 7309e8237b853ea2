public import FoundationEssentials

extension URL {
    /// The contents of this URL as lines of UTF-8 text, like `URLSession.AsyncBytes.lines`: loaded by the
    /// shared session, or read from a file. Reading starts with the first line.
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
                case file(Data, position: Data.Index)
            }

            private let url: URL
            private var source = Source.none
            private var reader = LineReader()

            fileprivate init(url: URL) {
                self.url = url
            }

            /// Returns the next line, or nil at the end.
            ///
            /// - Throws: `URLError`, or the error of reading the file.
            public mutating func next() async throws -> String? {
                switch source {
                case .none:
                    source = try await open()
                    return try await next()
                case .network(var lines):
                    defer { source = .network(lines) }
                    return try await lines.next()
                case .file(let data, var position):
                    defer { source = .file(data, position: position) }
                    while position < data.endIndex {
                        defer { position += 1 }
                        if let text = reader.take(data[position]) { return text }
                    }
                    return reader.finish()
                }
            }

            private func open() async throws -> Source {
                guard url.isFileURL else {
                    let (bytes, _) = try await URLSession.shared.bytes(from: url)
                    return .network(bytes.lines.makeAsyncIterator())
                }
                let data = try await withCheckedThrowingContinuation { continuation in
                    FileQueue.run { [url] in
                        continuation.resume(with: Result { try Data(contentsOf: url) })
                    }
                }
                return .file(data, position: data.startIndex)
            }
        }
    }
}
