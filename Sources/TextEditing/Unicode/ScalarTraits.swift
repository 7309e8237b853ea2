/// What segmentation and drawing need to know about one Unicode scalar.
///
/// Unpacked from the generated `ScalarTable`; see `scripts/generate-cell-widths.py`.
struct ScalarTraits: Sendable {
    let word: UInt16

    @inline(__always)
    init(_ scalar: UInt32) {
        self = Tables.shared.traits(of: scalar)
    }

    @inline(__always)
    fileprivate init(word: UInt16) {
        self.word = word
    }

    /// Cells of the scalar alone: 0, 1 or 2.
    @inline(__always) var width: Int { Int(word >> 5 & 3) }

    @inline(__always) var breakClass: BreakClass { BreakClass(rawValue: UInt8(word & 31)) }

    @inline(__always) var conjunctClass: ConjunctClass {
        ConjunctClass(rawValue: UInt8(word >> 12 & 3))
    }

    /// Whether a following U+FE0F makes it an emoji of two cells.
    @inline(__always) var widensWithEmojiSelector: Bool { word & 1 << 7 != 0 }

    @inline(__always) var exposure: Exposure { Exposure(rawValue: UInt8(word >> 8 & 3)) }

    /// Whether it is a spacing combining mark (general category Mc).
    @inline(__always) var isSpacingMark: Bool { word & 1 << 10 != 0 }

    /// Whether terminals in use disagree about its width because it is new.
    @inline(__always) var isDisputed: Bool { word & 1 << 11 != 0 }

    /// Whether it is a cluster on its own unless a neighbor joins it, is in no conjunct, and is
    /// displayed unchanged.
    @inline(__always) var isPlain: Bool { word & 0x331F == 0 && width != 0 }

    /// Whether it becomes part of whatever cluster precedes it.
    @inline(__always) var joinsPrevious: Bool {
        breakClass == .extend || breakClass == .joiner || breakClass == .spacingMark
    }
}

/// The Grapheme_Cluster_Break property, with Extended_Pictographic as a class of its own.
struct BreakClass: RawRepresentable, Equatable, Sendable {
    let rawValue: UInt8

    static let other = BreakClass(rawValue: 0)
    static let carriageReturn = BreakClass(rawValue: 1)
    static let lineFeed = BreakClass(rawValue: 2)
    static let control = BreakClass(rawValue: 3)
    static let extend = BreakClass(rawValue: 4)
    static let joiner = BreakClass(rawValue: 5)
    static let regionalIndicator = BreakClass(rawValue: 6)
    static let prepend = BreakClass(rawValue: 7)
    static let spacingMark = BreakClass(rawValue: 8)
    static let hangulL = BreakClass(rawValue: 9)
    static let hangulV = BreakClass(rawValue: 10)
    static let hangulT = BreakClass(rawValue: 11)
    static let hangulLV = BreakClass(rawValue: 12)
    static let hangulLVT = BreakClass(rawValue: 13)
    static let pictograph = BreakClass(rawValue: 14)

    /// CR, LF and controls, around which there is always a boundary (but inside CR LF).
    @inline(__always) var isControl: Bool { rawValue &- 1 < 3 }
}

/// The Indic_Conjunct_Break property.
struct ConjunctClass: RawRepresentable, Equatable, Sendable {
    let rawValue: UInt8

    static let none = ConjunctClass(rawValue: 0)
    static let consonant = ConjunctClass(rawValue: 1)
    static let linker = ConjunctClass(rawValue: 2)
    static let extend = ConjunctClass(rawValue: 3)
}

/// Whether a scalar may reach a screen as it is.
struct Exposure: RawRepresentable, Equatable, Sendable {
    let rawValue: UInt8

    static let plain = Exposure(rawValue: 0)
    /// C0 controls and DEL: shown in caret notation.
    static let control = Exposure(rawValue: 1)
    /// Invisible or dangerous: shown as `<U+202E>`.
    static let hidden = Exposure(rawValue: 2)
    /// Invisible, but meaningful beside the right neighbors (joiners, variation selectors).
    static let contextual = Exposure(rawValue: 3)
}

/// The table in the form it is read: a few kilobytes unpacked at the first use, in microseconds.
private struct Tables: Sendable {
    // All three lead to memory that is written once, in `init`, and never freed.
    nonisolated(unsafe) let pages: UnsafePointer<UInt16>
    nonisolated(unsafe) let cells: UnsafePointer<UInt8>
    nonisolated(unsafe) let kinds: UnsafePointer<UInt16>

    static let shared = Tables()

    init() {
        let blocks = ScalarTable.blocks.utf8Start
        let pageCount = ScalarTable.blocks.utf8CodeUnitCount / 2
        let pages = UnsafeMutablePointer<UInt16>.allocate(capacity: pageCount)
        for page in 0..<pageCount {
            let block = Self.digit(blocks[2 * page]) * 91 + Self.digit(blocks[2 * page + 1])
            (pages + page).initialize(to: UInt16(block))
        }
        let kinds = UnsafeMutablePointer<UInt16>.allocate(capacity: 128)
        kinds.initialize(repeating: 0, count: 128)
        for (index, word) in ScalarTable.kinds.enumerated() {
            kinds[index + 0x23 >= 0x5C ? index + 0x24 : index + 0x23] = word
        }
        self.pages = UnsafePointer(pages)
        self.kinds = UnsafePointer(kinds)
        cells = ScalarTable.cells.utf8Start
    }

    @inline(__always)
    func traits(of scalar: UInt32) -> ScalarTraits {
        let scalar = scalar < 0x110000 ? scalar : 0xFFFD
        let cell = Int(pages[Int(scalar >> 7)]) &* 128 &+ Int(scalar & 127)
        return ScalarTraits(word: kinds[Int(cells[cell])])
    }

    /// The digit's value; U+005C, the backslash, is left out of the alphabet.
    private static func digit(_ character: UInt8) -> Int {
        Int(character) - (character > 0x5C ? 0x24 : 0x23)
    }
}
