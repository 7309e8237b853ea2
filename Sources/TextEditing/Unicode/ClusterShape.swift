/// A part of a grapheme cluster as it reaches the screen.
struct ClusterPiece {
    enum Form: Equatable {
        /// The bytes themselves.
        case verbatim
        /// Combining marks that have lost their base: drawn on a dotted circle.
        case marks
        /// A control in caret notation, `^[`.
        case caret(UInt8)
        /// A hidden scalar, `<U+202E>`.
        case scalar(UInt32)
        /// An invalid byte of UTF-8, `<E9>`.
        case byte(UInt8)
    }

    var form: Form
    var bytes: Range<Int>
    var width: Int
    var isDisputed = false
}

/// Decides how a grapheme cluster is shown and how many cells it takes.
///
/// One place decides for drawing, measuring and wrapping, so that they can never differ.
enum ClusterShape {
    /// Marks drawn on one base; further ones are shown by number, so that text cannot spill over
    /// its neighbors.
    static let longestMarkRun = 12

    /// Cells of the cluster in `range`, as it is shown.
    @inline(__always)
    static func width(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
        let first = bytes[range.lowerBound]
        if first < 0x80, range.count == 1 { return first >= 0x20 && first != 0x7F ? 1 : 2 }
        return slowWidth(in: bytes, range)
    }

    static func slowWidth(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
        let first = UTF8Decoding.scalar(in: bytes, at: range.lowerBound)
        if first.isValid, first.length == range.count {
            let traits = ScalarTraits(first.value)
            if traits.isPlain { return traits.width }
        }
        if let width = emojiWidth(in: bytes, range) { return width }
        var total = 0
        forEachPiece(in: bytes, range) { total += $0.width }
        return total
    }

    /// Cells of an emoji spelt as it should be, alone or joined by ZWJ; nil for anything else.
    ///
    /// Says the same as putting the pieces together, only sooner.
    private static func emojiWidth(
        in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Int? {
        var offset = range.lowerBound
        var width = 0
        // Whether the emoji has begun, its selector has come, and a joiner wants another emoji.
        var (hasBase, hasSelector, isJoined) = (false, false, false)
        var widens = false
        while offset < range.upperBound {
            let scalar = UTF8Decoding.scalar(in: bytes, at: offset)
            offset &+= scalar.length
            guard scalar.isValid else { return nil }
            switch scalar.value {
            case 0x200D:
                guard hasBase, !isJoined else { return nil }
                (isJoined, hasSelector) = (true, false)
            case 0xFE0F:
                guard hasBase, !hasSelector, !isJoined else { return nil }
                hasSelector = true
                if widens { width = 2 }
            case 0x1F3FB...0x1F3FF where hasBase:
                guard !isJoined, !hasSelector else { return nil }
                width = 2
            default:
                let traits = ScalarTraits(scalar.value)
                guard traits.breakClass == .pictograph, traits.exposure == .plain,
                    hasBase == isJoined
                else { return nil }
                if !hasBase { width = traits.width }
                widens = traits.widensWithEmojiSelector
                (hasBase, hasSelector, isJoined) = (true, false, false)
            }
        }
        return hasBase && !isJoined ? width : nil
    }

    /// Calls `body` with the pieces of the cluster in `range`, in order.
    static func forEachPiece(
        in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
        _ body: (ClusterPiece) -> Void
    ) {
        var open = OpenPiece()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let scalar = UTF8Decoding.scalar(in: bytes, at: offset)
            let end = offset + scalar.length
            let traits = ScalarTraits(scalar.value)
            let next = end < range.upperBound ? UTF8Decoding.scalar(in: bytes, at: end) : nil
            if let form = substitute(for: scalar, traits, after: open, before: next) {
                open.close(body)
                body(ClusterPiece(form: form, bytes: offset..<end, width: form.width))
                // What follows has no base of its own any more.
                open = OpenPiece()
            } else {
                open.take(scalar.value, traits, offset..<end)
            }
            offset = end
        }
        open.close(body)
    }

    /// The form a scalar must be given, or nil when it may be shown as it is.
    private static func substitute(
        for scalar: DecodedScalar, _ traits: ScalarTraits, after open: OpenPiece,
        before next: DecodedScalar?
    ) -> ClusterPiece.Form? {
        guard scalar.isValid else { return .byte(UInt8(truncatingIfNeeded: scalar.value)) }
        switch traits.exposure {
        case .control: return .caret(UInt8(truncatingIfNeeded: scalar.value))
        case .hidden: return .scalar(scalar.value)
        case .contextual:
            return open.accepts(scalar.value, before: next) ? nil : .scalar(scalar.value)
        default:
            return open.markCount >= longestMarkRun && traits.width == 0
                ? .scalar(scalar.value) : nil
        }
    }
}

