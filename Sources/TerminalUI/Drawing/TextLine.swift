internal import TextEditing

/// A line of text in several styles, e.g. a name followed by its size in gray.
public struct TextLine: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// A part of the line in one style.
    public struct Span: Hashable, Sendable {
        /// The text. In a wrapped line, `\n` begins a row; elsewhere it is escaped like other control
        /// characters.
        public var text: String
        /// The role, which determines the style.
        public var role: Role

        public init(_ text: String, _ role: Role = .text) {
            self.text = text
            self.role = role
        }
    }

    /// The spans from left to right.
    public var spans: [Span]

    /// A line of spans, from left to right.
    public init(_ spans: [Span] = []) { self.spans = spans }

    /// A line in one style.
    public init(_ text: String, _ role: Role = .text) { spans = [Span(text, role)] }

    /// A foreign name, which stays on one row even if the line is wrapped: line breaks are escaped.
    public init(name: String, _ role: Role = .text) {
        self.init(name.withVisibleLineBreaks, role)
    }

    public init(stringLiteral value: String) { self.init(value) }

    /// Concatenates two lines.
    public static func + (left: TextLine, right: TextLine) -> TextLine {
        TextLine(left.spans + right.spans)
    }

    /// The same line, with one role replaced by another.
    public func replacing(_ role: Role, by other: Role) -> TextLine {
        TextLine(spans.map { Span($0.text, $0.role == role ? other : $0.role) })
    }

    /// The text without styles.
    public var text: String { spans.map(\.text).joined() }

    /// Whether it contains no text.
    public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }

    /// Its width in columns when drawn.
    public var columnCount: Int { spans.reduce(0) { $0 + Surface.columnCount(of: $1.text) } }
}

extension String {
    /// The same text with escaped line breaks: for a name in a field.
    public var withVisibleLineBreaks: String {
        contains(where: \.isNewline) ? VisibleText(self).string : self
    }
}
