/// How a line begins that belongs to a list or a quotation, or is just indented: `  - [ ] `, `3. `, `> `, or spaces
/// alone.
struct ListMarker: Equatable {
    /// Spaces and tabs at the line's beginning.
    var indent: [UInt8]
    /// What the next item begins with after the indent; empty for a line that is not an item.
    var next: [UInt8]
    /// Bytes of the indent and the marker together.
    var count: Int

    /// The column where the indent ends, with a tab at each fourth one.
    var indentColumn: Int { indent.reduce(0) { $1 == 0x09 ? ($0 / 4 + 1) * 4 : $0 + 1 } }

    /// Lines are read no farther than this for their beginning.
    static let readLimit = 512

    /// - Parameter line: The beginning of a line, without what ends it.
    init(_ line: [UInt8]) {
        indent = Array(line.prefix { $0 == 0x20 || $0 == 0x09 })
        next = []
        count = indent.count
        let rest = line.dropFirst(indent.count)
        guard let first = rest.first else { return }
        var marker: [UInt8]
        var end = rest.startIndex
        switch first {
        case UInt8(ascii: ">"):
            // With the quotations inside of it.
            let signs = rest.prefix { $0 == first || $0 == 0x20 }
            guard rest.dropFirst().first.map({ $0 == 0x20 || $0 == first }) ?? true else { return }
            marker = Array(signs)
            if marker.last != 0x20 { marker.append(0x20) }
            next = marker
            count = indent.count + signs.count
            return
        case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"):
            marker = [first]
            end += 1
        case 0x30...0x39:
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard digits.count <= 9, let sign = rest.dropFirst(digits.count).first,
                sign == UInt8(ascii: ".") || sign == UInt8(ascii: ")")
            else { return }
            let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            marker = Array("\(number + 1)".utf8) + [sign]
            end += digits.count + 1
        default: return
        }
        let spaces = line[end...].prefix { $0 == 0x20 }
        guard !spaces.isEmpty else { return }
        marker += spaces.prefix(4)
        end += min(4, spaces.count)
        if let box = Self.box(line[end...]) {
            marker += Array("[ ] ".utf8)
            end += box
        }
        next = marker
        count = end
    }

    /// The length of a box to tick at the beginning, `[ ] ` or `[x] `.
    private static func box(_ bytes: ArraySlice<UInt8>) -> Int? {
        let box = Array(bytes.prefix(4))
        guard box.count == 4, box[0] == UInt8(ascii: "["), box[2] == UInt8(ascii: "]"),
            box[3] == 0x20, [0x20, UInt8(ascii: "x"), UInt8(ascii: "X")].contains(box[1])
        else { return nil }
        return 4
    }
}

extension TextEditor {
    /// Begins a new line that continues this one: indented like it, and as the next item of its
    /// list. An item with nothing in it moves out to the list around it instead, and one at the first column ends the list.
    public mutating func typeContinuedLineBreak() {
        let line = text.range(ofLine: text.line(at: selection.range.lowerBound))
        let head = line.lowerBound..<min(line.upperBound, line.lowerBound + ListMarker.readLimit)
        let marker = ListMarker(text.bytes(in: head))
        let start = selection.range.lowerBound
        guard start >= line.lowerBound + marker.count else {
            // Inside of the indent or the marker, the rest of the line goes down as it is.
            let indent = min(marker.indent.count, start - line.lowerBound)
            return typeLineBreak(followedBy: Array(marker.indent.prefix(indent)))
        }
        if selection.isEmpty, !marker.next.isEmpty, marker.count == line.count {
            return marker.indent.isEmpty ? replace(line, with: "") : moveItemOut()
        }
        typeLineBreak(followedBy: marker.indent + marker.next)
    }

    private mutating func typeLineBreak(followedBy beginning: [UInt8]) {
        type(text.lineEnding.rawValue + String(decoding: beginning, as: UTF8.self))
    }
}
