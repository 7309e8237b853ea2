public import TextEditing

/// How text is cut that is too wide.
public enum Truncation: Hashable, Sendable {
    /// Cut, nothing added.
    case clip
    /// "A long na…"
    case tail
    /// "…ng name.txt"
    case head
    /// "A lon….txt", for file names.
    case middle
}

/// The position of text that is narrower than its area.
public enum TextAlignment: Hashable, Sendable {
    case leading
    case center
    case trailing
}

/// Text drawing: all strings are drawn through these methods, which make every character visible.
extension Surface {
    /// The number of columns that a text takes when drawn.
    public static func columnCount(of text: some StringProtocol) -> Int {
        CellWidth.of(text)
    }

    /// Draws one line of text and returns its width in columns.
    ///
    /// Control, bidirectional and invisible characters are drawn in a visible form, line breaks too. A wide
    /// character that does not fit as a whole becomes a space.
    ///
    /// - Parameters:
    ///   - columns: The maximum width; nil for the rest of the window.
    ///   - truncation: How wider text is cut.
    @discardableResult
    public func draw(
        _ text: some StringProtocol, at point: Point, style: Style = .plain, columns: Int? = nil,
        truncation: Truncation = .tail
    ) -> Int {
        let room = max(0, columns ?? (bounds.width - point.x))
        guard room > 0, point.y >= 0, point.y < bounds.height else { return 0 }
        let fast = text.utf8.withContiguousStorageIfAvailable { bytes -> Int? in
            guard bytes.count <= room, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                return nil
            }
            writeASCII(bytes, at: point, style: style)
            return bytes.count
        }
        if let fast, let count = fast { return count }
        return drawGlyphs(of: text, at: point, style: style, room: room, truncation: truncation)
    }

    /// Draws text in a role's style.
    @discardableResult
    public func draw(
        _ text: some StringProtocol, at point: Point, role: Role, columns: Int? = nil,
        truncation: Truncation = .tail
    ) -> Int {
        draw(text, at: point, style: theme[role], columns: columns, truncation: truncation)
    }

    /// Draws a line with several styles and returns its width in columns.
    ///
    /// - Parameter base: The background and style of the whole line: spans keep their own colors only where
    ///   `base` has none.
    @discardableResult
    public func draw(
        _ line: TextLine, at point: Point, columns: Int? = nil, on base: Style? = nil
    ) -> Int {
        let room = max(0, columns ?? (bounds.width - point.x))
        var used = 0
        for span in line.spans where !span.text.isEmpty {
            guard used < room else { break }
            used += draw(
                span.text, at: Point(x: point.x + used, y: point.y),
                style: style(of: span.role, on: base), columns: room - used)
        }
        return used
    }

    /// Draws a line of text in a row of the given width, with an alignment.
    public func draw(
        _ line: TextLine, in row: Rect, alignment: TextAlignment, on base: Style? = nil
    ) {
        let free = max(0, row.width - line.columnCount)
        let offset =
            switch alignment {
            case .leading: 0
            case .center: free / 2
            case .trailing: free
            }
        draw(line, at: Point(x: row.x + offset, y: row.y), columns: row.width - offset, on: base)
    }

    /// Draws a visible glyph and returns its width in columns.
    @discardableResult
    public func draw(_ glyph: Glyph, at point: Point, style: Style) -> Int {
        let style = glyph.isSubstitute ? theme.mark(style) : style
        put(
            Cell(
                Grapheme(cluster: glyph.text), style: style, columnCount: glyph.width,
                isDisputed: glyph.isDisputed),
            at: point)
        return glyph.width
    }

    private func style(of role: Role, on base: Style?) -> Style {
        let own = theme[role]
        guard let base, base != .plain else { return own }
        let isPainted = base.background != .default || base.attributes.contains(.reverse)
        if isPainted { return base.adding(own.attributes.intersection([.bold, .underline])) }
        return own.adding(base.attributes)
    }

    private func drawGlyphs(
        of text: some StringProtocol, at point: Point, style: Style, room: Int,
        truncation: Truncation
    ) -> Int {
        let width = CellWidth.of(text)
        guard width > room, truncation != .clip else {
            return draw(glyphsOf: text, at: point, style: style, skipping: 0, room: room)
        }
        let ellipsis = Cell(Grapheme("…"), style: style)
        let head =
            switch truncation {
            case .head: 0
            case .middle: room / 2
            default: room - 1
            }
        let tail = room - 1 - head
        var used = draw(glyphsOf: text, at: point, style: style, skipping: 0, room: head)
        put(ellipsis, at: Point(x: point.x + used, y: point.y))
        used += 1
        if tail > 0 {
            used += draw(
                glyphsOf: text, at: Point(x: point.x + used, y: point.y), style: style,
                skipping: width - tail, room: tail)
        }
        return used
    }

    /// Draws the glyphs of a text between two columns, without those cut at an edge.
    private func draw(
        glyphsOf text: some StringProtocol, at point: Point, style: Style, skipping: Int, room: Int
    ) -> Int {
        var column = 0
        var used = 0
        VisibleText.forEachGlyph(of: text) { glyph in
            if column >= skipping {
                guard used + glyph.width <= room else { return false }
                used += draw(glyph, at: Point(x: point.x + used, y: point.y), style: style)
            }
            column += glyph.width
            return used < room
        }
        return used
    }
}

extension Theme {
    /// The style of an escaped character within text of another style.
    func mark(_ style: Style) -> Style {
        let isPainted = style.background != .default || style.attributes.contains(.reverse)
        if isPainted { return style.adding(.dim) }
        let own = self[.invisible]
        return Style(
            foreground: own.foreground, background: style.background,
            style.attributes.union(own.attributes))
    }
}
