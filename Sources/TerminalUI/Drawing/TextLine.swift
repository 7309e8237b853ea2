/// A line of text in several looks, e.g. a name followed by its size in gray.
public struct TextLine: Hashable, Sendable, ExpressibleByStringInterpolation {
    public struct Span: Hashable, Sendable {
        public var text: String
        public var role: Role

        public init(_ text: String, _ role: Role = .text) {
            self.text = text
            self.role = role
        }
    }

    public var spans: [Span]

    public init(_ spans: [Span] = []) { self.spans = spans }

    public init(_ text: String, _ role: Role = .text) { spans = [Span(text, role)] }

    public init(stringLiteral value: String) { self.init(value) }

    public static func + (left: TextLine, right: TextLine) -> TextLine {
        TextLine(left.spans + right.spans)
    }

    /// The same words, those in one role given another.
    public func replacing(_ role: Role, by other: Role) -> TextLine {
        TextLine(spans.map { Span($0.text, $0.role == role ? other : $0.role) })
    }

    /// The words without their looks.
    public var text: String { spans.map(\.text).joined() }

    public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }

    /// The columns it takes on a screen.
    public var columnCount: Int { spans.reduce(0) { $0 + Surface.columnCount(of: $1.text) } }
}
