internal import _RopeModule

/// Text of any size, edited in logarithmic time.
///
/// A rope of UTF-8 chunks that counts lines and scalars as it goes. It is a value: a copy costs a
/// reference, shares what stays equal and may cross to another thread, for saving or searching.
///
/// **Positions** are UTF-8 offsets; ranges are half-open. **Bytes** are kept exactly, whatever they
/// are: CR LF stays CR LF and bytes that are no UTF-8 survive editing and saving.
public struct TextBuffer: Sendable {
    typealias Chunks = Rope<TextChunk>

    var chunks: Chunks

    /// Makes an empty text.
    public init() {
        chunks = Chunks()
    }

    init(chunks: Chunks) {
        self.chunks = chunks
    }

    /// Makes a text of a string's UTF-8, unchanged: line ends stay as they are.
    public init(_ text: some StringProtocol) {
        self.init(utf8: text.utf8)
    }

    /// Makes a text of bytes that should be UTF-8; see `Builder` for reading a large file.
    public init(utf8 bytes: some Sequence<UInt8>) {
        var builder = Builder()
        let direct: Void? = bytes.withContiguousStorageIfAvailable { builder.append($0) }
        if direct == nil {
            Array(bytes).withUnsafeBufferPointer { builder.append($0) }
        }
        self = builder.finish()
    }

    // MARK: - Size

    /// The length in bytes, which is also the last position.
    public var count: Int { chunks.isEmpty ? 0 : chunks.summary.bytes }

    /// Whether it has no bytes; it has one line even then.
    public var isEmpty: Bool { chunks.isEmpty }

    /// Lines, always at least one: a line feed ends a line, and what follows the last is a line too.
    public var lineCount: Int { (chunks.isEmpty ? 0 : chunks.summary.lineFeeds) + 1 }

    /// Unicode scalars; in bytes that are no UTF-8, those that are not continuation bytes.
    public var scalarCount: Int { chunks.isEmpty ? 0 : chunks.summary.scalars }

    // MARK: - Editing

    /// Replaces the bytes in `range`.
    ///
    /// - Complexity: O(log count + bytes.count).
    public mutating func replace(_ range: Range<Int>, with bytes: UnsafeBufferPointer<UInt8>) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "Range outside of the text")
        if range.isEmpty, bytes.isEmpty { return }
        if bytes.count <= TextChunk.maximumCount, replaceInChunk(range, with: bytes) == .replaced {
            return
        }
        var builder = chunks.builder(removing: range, in: ByteMetric())
        Builder.forEachChunk(of: bytes) { builder.insertBeforeTip($0) }
        chunks = builder.finalize()
    }

    /// Replaces the bytes in `range` by a string's UTF-8.
    ///
    /// - Complexity: O(log count + bytes of the string).
    public mutating func replace(_ range: Range<Int>, with text: some StringProtocol) {
        let direct: Void? = text.utf8.withContiguousStorageIfAvailable { replace(range, with: $0) }
        if direct == nil {
            Array(text.utf8).withUnsafeBufferPointer { replace(range, with: $0) }
        }
    }

    /// Replaces the bytes in `range` by another text, which is shared, not copied, when it is large.
    public mutating func replace(_ range: Range<Int>, with text: TextBuffer) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "Range outside of the text")
        if text.count <= TextChunk.maximumCount {
            text.withBytes(in: 0..<text.count) { replace(range, with: $0) }
            return
        }
        var builder = chunks.builder(removing: range, in: ByteMetric())
        builder.insertBeforeTip(text.chunks)
        chunks = builder.finalize()
    }

    /// Puts a string's UTF-8 before the byte at `offset`; `count` appends it.
    public mutating func insert(_ text: some StringProtocol, at offset: Int) {
        replace(offset..<offset, with: text)
    }

    /// Removes the bytes in `range`, which must lie in the text.
    public mutating func remove(_ range: Range<Int>) {
        replace(range, with: UnsafeBufferPointer(start: nil, count: 0))
    }

    /// The text in `range` as a text of its own, sharing the chunks it has whole.
    ///
    /// - Complexity: O(log count).
    public func extract(_ range: Range<Int>) -> TextBuffer {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "Range outside of the text")
        if range.isEmpty { return TextBuffer() }
        return TextBuffer(chunks: chunks.extract(range, in: ByteMetric()))
    }
}

private extension TextBuffer {
    enum ChunkEdit {
        case replaced
        /// The edit takes more than one chunk: nothing has changed.
        case doesNotFit
    }

    /// Edits inside one chunk, which nearly every edit is.
    mutating func replaceInChunk(
        _ range: Range<Int>, with bytes: UnsafeBufferPointer<UInt8>
    ) -> ChunkEdit {
        guard !chunks.isEmpty else { return .doesNotFit }
        var (index, start) = chunks.find(
            at: range.lowerBound, in: ByteMetric(), preferEnd: range.isEmpty)
        var spawn: TextChunk?
        var count = 0
        let fits = chunks.update(at: &index) { chunk in
            let end = start + range.count
            let total = chunk.count - range.count + bytes.count
            guard end <= chunk.count, total > 0, total <= 2 * TextChunk.maximumCount else {
                return false
            }
            chunk.replace(start..<end, with: bytes)
            if total > TextChunk.maximumCount { spawn = chunk.split(at: total / 2) }
            count = chunk.count
            return true
        }
        guard fits else { return .doesNotFit }
        if let spawn {
            chunks.formIndex(after: &index)
            chunks.insert(spawn, at: index)
        } else if count < TextChunk.minimumCount, !range.isEmpty, !chunks.isSingleton {
            // Inserting an item that is too small joins it with a neighbor.
            let small = chunks.remove(at: index)
            chunks.insert(small, at: range.lowerBound - start, in: ByteMetric())
        }
        return .replaced
    }
}
