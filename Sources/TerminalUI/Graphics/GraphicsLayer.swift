/// The pictures on the terminal: which have been sent, which are visible, and what to send for the next
/// frame.
///
/// A frame's cells determine where pictures are. kitty's pictures consist of cells: later drawing replaces
/// them. Others are drawn over hole cells, which differ from any later contents, so that these are always
/// redrawn. A picture that is not completely visible is shown in characters, with all protocols.
@MainActor
struct GraphicsLayer {
    /// The protocol of the terminal.
    var terminal = PictureTerminal()

    private struct Shown: Equatable {
        let id: UInt32
        let rect: Rect
    }

    /// A picture in the terminal's memory.
    private struct Kept {
        let id: UInt32
        let byteCount: Int
    }

    /// Drawn over cells in the last frame.
    private var shown: [Shown] = []
    /// Sent to a terminal that stores them; least recently shown first.
    private var kept: [Kept] = []
    /// May still be in the terminal's memory.
    private var dropped: [UInt32] = []

    /// For pictures that are temporarily invisible: below a dialog, or scrolled out.
    static let keptByteLimit = 24 << 20

    /// Narrower ones could be overwritten by ncurses, which rewrites blanks when that is shorter than moving
    /// the cursor.
    static let leastInlineWidth = 12

    /// The output for a frame besides its cells.
    struct Plan {
        /// Sent before the cells.
        var before: [OutputQueue.Part] = []
        fileprivate var inline: [PlacedGraphic] = []
        /// Sent after the cells: removes obsolete pictures.
        fileprivate var deletions: [UInt8] = []
    }

    /// Inserts the pictures of a frame into its cells.
    mutating func compose(_ surface: Surface) -> Plan {
        var plan = Plan()
        var seen: Set<UInt32> = []
        for placed in surface.placedGraphics where surface.isIntact(placed) {
            let (graphic, rect) = (placed.graphic, placed.rect)
            switch (graphic.kind, terminal.format) {
            case (.placeholders, .kitty):
                guard graphic.size.width <= KittyPlaceholder.limit,
                    graphic.size.height <= KittyPlaceholder.limit
                else { continue }
                seen.insert(graphic.id)
                if let index = kept.firstIndex(where: { $0.id == graphic.id }) {
                    kept.append(kept.remove(at: index))
                } else {
                    plan.before.append(
                        OutputQueue.Part(
                            bytes: graphic.bytes, picture: graphic.id,
                            ending: endOfPieces + deletion(of: graphic.id)))
                    kept.append(Kept(id: graphic.id, byteCount: graphic.bytes.count))
                    dropped.removeAll { $0 == graphic.id }
                }
                surface.fillWithPlaceholders(rect, part: placed.part, id: graphic.id)
            case (.inline, .sixel), (.inline, .iterm):
                // In the last row the terminal would scroll.
                guard rect.width >= Self.leastInlineWidth, rect.maxY < surface.size.height else {
                    continue
                }
                surface.fillWithHoles(rect)
                plan.inline.append(placed)
            default: continue
            }
        }
        var spare = kept.reduce(0) { seen.contains($1.id) ? $0 : $0 + $1.byteCount }
        while spare > Self.keptByteLimit,
            let index = kept.firstIndex(where: { !seen.contains($0.id) })
        {
            spare -= kept[index].byteCount
            dropped.append(kept.remove(at: index).id)
        }
        plan.deletions = dropped.flatMap(deletion)
        dropped = []
        return plan
    }

    /// The output after the cells.
    ///
    /// - Parameters:
    ///   - isWhole: Whether all cells were redrawn.
    ///   - rows: The rows that were completely redrawn.
    ///   - move: The sequence that moves the cursor.
    mutating func finish(
        _ plan: Plan, isWhole: Bool, rows: [Int] = [], move: (Point) -> [UInt8]
    ) -> [OutputQueue.Part] {
        var parts: [OutputQueue.Part] = []
        let before = isWhole ? [] : shown
        shown = plan.inline.map { Shown(id: $0.graphic.id, rect: $0.rect) }
        for (entry, placed) in zip(shown, plan.inline) {
            let isThere = before.contains(entry)
            if isThere, !rows.contains(where: entry.rect.rows.contains) { continue }
            parts.append(OutputQueue.Part(bytes: move(placed.rect.origin)))
            parts.append(OutputQueue.Part(bytes: placed.graphic.bytes, picture: placed.graphic.id))
        }
        if !plan.deletions.isEmpty { parts.append(OutputQueue.Part(bytes: plan.deletions)) }
        return parts
    }

    /// Notes that pictures have not arrived, or are incomplete: if visible, they are sent again.
    mutating func lose(_ ids: [UInt32]) {
        shown.removeAll { ids.contains($0.id) }
        kept.removeAll { ids.contains($0.id) }
    }

    /// Discards the known state of the terminal: everything is sent again.
    mutating func forget() {
        shown = []
        dropped += kept.map(\.id)
        kept = []
    }

    /// The output that removes all pictures.
    mutating func removeAll() -> [UInt8] {
        forget()
        defer { dropped = [] }
        return dropped.flatMap(deletion)
    }

    /// Terminates an incomplete picture, which is an error without effects. Source: kitty's graphics
    /// protocol, "Chunked transmission": m=0 is the last.
    private var endOfPieces: [UInt8] {
        let command = Array("\u{1B}_Gm=0,q=2;\u{1B}\\".utf8)
        return terminal.isInsideTmux ? TmuxPassthrough.wrapped(command) : command
    }

    /// Source: kitty's graphics protocol, "Deleting images": I frees the data, too; q=2 suppresses replies.
    private func deletion(of id: UInt32) -> [UInt8] {
        let command = Array("\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\".utf8)
        return terminal.isInsideTmux ? TmuxPassthrough.wrapped(command) : command
    }
}

extension Cell {
    /// A part of one of kitty's pictures.
    fileprivate static func placeholder(row: Int, column: Int, style: Style) -> Cell {
        Cell(.placeholder(row: row, column: column), style: style)
    }
}

extension Surface {
    /// Whether the cells below a picture are unchanged: nothing covers it.
    fileprivate func isIntact(_ placed: PlacedGraphic) -> Bool {
        let rect = placed.rect
        guard placed.cells.count == rect.width * rect.height else { return false }
        var index = 0
        for y in rect.rows {
            for x in rect.columns {
                guard self[column: x, row: y] == placed.cells[index] else { return false }
                index += 1
            }
        }
        return true
    }

    fileprivate func fillWithPlaceholders(_ rect: Rect, part: Point, id: UInt32) {
        let style = Style(
            foreground: .rgb(
                UInt8(truncatingIfNeeded: id >> 16), UInt8(truncatingIfNeeded: id >> 8),
                UInt8(truncatingIfNeeded: id)))
        replaceCells(in: rect) { row, column in
            .placeholder(row: row + part.y, column: column + part.x, style: style)
        }
    }

    fileprivate func fillWithHoles(_ rect: Rect) {
        replaceCells(in: rect) { _, _ in Cell(.hole) }
    }
}
