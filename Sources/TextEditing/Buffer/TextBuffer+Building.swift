internal import _RopeModule

extension TextBuffer {
    /// Puts a text together piece by piece, for reading a large file without holding it twice.
    public struct Builder {
        private var chunks = Chunks.Builder()
        /// Bytes that do not fill a chunk yet.
        private var rest: [UInt8] = []

        /// An empty text, to which pieces are added.
        public init() {}

        /// Adds bytes at the end; a piece may end inside a scalar or between CR and LF.
        public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
            var bytes = bytes
            if !rest.isEmpty {
                let needed = Swift.min(Self.usualCount - rest.count, bytes.count)
                rest.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<needed]))
                bytes = UnsafeBufferPointer(rebasing: bytes[needed...])
                guard rest.count == Self.usualCount else { return }
                rest.withUnsafeBufferPointer { chunks.insertBeforeTip(TextChunk($0)) }
                rest.removeAll(keepingCapacity: true)
            }
            while bytes.count >= Self.usualCount {
                chunks.insertBeforeTip(
                    TextChunk(UnsafeBufferPointer(rebasing: bytes[..<Self.usualCount])))
                bytes = UnsafeBufferPointer(rebasing: bytes[Self.usualCount...])
            }
            rest.append(contentsOf: bytes)
        }

        /// Adds bytes at the end; a sequence that is not contiguous in memory is copied first.
        public mutating func append(_ bytes: some Sequence<UInt8>) {
            let direct: Void? = bytes.withContiguousStorageIfAvailable { append($0) }
            if direct == nil { Array(bytes).withUnsafeBufferPointer { append($0) } }
        }

        /// Ends the text; the builder starts over.
        public mutating func finish() -> TextBuffer {
            if !rest.isEmpty {
                rest.withUnsafeBufferPointer { chunks.insertBeforeTip(TextChunk($0)) }
                rest = []
            }
            defer { chunks = Chunks.Builder() }
            return TextBuffer(chunks: chunks.finalize())
        }

        /// Leaves chunks some room, so that the first key in each does not split it, and keeps the
        /// allocation with its header inside 2 KiB.
        static let usualCount = 1984

        static func forEachChunk(
            of bytes: UnsafeBufferPointer<UInt8>, _ body: (TextChunk) -> Void
        ) {
            var offset = 0
            while offset < bytes.count {
                let end = Swift.min(offset + usualCount, bytes.count)
                body(TextChunk(UnsafeBufferPointer(rebasing: bytes[offset..<end])))
                offset = end
            }
        }
    }
}
