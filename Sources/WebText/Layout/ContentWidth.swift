import TextEditing

/// The preferred width of blocks, and the minimum width without breaking words.
struct ContentWidth {
    private(set) var wanted = 0
    private(set) var least = 0

    /// The minimum width of a picture.
    private static let leastPictureWidth = 16

    private let room: PictureRoom
    /// The available columns.
    private let limit: Int

    init(_ blocks: [WebBlock], _ room: PictureRoom, limit: Int) {
        self.room = room
        self.limit = limit
        for block in blocks { add(block, indent: 0) }
    }

    private mutating func add(_ block: WebBlock, indent: Int) {
        switch block {
        case .anchor, .rule: break
        case .heading(_, let runs), .paragraph(let runs): add(runs, indent: indent, isWhole: false)
        case .preformatted(let runs): add(runs, indent: indent, isWhole: true)
        case .quotation(let blocks): for block in blocks { add(block, indent: indent + 2) }
        case .list(let items):
            let marker = items.map { CellWidth.of($0.marker) + 1 }.max() ?? 0
            for item in items {
                for block in item.blocks { add(block, indent: indent + max(marker, 4)) }
            }
        case .table(let table):
            for cell in table.rows.joined() {
                for block in cell.blocks { add(block, indent: indent) }
            }
        }
    }

    private mutating func add(_ runs: [WebRun], indent: Int, isWhole: Bool) {
        var runs = runs
        for run in runs {
            guard let box = run.picture.flatMap({ room.box(for: $0, width: limit) }) else {
                continue
            }
            wanted = max(wanted, indent + box.columns)
            least = max(least, indent + min(box.columns, Self.leastPictureWidth))
        }
        runs.removeAll { $0.picture.map { room.box(for: $0, width: limit) != nil } ?? false }
        let text = runs.map(\.text).joined()
        for line in text.split(separator: "\n") {
            let width = indent + CellWidth.of(line)
            wanted = max(wanted, width)
            if isWhole { least = max(least, width) }
        }
        guard !isWhole else { return }
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            least = max(least, indent + CellWidth.of(word))
        }
    }
}
