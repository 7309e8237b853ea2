extension UndoHistory {
    /// The steps as bytes, to be read again with ``init(decoding:)`` beside the same text.
    ///
    /// - Parameter byteLimit: The oldest steps are left out where it takes more.
    public func encoded(byteLimit: Int) -> [UInt8] {
        var kept: [[UInt8]] = []
        var total = 0
        // The steps around the present first: from there undoing and redoing begin.
        let (undo, redo) = steps
        for step in redo.reversed() {
            let bytes = step.encoded()
            guard total + bytes.count <= byteLimit else { break }
            total += bytes.count
            kept.append(bytes)
        }
        let redoCount = kept.count
        for step in undo.reversed() {
            let bytes = step.encoded()
            guard total + bytes.count <= byteLimit else { break }
            total += bytes.count
            kept.append(bytes)
        }
        var writer = ByteWriter()
        writer.write(kept.count - redoCount)
        writer.write(redoCount)
        for bytes in kept[redoCount...].reversed() { writer.bytes += bytes }
        for bytes in kept[..<redoCount].reversed() { writer.bytes += bytes }
        return writer.bytes
    }

    /// Reads what ``encoded(byteLimit:)`` wrote.
    ///
    /// - Parameter count: The byte count of its text; steps that do not fit it are rejected.
    /// - Returns: Nil for anything else.
    public init?(decoding bytes: some Sequence<UInt8>, textCount count: Int) {
        var reader = ByteReader(bytes: Array(bytes)[...])
        guard let undoCount = reader.readCount(), let redoCount = reader.readCount() else {
            return nil
        }
        var undo: [EditTransaction] = []
        var redo: [EditTransaction] = []
        for _ in 0..<undoCount {
            guard let step = EditTransaction(from: &reader) else { return nil }
            undo.append(step)
        }
        for _ in 0..<redoCount {
            guard let step = EditTransaction(from: &reader) else { return nil }
            redo.append(step)
        }
        guard reader.bytes.isEmpty, Self.fits(undo, redo, count) else { return nil }
        self.init(undo: undo, redo: redo)
    }

    /// Whether all steps stay inside of the text, back to the first and on to the last.
    private static func fits(
        _ undo: [EditTransaction], _ redo: [EditTransaction], _ count: Int
    ) -> Bool {
        var length = count
        for step in undo.reversed() {
            guard let before = step.inverted.countAfter(length) else { return false }
            length = before
        }
        length = count
        for step in redo.reversed() {
            guard let after = step.countAfter(length) else { return false }
            length = after
        }
        return true
    }
}

private extension EditTransaction {
    /// The length of a text after it; nil where a change lies outside of it.
    func countAfter(_ count: Int) -> Int? {
        guard Self.fits(selectionBefore, count) else { return nil }
        var count = count
        for change in changes {
            guard change.offset >= 0, change.removedRange.upperBound <= count else { return nil }
            count += change.inserted.count - change.removed.count
        }
        return Self.fits(selectionAfter, count) ? count : nil
    }

    static func fits(_ selection: Selection, _ count: Int) -> Bool {
        (0...count).contains(selection.anchor) && (0...count).contains(selection.head)
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        for place in [
            selectionBefore.anchor, selectionBefore.head, selectionAfter.anchor,
            selectionAfter.head,
            changes.count,
        ] { writer.write(place) }
        for change in changes {
            writer.write(change.offset)
            writer.write(change.removed.allBytes)
            writer.write(change.inserted.allBytes)
        }
        return writer.bytes
    }

    init?(from reader: inout ByteReader) {
        var places: [Int] = []
        for _ in 0..<4 {
            guard let place = reader.read() else { return nil }
            places.append(place)
        }
        guard let count = reader.readCount() else { return nil }
        var changes: [TextChange] = []
        for _ in 0..<count {
            guard let offset = reader.read(), let removed = reader.readBytes(),
                let inserted = reader.readBytes()
            else { return nil }
            changes.append(
                TextChange(
                    offset: offset, removed: TextFragment(TextBuffer(utf8: removed)),
                    inserted: TextFragment(TextBuffer(utf8: inserted))))
        }
        self.init(
            changes: changes, selectionBefore: Selection(anchor: places[0], head: places[1]),
            selectionAfter: Selection(anchor: places[2], head: places[3]))
    }
}

private extension TextFragment {
    var allBytes: [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .text(let text): text.bytes(in: 0..<text.count)
        }
    }
}

/// Numbers of seven bits a byte, and bytes behind their number.
private struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func write(_ number: Int) {
        var rest = UInt64(max(0, number))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ content: [UInt8]) {
        write(content.count)
        bytes += content
    }
}

private struct ByteReader {
    var bytes: ArraySlice<UInt8>

    mutating func read() -> Int? {
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            result |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Int(result) }
        }
        return nil
    }

    /// A number of things that follow, each at least a byte.
    mutating func readCount() -> Int? {
        guard let count = read(), count <= bytes.count else { return nil }
        return count
    }

    mutating func readBytes() -> [UInt8]? {
        guard let count = readCount() else { return nil }
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }
}
