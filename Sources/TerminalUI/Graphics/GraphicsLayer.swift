/// The pictures on the terminal: what has been sent, what is to be seen, and what has to be sent for the
/// next frame.
///
/// A frame's cells say where pictures are. kitty's are made of cells: whatever is drawn there next takes
/// their place. The others are drawn over cells that hold nothing, which then differ from whatever
/// follows, so that it is drawn for sure. A picture that is not to be seen whole is shown as the characters
/// beneath it, by all of them alike.
@MainActor
struct GraphicsLayer {
    /// How they reach the terminal.
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

    /// Drawn over cells, as of the last frame.
    private var shown: [Shown] = []
    /// Sent to a terminal that keeps them, those seen longest ago first.
    private var kept: [Kept] = []
    /// May still be in its memory.
    private var dropped: [UInt32] = []

    /// Of pictures that are not to be seen now, but soon again: beneath a box, in the row above.
    static let keptByteLimit = 24 << 20

    /// One of fewer columns might be drawn over by ncurses, to which rewriting some blanks is less than
    /// moving the cursor.
    static let leastInlineWidth = 12

    /// What goes with a frame.
    struct Plan {
        /// Before its cells.
        var before: [OutputQueue.Part] = []
        fileprivate var inline: [PlacedGraphic] = []
        /// After them: of what is not needed any more.
        fileprivate var farewell: [UInt8] = []
    }

    /// Puts the pictures of a frame into its cells.
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
                // At the last row the terminal would scroll.
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
        plan.farewell = dropped.flatMap(deletion)
        dropped = []
        return plan
    }

    /// What is written after the cells.
    ///
    /// - Parameters:
    ///   - isWhole: Whether every cell was drawn again.
    ///   - rows: Rows of which every cell was.
    ///   - move: Moves the cursor.
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
        if !plan.farewell.isEmpty { parts.append(OutputQueue.Part(bytes: plan.farewell)) }
        return parts
    }

    /// Notes that pictures have not arrived, or not whole: where they are wanted, they are sent again.
    mutating func lose(_ ids: [UInt32]) {
        shown.removeAll { ids.contains($0.id) }
        kept.removeAll { ids.contains($0.id) }
    }

    /// Forgets what the terminal holds: it is all sent again.
    mutating func forget() {
        shown = []
        dropped += kept.map(\.id)
        kept = []
    }

    /// What takes all pictures from the terminal.
    mutating func removeAll() -> [UInt8] {
        forget()
        defer { dropped = [] }
        return dropped.flatMap(deletion)
    }

    /// Ends a picture that was to come in more pieces, which is an error that nobody reports.
    /// Source: kitty's graphics protocol, "Chunked transmission": m=0 is the last.
    private var endOfPieces: [UInt8] {
        let command = Array("\u{1B}_Gm=0,q=2;\u{1B}\\".utf8)
        return terminal.isInsideTmux ? TmuxPassthrough.wrapped(command) : command
    }

    /// Source: kitty's graphics protocol, "Deleting images": I frees the data, too; q=2: no answer.
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
    /// Whether what was drawn beneath a picture is still to be seen: nothing lies over it.
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
