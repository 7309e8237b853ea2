/// How a cell's text looks: two colors and attributes.
public struct Style: Hashable, Sendable {
    /// The color of the text.
    public var foreground: Color
    /// The color behind the text.
    public var background: Color
    /// The attributes, such as bold or underlined.
    public var attributes: Attributes

    public init(
        foreground: Color = .default, background: Color = .default,
        _ attributes: Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// The terminal's own colors, no attributes.
    public static let plain = Style()

    /// Attributes of a text; unsupported ones are ignored.
    public struct Attributes: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A heavier face; some terminals draw a brighter color instead.
        public static let bold = Attributes(rawValue: 1)
        /// Less intense than usual.
        public static let dim = Attributes(rawValue: 2)
        /// A slanted face.
        public static let italic = Attributes(rawValue: 4)
        /// A line below the text.
        public static let underline = Attributes(rawValue: 8)
        /// Text and background colors are swapped.
        public static let reverse = Attributes(rawValue: 16)
    }

    /// The same style with more attributes.
    public func adding(_ attributes: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(attributes)
        return style
    }

    /// The style below a modal dialog: darker pictures, everything else in one gray.
    func behind(_ backdrop: Style) -> Style {
        guard foreground.isRGB || background.isRGB else { return backdrop }
        return Style(foreground: foreground.darkened, background: background.darkened)
    }

    /// The same style on another background.
    public func on(_ background: Color) -> Style {
        var style = self
        style.background = background
        return style
    }
}
