/// The contents of a row of a list.
public struct ListRow: Hashable, Sendable {
    /// A text at the row's end, e.g. a size. Columns are aligned if all rows give them the same width.
    public struct Column: Hashable, Sendable {
        /// The text, cut if it is wider than the column.
        public var text: String
        /// The width in cells, independent of the text.
        public var width: Int
        /// The role, which determines the style.
        public var role: Role
        /// The alignment of the text in the column.
        public var alignment: TextAlignment

        public init(
            _ text: String, width: Int, role: Role = .secondary,
            alignment: TextAlignment = .trailing
        ) {
            self.text = text
            self.width = width
            self.role = role
            self.alignment = alignment
        }
    }

    /// The row's title, cut if it does not fit beside the columns.
    public var title: TextLine
    /// A word right behind the title, which is cut for it: " draft".
    public var mark: TextLine?
    /// A symbol before the title, e.g. a dot for "not saved yet".
    public var symbol: TextLine?
    /// Short texts in the line below the title, if rows are higher than one: the most important first; the
    /// last ones are omitted if there is no room.
    public var facts: [TextLine]
    /// Further lines, if rows are higher than one.
    public var details: [TextLine]
    /// The columns at the end; on a narrow screen the last ones are omitted first.
    public var columns: [Column]
    /// A picture before the text; its place is reserved by ``ListView/imageSize``.
    public var image: ImageCells?
    /// The same in pixels, if the terminal shows them.
    public var graphic: Graphic?
    /// The parts of the title to underline, in characters: the matches of a filter.
    public var matches: [Range<Int>]

    public init(
        _ title: TextLine, mark: TextLine? = nil, symbol: TextLine? = nil, facts: [TextLine] = [],
        details: [TextLine] = [], columns: [Column] = [], image: ImageCells? = nil,
        graphic: Graphic? = nil,
        matches: [Range<Int>] = []
    ) {
        self.title = title
        self.mark = mark
        self.symbol = symbol
        self.facts = facts
        self.details = details
        self.columns = columns
        self.image = image
        self.graphic = graphic
        self.matches = matches
    }

    /// The lines below the title.
    ///
    /// - Parameter columns: The maximum width of a line; only a single first text is cut.
    func linesBelowTitle(columns: Int) -> [TextLine] {
        guard var line = facts.first else { return details }
        for fact in facts.dropFirst() {
            let longer = line + TextLine(" · ", .secondary) + fact
            guard longer.columnCount <= columns else { break }
            line = longer
        }
        return [line] + details
    }
}
