/// The replacement of one piece of text by another, with all it takes to undo it.
public struct TextChange: Sendable {
    /// Where it happened.
    public var offset: Int
    var removed: TextFragment
    var inserted: TextFragment

    /// The bytes that were replaced.
    public var removedRange: Range<Int> { offset..<offset + removed.count }

    /// The bytes that took their place.
    public var insertedRange: Range<Int> { offset..<offset + inserted.count }

    /// The change that takes this one back.
    public var inverted: TextChange {
        TextChange(offset: offset, removed: inserted, inserted: removed)
    }

    func apply(to text: inout TextBuffer) {
        switch inserted {
        case .bytes(let bytes):
            bytes.withUnsafeBufferPointer { text.replace(removedRange, with: $0) }
        case .text(let inserted): text.replace(removedRange, with: inserted)
        }
    }
}

/// Changes that are made, undone and redone together.
public struct EditTransaction: Sendable {
    /// In the order they are made; each offset is one of the text the changes before have left.
    public internal(set) var changes: [TextChange]
    /// What was selected before, in offsets of the text before; undoing selects it again.
    public internal(set) var selectionBefore: Selection
    /// What was selected after, in offsets of the text after; redoing selects it again.
    public internal(set) var selectionAfter: Selection

    /// The transaction that takes this one back.
    public var inverted: EditTransaction {
        EditTransaction(
            changes: changes.reversed().map(\.inverted), selectionBefore: selectionAfter,
            selectionAfter: selectionBefore)
    }
}

/// Text kept for undoing: bytes when there are few, a shared part of the rope when there are many.
enum TextFragment: Sendable {
    case bytes([UInt8])
    case text(TextBuffer)

    /// Below this, bytes take less memory than a rope's nodes.
    private static let bytesLimit = 4096

    init(_ range: Range<Int>, of text: TextBuffer) {
        self =
            range.count <= Self.bytesLimit
            ? .bytes(text.bytes(in: range)) : .text(text.extract(range))
    }

    init(_ text: TextBuffer) {
        self.init(0..<text.count, of: text)
    }

    init(_ text: some StringProtocol) {
        self =
            text.utf8.count <= Self.bytesLimit ? .bytes(Array(text.utf8)) : .text(TextBuffer(text))
    }

    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .text(let text): text.count
        }
    }

    var isEmpty: Bool { count == 0 }

    var first: UInt8? {
        switch self {
        case .bytes(let bytes): bytes.first
        case .text(let text): text.isEmpty ? nil : text[0]
        }
    }

    var last: UInt8? {
        switch self {
        case .bytes(let bytes): bytes.last
        case .text(let text): text.isEmpty ? nil : text[text.count - 1]
        }
    }

    /// Joins small fragments; nil when they are too large to be worth it.
    func joined(with other: TextFragment) -> TextFragment? {
        guard case .bytes(let left) = self, case .bytes(let right) = other,
            left.count + right.count <= Self.bytesLimit
        else { return nil }
        return .bytes(left + right)
    }
}
