/// What is selected: the text between a fixed end and the caret.
public struct Selection: Hashable, Sendable {
    /// Where selecting began.
    public var anchor: Int
    /// Where the caret is.
    public var head: Int

    public init(anchor: Int, head: Int) {
        self.anchor = anchor
        self.head = head
    }

    /// A caret with nothing selected.
    public init(caret: Int) {
        self.init(anchor: caret, head: caret)
    }

    /// The selected bytes.
    public var range: Range<Int> { min(anchor, head)..<max(anchor, head) }

    /// Whether nothing is selected, so that there is just a caret.
    public var isEmpty: Bool { anchor == head }
}