extension ClusterPiece.Form {
    /// The text drawn in place of the bytes: printable ASCII only.
    var substitute: String {
        switch self {
        case .verbatim, .marks: ""
        case .caret(let byte): byte == 0x7F ? "^?" : "^" + String(UnicodeScalar(byte | 0x40))
        case .scalar(let value): "<U+" + hexadecimal(value, digits: 4) + ">"
        case .byte(let byte): "<" + hexadecimal(UInt32(byte), digits: 2) + ">"
        }
    }

    /// Cells of the substitute.
    var width: Int {
        switch self {
        case .verbatim, .marks: 0
        case .caret: 2
        case .scalar(let value): value < 0x10000 ? 8 : value < 0x100000 ? 9 : 10
        case .byte: 4
        }
    }
}

private func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

/// The piece being put together: a base and what is attached to it.
private struct OpenPiece {
    var range: Range<Int>?
    var width = 0
    var isDisputed = false
    var markCount = 0
    /// The last scalar with cells of its own.
    private var base: UInt32?
    private var baseTraits = ScalarTraits(0x41)
    private var last: UInt32?
    private var isLinked = false

    /// Whether an invisible scalar means something here.
    func accepts(_ scalar: UInt32, before next: DecodedScalar?) -> Bool {
        guard let base, let last else { return false }
        let isSelectorAfterSelector = (0xFE00...0xFE0F).contains(last) || last >= 0xE0100
        switch scalar {
        case 0x200D where baseTraits.breakClass == .pictograph:
            guard let next, next.isValid else { return false }
            return ScalarTraits(next.value).breakClass == .pictograph
        case 0x200C, 0x200D:
            // Arabic, the scripts of India and their neighbors spell with joiners.
            return (0x600..<0x1100).contains(base) || (0x1700..<0x1CFF).contains(base)
                || (0xA800..<0xAC00).contains(base) || (0x10D00..<0x12000).contains(base)
        case 0xFE0E, 0xFE0F:
            return !isSelectorAfterSelector
                && (baseTraits.breakClass == .pictograph || baseTraits.widensWithEmojiSelector)
        case 0xFE00...0xFE0D:
            return !isSelectorAfterSelector && base >= 0x80 && last == base
        case 0xE0100...0xE01EF:
            return !isSelectorAfterSelector && baseTraits.width == 2 && last == base
        case 0xE0020...0xE007F: return base == 0x1F3F4
        case 0x180B...0x180D, 0x180F: return (0x1800..<0x18B0).contains(base)
        case 0x17B4, 0x17B5: return (0x1780..<0x1800).contains(base)
        case 0x34F: return base >= 0x80
        default: return false
        }
    }

    mutating func take(_ scalar: UInt32, _ traits: ScalarTraits, _ bytes: Range<Int>) {
        defer { last = scalar }
        range = (range?.lowerBound ?? bytes.lowerBound)..<bytes.upperBound
        if traits.isDisputed { isDisputed = true }
        guard base != nil else {
            if traits.width > 0 {
                (base, baseTraits, width) = (scalar, traits, traits.width)
                if traits.breakClass == .regionalIndicator { isDisputed = true }
            } else {
                markCount += 1
            }
            return
        }
        switch traits.breakClass {
        case .pictograph where last == 0x200D: isDisputed = true
        case .regionalIndicator: (width, isDisputed) = (2, true)
        default: attach(scalar, traits)
        }
        // A skin tone has cells of its own but is not a base: what follows belongs to the emoji.
        if traits.width > 0, traits.breakClass != .extend { (base, baseTraits) = (scalar, traits) }
        isLinked = traits.conjunctClass == .linker || (isLinked && traits.width == 0)
    }

    private mutating func attach(_ scalar: UInt32, _ traits: ScalarTraits) {
        switch scalar {
        // A skin tone asks for the emoji's colorful, wide form.
        case 0x1F3FB...0x1F3FF: (width, isDisputed) = (2, true)
        case 0xFE0F:
            if baseTraits.widensWithEmojiSelector { width = 2 }
            isDisputed = true
        case 0xFE0E: isDisputed = true
        default:
            if traits.width > 0 {
                // A conjunct, or a sign before what it belongs to: room for both, never above 2.
                width = Swift.min(2, isLinked ? 2 : width + traits.width)
                isDisputed = isDisputed || !isHangul(traits)
            } else if traits.isSpacingMark {
                (width, isDisputed) = (2, true)
            } else if scalar != 0x200D {
                markCount += 1
            }
        }
    }

    private func isHangul(_ traits: ScalarTraits) -> Bool {
        traits.breakClass.rawValue >= BreakClass.hangulL.rawValue
            && traits.breakClass.rawValue <= BreakClass.hangulLVT.rawValue
    }

    func close(_ body: (ClusterPiece) -> Void) {
        guard let range else { return }
        let isBaseless = base == nil
        body(
            ClusterPiece(
                form: isBaseless ? .marks : .verbatim, bytes: range,
                width: isBaseless ? 1 : width, isDisputed: isDisputed))
    }
}
