/// The meaning of a part of a line in Markdown, for its own style.
public enum MarkupKind: Sendable, Hashable, CaseIterable {
    case heading
    case emphasis
    case strong
    case code
    case link
    /// The marker of a list or a quotation, or a rule.
    case sign
}

/// A part of a text with a meaning.
public struct MarkupSpan: Sendable, Hashable {
    /// UTF-8 offsets.
    public var range: Range<Int>
    /// What the part means.
    public var kind: MarkupKind

    public init(_ range: Range<Int>, _ kind: MarkupKind) {
        self.range = range
        self.kind = kind
    }
}

/// Reads one line of Markdown, as far as CommonMark defines it within a line.
///
/// Parts do not nest, and none continues in the next line; only the block of code does, which
/// ``MarkdownFences`` follows.
public enum MarkdownLine {
    /// Longer lines are shown plain.
    public static let lengthLimit = 4096

    /// - Parameters:
    ///   - line: Without what ends it.
    ///   - base: Added to all offsets: where the line begins in the text.
    public static func spans(of line: [UInt8], base: Int = 0) -> [MarkupSpan] {
        guard line.count <= lengthLimit else { return [] }
        var reader = Reader(line: line, base: base)
        reader.read()
        return reader.spans
    }

    /// The character and length of a fence of a block of code, "```" or longer, and what follows it.
    static func fence(_ line: [UInt8]) -> (character: UInt8, count: Int, hasInfo: Bool)? {
        let rest = line.drop { $0 == 0x20 }
        guard line.count - rest.count <= 3, let first = rest.first,
            first == UInt8(ascii: "`") || first == UInt8(ascii: "~")
        else { return nil }
        let count = rest.prefix { $0 == first }.count
        guard count >= 3 else { return nil }
        let info = rest.dropFirst(count)
        if first == UInt8(ascii: "`"), info.contains(first) { return nil }
        return (first, count, info.contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D })
    }
}

private struct Reader {
    let line: [UInt8]
    let base: Int
    var spans: [MarkupSpan] = []

    init(line: [UInt8], base: Int) {
        self.line = line
        self.base = base
    }

    private mutating func add(_ range: Range<Int>, _ kind: MarkupKind) {
        guard !range.isEmpty else { return }
        spans.append(MarkupSpan(base + range.lowerBound..<base + range.upperBound, kind))
    }

    private func byte(_ index: Int) -> UInt8? { line.indices.contains(index) ? line[index] : nil }

    mutating func read() {
        let indent = line.prefix { $0 == 0x20 || $0 == 0x09 }.count
        guard indent < line.count else { return }
        if isHeading(from: indent) { return add(indent..<line.count, .heading) }
        if isRule(from: indent) { return add(indent..<line.count, .sign) }
        var start = indent
        while byte(start) == UInt8(ascii: ">") {
            let next = byte(start + 1) == 0x20 ? start + 2 : start + 1
            add(start..<start + 1, .sign)
            start = next
        }
        let marker = ListMarker(Array(line[start...].prefix(ListMarker.readLimit)))
        if !marker.next.isEmpty {
            add(start + marker.indent.count..<start + marker.count, .sign)
            start += marker.count
        }
        readInline(from: start)
    }

    /// One to six `#` and a space.
    private func isHeading(from start: Int) -> Bool {
        let count = line[start...].prefix { $0 == UInt8(ascii: "#") }.count
        guard start <= 3, (1...6).contains(count) else { return false }
        return [nil, 0x20, 0x09].contains(byte(start + count))
    }

    /// `---`, `***` or `___`, spaces allowed.
    private func isRule(from start: Int) -> Bool {
        let signs = line[start...].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        guard signs.count >= 3, let first = signs.first, "-*_".utf8.contains(first) else {
            return false
        }
        return signs.allSatisfy { $0 == first }
    }

