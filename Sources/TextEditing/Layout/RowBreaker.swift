/// Finds where a row ends.
struct RowBreaker: Sendable {
    struct Row {
        /// Where the next row begins.
        var end: Int
        /// Whether a space stands in the caret's cell, so that the caret needs another row.
        var hangs: Bool
    }

    let columns: Int
    let tabWidth: Int

    init(_ options: TextLayoutOptions) {
        columns = options.columns
        tabWidth = options.tabWidth
    }

    /// The cells of a tab that begins at `column`; it never leaves a row that wraps.
    @inline(__always)
    static func tabCells(at column: Int, _ tabWidth: Int, columns: Int) -> Int {
        Swift.min(tabWidth &- column % tabWidth, Swift.max(1, columns &- column))
    }

    /// Ends the row that begins at `start`.
    ///
    /// - Parameter isLineEnd: Whether the line ends where `bytes` end.
    /// - Returns: Nil when `bytes` end too early to tell.
    func breakRow(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, isLineEnd: Bool
    ) -> Row? {
        var column = 0
        var offset = start
        // The last place where the row may end, `start` when there was none.
        var candidate = start
        var previous = Neighbour.other
        let count = bytes.count
        while offset < count {
            let byte = bytes[offset]
            let isAlone = offset &+ 1 == count || bytes[offset &+ 1] < 0x80
            if byte < 0x7F, byte > 0x20, isAlone {
                if previous != .other {
                    if allowsBreak(between: previous, and: byte) { candidate = offset }
                    previous = .other
                }
                if column == columns { return row(candidate > start ? candidate : offset) }
                column &+= 1
                offset &+= 1
                if byte == 0x2D { previous = .hyphen }
            } else if byte == 0x20 || byte == 0x09, isAlone {
                offset &+= 1
                if column == columns {
                    return !isLineEnd && offset == count ? nil : Row(end: offset, hangs: true)
                }
                column &+=
                    byte == 0x20 ? 1 : Self.tabCells(at: column, tabWidth, columns: columns)
                candidate = offset
                previous = .other
            } else {
                let first = UTF8Decoding.scalar(in: bytes, at: offset)
                var end = offset &+ first.length
                if !isLineEnd, end &+ GraphemeBreaker.longestCluster > count { return nil }
                var width = 0
                let traits = ScalarTraits(first.value)
                if first.isValid, traits.isPlain, Self.beginsCluster(at: end, in: bytes) {
                    width = traits.width
                } else {
                    end = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
                    if !isLineEnd, end &+ GraphemeBreaker.longestCluster > count { return nil }
                    width = ClusterShape.width(in: bytes, offset..<end)
                }
                let kind = Self.neighbour(first.value, width)
                if offset > start, allowsBreak(between: previous, and: kind) { candidate = offset }
                if column &+ width > columns, offset > start {
                    return row(candidate > start ? candidate : offset)
                }
                column &+= width
                offset = end
                previous = kind
            }
        }
        return isLineEnd ? row(count) : nil
    }

    private func row(_ end: Int) -> Row { Row(end: end, hangs: false) }
}

private extension RowBreaker {
    /// What a cluster allows beside it.
    enum Neighbour {
        case other
        case hyphen
        case wide
        case opening
        case closing
        case dash
    }

    func allowsBreak(between left: Neighbour, and right: UInt8) -> Bool {
        switch left {
        case .wide, .closing:
            // ! ) , . : ; ? ] } stay with what they follow.
            return
                !(right == 0x21 || right == 0x29 || right == 0x2C || right == 0x2E
                || right == 0x3A || right == 0x3B || right == 0x3F || right == 0x5D
                || right == 0x7D)
        case .hyphen: return right | 0x20 >= 0x61 && right | 0x20 <= 0x7A
        case .dash: return true
        case .opening, .other: return false
        }
    }

    func allowsBreak(between left: Neighbour, and right: Neighbour) -> Bool {
        if right == .closing || left == .opening { return false }
        return left == .wide || left == .closing || left == .dash || right == .wide
            || right == .opening
    }

    /// Whether nothing at `offset` joins a plain scalar before it.
    @inline(__always)
    static func beginsCluster(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard offset < bytes.count, bytes[offset] >= 0x80 else { return true }
        let next = UTF8Decoding.scalar(in: bytes, at: offset)
        return !next.isValid || !ScalarTraits(next.value).joinsPrevious
    }

    static func neighbour(_ scalar: UInt32, _ width: Int) -> Neighbour {
        // Nothing special between the kana and the full-width forms, which is most of Chinese.
        if scalar >= 0x3100, scalar < 0xFF01 { return width == 2 ? .wide : .other }
        switch scalar {
        case 0x2013, 0x2014: return .dash
        // Closing brackets, full stops, commas, small kana, iteration and length marks.
        case 0x3001, 0x3002, 0x3005, 0x3009, 0x300B, 0x300D, 0x300F, 0x3011, 0x3015, 0x3017,
            0x3019, 0x301B, 0x301C, 0x3041, 0x3043, 0x3045, 0x3047, 0x3049, 0x3063, 0x3083,
            0x3085, 0x3087, 0x308E, 0x309D, 0x309E, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9,
            0x30C3, 0x30E3, 0x30E5, 0x30E7, 0x30EE, 0x30FB, 0x30FC, 0x30FD, 0x30FE, 0xFF01,
            0xFF09, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF3D, 0xFF5D:
            return .closing
        case 0x3008, 0x300A, 0x300C, 0x300E, 0x3010, 0x3014, 0x3016, 0x3018, 0x301A, 0xFF08,
            0xFF3B, 0xFF5B:
            return .opening
        default: return width == 2 && scalar >= 0x1100 ? .wide : .other
        }
    }
}
