/// Labeled fields one below the other, e.g. a name and a text.
public final class FormView: View {
    /// A field with its label above it.
    public struct Row {
        /// The label above the field; no row if empty.
        public let label: String
        /// The view that gets the focus, a subview of the form.
        public let field: View
        /// The field's height; nil for the remaining rows.
        public let height: Int?
    }

    /// The fields from top to bottom.
    public private(set) var rows: [Row] = []

    public override init() { super.init() }

    /// Adds a field with a label.
    ///
    /// - Parameter height: The field's height; nil for the remaining rows.
    public func add(_ label: String, _ field: View, height: Int? = 1) {
        rows.append(Row(label: label, field: field, height: height))
        addSubview(field)
        setNeedsLayout()
    }

    /// Adds a view without a label, e.g. a ``ButtonRow``.
    public func add(_ view: View, height: Int? = 1) {
        add("", view, height: height)
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        let fixed = rows.reduce(0) { $0 + labelHeight($1) + ($1.height ?? 3) }
        let hasFlexible = rows.contains { $0.height == nil }
        let height = fixed + max(0, rows.count - 1)
        return Size(
            width: available.width,
            height: hasFlexible ? available.height : min(available.height, height))
    }

    private func labelHeight(_ row: Row) -> Int { row.label.isEmpty ? 0 : 1 }

    public override func layoutSubviews() {
        let wanted = rows.reduce(0) { $0 + labelHeight($1) + ($1.height ?? 1) }
        let flexibleCount = rows.filter { $0.height == nil }.count
        // The gaps between rows are omitted first.
        let gap = bounds.height >= wanted + rows.count - 1 + 2 * flexibleCount ? 1 : 0
        let free = max(0, bounds.height - wanted - gap * max(0, rows.count - 1))
        var y = -hiddenRowCount(of: wanted)
        for row in rows {
            y += labelHeight(row)
            let height = row.height ?? (1 + free / max(1, flexibleCount))
            row.field.frame = Rect(
                x: 0, y: y, width: bounds.width,
                height: wanted > bounds.height ? height : max(0, min(height, bounds.height - y)))
            y += height + gap
        }
    }

    /// By how many rows the form must scroll to show the focused field.
    private func hiddenRowCount(of wanted: Int) -> Int {
        guard wanted > bounds.height else { return 0 }
        var end = 0
        for row in rows {
            let start = end
            end += labelHeight(row) + (row.height ?? 1)
            if row.field.containsFirstResponder {
                // Includes its label if there is room.
                return max(0, min(start, wanted - bounds.height, max(0, end - bounds.height)))
            }
        }
        return 0
    }

    /// Scrolls to the focused field.
    override func focusDidMoveInside() {
        setNeedsLayout()
        super.focusDidMoveInside()
    }

    public override func draw(on surface: Surface) {
        for row in rows where !row.label.isEmpty {
            let role: Role = row.field.containsFirstResponder ? .accent : .secondary
            surface.draw(row.label, at: Point(x: 0, y: row.field.frame.y - 1), role: role)
        }
    }
}
