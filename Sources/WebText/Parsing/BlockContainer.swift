/// A block with nested blocks, while it is parsed.
struct BlockContainer {
    enum Kind {
        case page, quotation
        case list(isOrdered: Bool)
        case item(marker: String)
        case table, row
        case cell(isHeading: Bool, columnSpan: Int, rowSpan: Int)
    }

    let kind: Kind
    var blocks: [WebBlock] = []
    var items: [WebListItem] = []
    var rows: [[WebTableCell]] = []
    var cells: [WebTableCell] = []
    /// The number of the next item.
    var number = 1
    var numbering = ListNumbering()
    /// The rows that each cell spans.
    private var rowSpans: [Int] = []
    private var spans = RowSpans()

    init(_ kind: Kind) { self.kind = kind }

    private var isList: Bool { if case .list = kind { true } else { false } }

    /// Adds a nested container that has ended. If it is misplaced, its text is still shown.
    mutating func take(_ ended: BlockContainer) {
        switch ended.kind {
        case .page: blocks += ended.blocks
        case .quotation: if !ended.blocks.isEmpty { blocks.append(.quotation(ended.blocks)) }
        case .list:
            blocks += ended.blocks
            if !ended.items.isEmpty {
                blocks.append(.list(ended.numbering.numbered(ended.items)))
            }
        case .item(let marker):
            // Empty items are omitted, except numbered ones.
            guard !ended.blocks.isEmpty || !marker.isEmpty else { return }
            take(WebListItem(marker, ended.blocks))
        case .table:
            blocks += ended.blocks
            var ended = ended
            let rows = ended.rows + (ended.cells.isEmpty ? [] : [ended.placedCells])
            if rows.contains(where: { $0.contains { !$0.blocks.isEmpty } }) {
                blocks.append(.table(WebTable(rows)))
            }
        case .row:
            if case .table = kind {
                blocks += ended.blocks
                rows.append(spans.place(ended.cells, spanning: ended.rowSpans))
            } else {
                blocks += ended.blocks + ended.cells.flatMap(\.blocks)
            }
        case .cell(let isHeading, let columnSpan, let rowSpan):
            switch kind {
            case .row, .table:
                rowSpans.append(rowSpan)
                cells.append(
                    WebTableCell(ended.blocks, isHeading: isHeading, columnSpan: columnSpan))
            default: blocks += ended.blocks
            }
        }
    }

    /// The cells of a table without rows.
    private var placedCells: [WebTableCell] {
        mutating get { spans.place(cells, spanning: rowSpans) }
    }

    private mutating func take(_ item: WebListItem) {
        if isList {
            items.append(item)
        } else if case .list(let items)? = blocks.last {
            blocks[blocks.count - 1] = .list(items + [item])
        } else {
            blocks.append(.list([item]))
        }
    }
}
