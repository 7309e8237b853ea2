/// How one row of a list looks.
public struct ListRow: Hashable, Sendable {
    /// A text at the row's end, e.g. a size. Columns stand below each other when every row gives
    /// them the same width.
    public struct Column: Hashable, Sendable {
        /// The words, cut where they are wider than the column.
        public var text: String
        /// The cells the column takes, whatever its text.
        public var width: Int
        /// What the text is for; the theme says how that looks.
        public var role: Role
        /// Where the text stands in the column.
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

    /// The row's name, cut where it does not fit beside the columns.
    public var title: TextLine
    /// A sign before the title, e.g. a dot for "not saved yet".
    public var symbol: TextLine?
    /// Short facts on the line below the title, where the list's rows are higher than one: the most important
    /// comes first, and the last ones are left out as a whole where there is no room.
    public var facts: [TextLine]
    /// Further lines, where the list's rows are higher than one.
    public var details: [TextLine]
    /// What stands at the end; on a narrow screen the last ones go first.
    public var columns: [Column]
    /// A picture before the words; ``ListView/imageSize`` keeps its place.
    public var image: ImageCells?
    /// The same in pixels, where the terminal shows them.
    public var graphic: Graphic?
    /// The part of the title to underline, in characters: what a filter matched.
    public var matches: [Range<Int>]

    public init(
        _ title: TextLine, symbol: TextLine? = nil, facts: [TextLine] = [],
        details: [TextLine] = [], columns: [Column] = [], image: ImageCells? = nil,
        graphic: Graphic? = nil,
        matches: [Range<Int>] = []
    ) {
        self.title = title
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
    /// - Parameter columns: What a line may take; only a first fact that is wider alone is cut.
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