    private mutating func readInline(from start: Int) {
        var index = start
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "`"): index = code(from: index)
            case UInt8(ascii: "*"), UInt8(ascii: "_"): index = emphasis(from: index)
            case UInt8(ascii: "["), UInt8(ascii: "!"): index = link(from: index)
            case UInt8(ascii: "<"): index = angle(from: index)
            case UInt8(ascii: "h"): index = address(from: index)
            default: index += 1
            }
        }
    }

    /// As many backquotes close it as have opened it.
    private mutating func code(from start: Int) -> Int {
        let count = line[start...].prefix { $0 == UInt8(ascii: "`") }.count
        var index = start + count
        while index < line.count {
            guard line[index] == UInt8(ascii: "`") else {
                index += 1
                continue
            }
            let run = line[index...].prefix { $0 == UInt8(ascii: "`") }.count
            index += run
            if run == count {
                add(start..<index, .code)
                return index
            }
        }
        return start + count
    }

    private mutating func emphasis(from start: Int) -> Int {
        let sign = line[start]
        let count = line[start...].prefix { $0 == sign }.count
        let inner = start + count
        // It opens before a character, and `_` not inside of a word.
        guard count <= 3, let next = byte(inner), !Self.isSpace(next),
            sign == UInt8(ascii: "*") || !Self.isWord(byte(start - 1))
        else { return inner }
        var index = inner
        while index < line.count {
            if line[index] == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            guard line[index] == sign else {
                index += 1
                continue
            }
            let run = line[index...].prefix { $0 == sign }.count
            let closes =
                run >= count && !Self.isSpace(line[index - 1])
                && (sign == UInt8(ascii: "*") || !Self.isWord(byte(index + run)))
            if closes {
                add(start..<index + count, count == 1 ? .emphasis : .strong)
                return index + count
            }
            index += run
        }
        return inner
    }

    /// `[words](target)`, `[words][name]` and pictures; what is in brackets alone is text.
    private mutating func link(from start: Int) -> Int {
        let open = line[start] == UInt8(ascii: "!") ? start + 1 : start
        guard byte(open) == UInt8(ascii: "["), let middle = close(open, "[", "]") else {
            return start + 1
        }
        let end: Int? =
            switch byte(middle) {
            case UInt8(ascii: "("): close(middle, "(", ")")
            case UInt8(ascii: "["): close(middle, "[", "]")
            default: nil
            }
        guard let end else { return open + 1 }
        add(start..<end, .link)
        return end
    }

    /// The place behind the bracket that closes the one at `start`.
    private func close(_ start: Int, _ open: Unicode.Scalar, _ close: Unicode.Scalar) -> Int? {
        var depth = 0
        var index = start
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: open): depth += 1
            case UInt8(ascii: close):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// `<https://…>` and `<name@host>`.
    private mutating func angle(from start: Int) -> Int {
        let inside = line[(start + 1)...].prefix {
            $0 != UInt8(ascii: ">") && $0 > 0x20 && $0 != UInt8(ascii: "<")
        }
        guard byte(inside.endIndex) == UInt8(ascii: ">"),
            inside.contains(UInt8(ascii: ":")) || inside.contains(UInt8(ascii: "@"))
        else { return start + 1 }
        add(start..<inside.endIndex + 1, .link)
        return inside.endIndex + 1
    }

    /// An address without brackets.
    private mutating func address(from start: Int) -> Int {
        let rest = line[start...]
        let isAddress =
            rest.starts(with: "https://".utf8) || rest.starts(with: "http://".utf8)
        guard isAddress, !Self.isWord(byte(start - 1)) else { return start + 1 }
        var end = rest.prefix { $0 > 0x20 && !"<>\"`".utf8.contains($0) }.endIndex
        // A sentence's own signs behind it are not part of it.
        while end > start, ".,;:!?)'*_".utf8.contains(line[end - 1]) { end -= 1 }
        add(start..<end, .link)
        return end
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isWord(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }
}
