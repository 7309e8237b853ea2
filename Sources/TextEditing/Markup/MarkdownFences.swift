/// Whether lines lie in a block of code between fences.
///
/// Follows the lines in order; begun in the middle of a long text it looks back a little.
public struct MarkdownFences: Sendable {
    /// The fence that opened the block the next line is in.
    private var open: (character: UInt8, count: Int)?

    /// How far above the first line it looks for a block that began there, in bytes.
    public static let lookBack = 65_536

    /// Begins before the line that holds `offset`.
    public init(before offset: Int, in text: TextBuffer) {
        let line = text.line(at: min(offset, text.count))
        let end = text.start(ofLine: line)
        guard end > 0 else { return }
        var start = max(0, end - Self.lookBack)
        // From a line's beginning; a line longer than all of it has no fence.
        if start > 0 {
            let next = text.line(at: start) + 1
            guard next < line else { return }
            start = text.start(ofLine: next)
        }
        let bytes = text.bytes(in: start..<end)
        var lineStart = 0
        while lineStart < bytes.count {
            let lineEnd = bytes[lineStart...].firstIndex(of: 0x0A) ?? bytes.count
            var first = lineStart
            while first < lineEnd, bytes[first] == 0x20 { first += 1 }
            if first < lineEnd,
                bytes[first] == UInt8(ascii: "`") || bytes[first] == UInt8(ascii: "~")
            {
                _ = accept(Array(bytes[lineStart..<lineEnd]))
            }
            lineStart = lineEnd + 1
        }
    }

    /// What is known of a line in a block of code.
    public enum Place: Sendable, Hashable {
        case outside
        /// A fence, or a line between two.
        case inside
    }

    /// Goes on with the next line, without what ends it.
    public mutating func accept(_ line: [UInt8]) -> Place {
        guard let fence = MarkdownLine.fence(line) else { return open == nil ? .outside : .inside }
        if let current = open {
            let closes =
                fence.character == current.character && fence.count >= current.count
                && !fence.hasInfo
            if closes { open = nil }
        } else {
            open = (fence.character, fence.count)
        }
        return .inside
    }
}
