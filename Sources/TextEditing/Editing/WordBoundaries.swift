extension TextBuffer {
    /// The end of the word at or after `offset`, or the end of the text.
    ///
    /// Words are runs of letters, digits and underscores with their marks; runs of ideographs, of
    /// hiragana and of katakana are words of their own, and so are runs of other signs. Without
    /// `crossingLines` the end of the line ends the search, unless it begins there.
    public func wordEnd(after offset: Int, crossingLines: Bool = true) -> Int {
        var position = offset
        var kind = WordKind.space
        while position < count {
            let end = clusterEnd(after: position)
            var found = wordKind(of: position..<end)
            if found == .lineBreak {
                if !crossingLines { return position == offset ? end : position }
                found = .space
            }
            if kind == .space { kind = found } else if found != kind { break }
            position = end
        }
        return position
    }

    /// The start of the word before `offset`, or the start of the text; see `wordEnd`.
    public func wordStart(before offset: Int, crossingLines: Bool = true) -> Int {
        var position = offset
        var kind = WordKind.space
        while position > 0 {
            let start = clusterStart(before: position)
            var found = wordKind(of: start..<position)
            if found == .lineBreak {
                if !crossingLines { return position == offset ? start : position }
                found = .space
            }
            if kind == .space { kind = found } else if found != kind { break }
            position = start
        }
        return position
    }

    /// The word, space or run of signs around `offset`, for a double click.
    public func wordRange(at offset: Int) -> Range<Int> {
        guard count > 0 else { return 0..<0 }
        var start = clusterBoundary(atOrBefore: min(offset, count))
        if start == count { start = clusterStart(before: start) }
        var end = clusterEnd(after: start)
        let kind = wordKind(of: start..<end)
        guard kind != .lineBreak else { return start..<start }
        while start > 0 {
            let before = clusterStart(before: start)
            guard wordKind(of: before..<start) == kind else { break }
            start = before
        }
        while end < count {
            let after = clusterEnd(after: end)
            guard wordKind(of: end..<after) == kind else { break }
            end = after
        }
        return start..<end
    }

    private func wordKind(of cluster: Range<Int>) -> WordKind {
        withBytes(in: cluster) { WordKind(UTF8Decoding.scalar(in: $0, at: 0)) }
    }
}

/// What kind of run a cluster belongs to.
private enum WordKind {
    case space
    case lineBreak
    case word
    case ideograph
    case hiragana
    case katakana
    case sign

    init(_ scalar: DecodedScalar) {
        guard scalar.isValid else {
            self = .sign
            return
        }
        switch scalar.value {
        case 0x0A, 0x0D: self = .lineBreak
        case 0x09, 0x0B, 0x0C, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000:
            self = .space
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: self = .word
        case 0..<0x80: self = .sign
        case 0x3041...0x309F: self = .hiragana
        case 0x30A1...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: self = .katakana
        case 0x3005...0x3007, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            self = .ideograph
        default: self = Self.isWordScalar(scalar.value) ? .word : .sign
        }
    }

    private static func isWordScalar(_ value: UInt32) -> Bool {
        guard let properties = Unicode.Scalar(value)?.properties else { return false }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber,
            .otherNumber, .connectorPunctuation:
            return true
        default: return false
        }
    }
}
