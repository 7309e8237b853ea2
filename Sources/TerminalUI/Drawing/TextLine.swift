internal import TextEditing

/// A line of text in several looks, e.g. a name followed by its size in gray.
public struct TextLine: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// A piece of the line in one look.
    public struct Span: Hashable, Sendable {
        /// The words. Where the line is wrapped, `\n` begins a row; elsewhere it is shown like
        /// other control characters, in a visible form.
        public var text: String
        /// What the words are for; the theme says how that looks.
        public var role: Role

        public init(_ text: String, _ role: Role = .text) {
            self.text = text
            self.role = role
        }
    }

    /// The pieces from left to right, with nothing between them.
    public var spans: [Span]

    /// A line of pieces, from left to right.
    public init(_ spans: [Span] = []) { self.spans = spans }

    /// A line in one look.
    public init(_ text: String, _ role: Role = .text) { spans = [Span(text, role)] }

    /// A name from outside, which stays on one row also where the line is wrapped: a line break in it is shown.
    public init(name: String, _ role: Role = .text) {
        self.init(name.withVisibleLineBreaks, role)
    }

    public init(stringLiteral value: String) { self.init(value) }

    /// The right line's pieces behind the left one's.
    public static func + (left: TextLine, right: TextLine) -> TextLine {
        TextLine(left.spans + right.spans)
    }

    /// The same words, those in one role given another.
    public func replacing(_ role: Role, by other: Role) -> TextLine {
        TextLine(spans.map { Span($0.text, $0.role == role ? other : $0.role) })
    }

    /// The words without their looks.
    public var text: String { spans.map(\.text).joined() }

    /// Whether it has no words at all.
    public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }

    /// The columns it takes on a screen.
    public var columnCount: Int { spans.reduce(0) { $0 + Surface.columnCount(of: $1.text) } }
}

extension String {
    /// The same, and with line breaks in the form in which they are drawn: for a name in a field.
    public var withVisibleLineBreaks: String {
        contains(where: \.isNewline) ? VisibleText(self).string : self
    }
}
