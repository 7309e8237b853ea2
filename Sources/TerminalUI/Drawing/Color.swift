/// A color of a cell's text or background.
///
/// Palette entries follow the user's own scheme for 0–15 and xterm's cube for 16–255. The
/// screen draws the nearest color that the terminal has.
public struct Color: Hashable, Sendable {
    /// The kind in the top byte, so that colors compare as one number.
    let bits: UInt32

    private init(bits: UInt32) { self.bits = bits }

    /// What a color is made of.
    public enum Kind: Hashable, Sendable {
        /// The terminal's own text or background color.
        case `default`
        case palette(UInt8)
        case rgb(red: UInt8, green: UInt8, blue: UInt8)
    }

    /// The terminal's own text or background color, depending on its use.
    public static let `default` = Color(bits: 0)

    /// One of the 256 palette colors: 0–15 are the user's, 16–255 xterm's cube and grays.
    public static func palette(_ index: UInt8) -> Color {
        Color(bits: 1 << 24 | UInt32(index))
    }

    /// A color of 24 bits, each part from 0 to 255.
    public static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Color {
        Color(bits: 2 << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
    }

    /// Whether it is given by its components.
    var isRGB: Bool { bits >> 24 == 2 }

    /// A color of a third of the brightness; palette colors stay as they are.
    var darkened: Color {
        guard case .rgb(let red, let green, let blue) = kind else { return self }
        return .rgb(red / 3, green / 3, blue / 3)
    }

    /// What the color is made of.
    public var kind: Kind {
        switch bits >> 24 {
        case 1: .palette(UInt8(truncatingIfNeeded: bits))
        case 2:
            .rgb(
                red: UInt8(truncatingIfNeeded: bits >> 16),
                green: UInt8(truncatingIfNeeded: bits >> 8),
                blue: UInt8(truncatingIfNeeded: bits))
        default: .default
        }
    }
}

/// How many colors a terminal shows.
public enum ColorDepth: Int, Hashable, Sendable, Comparable {
    /// Attributes only: also what `NO_COLOR` asks for.
    case monochrome = 0
    case eight = 8
    case sixteen = 16
    case palette = 256
    /// 24 bits: every RGB color as it is.
    case direct = 0x100_0000

    public static func < (left: ColorDepth, right: ColorDepth) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The depth of a terminal with a number of colors.
    public init(colorCount: Int) {
        switch colorCount {
        case 0x100_0000...: self = .direct
        case 256...: self = .palette
        case 16...: self = .sixteen
        case 8...: self = .eight
        default: self = .monochrome
        }
    }
}
