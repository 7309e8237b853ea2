/// The contents of a screen cell: a grapheme, its style, and how many columns it takes.
///
/// A wide grapheme fills its first cell (`columnCount` 2) and a continuation after it (`columnCount` 0). A
/// cell is sixteen plain bytes, so that frames compare fast.
public struct Cell: Hashable, Sendable {
    /// What is drawn; a space in the second half of a wide grapheme.
    public var grapheme: Grapheme
    /// Its colors and attributes.
    public var style: Style
    /// 1, 2, or 0 for the second half of a wide grapheme.
    public var columnCount: UInt8
    /// Whether terminals disagree about the width: the cursor is then positioned explicitly after the cell.
    public var isDisputed: Bool
    /// The sixteenth byte, so that rows can be compared as bytes.
    private let filler: UInt8 = 0

    public init(
        _ grapheme: Grapheme, style: Style = .plain, columnCount: Int = 1, isDisputed: Bool = false
    ) {
        self.grapheme = grapheme
        self.style = style
        self.columnCount = UInt8(clamping: columnCount)
        self.isDisputed = isDisputed
    }

    /// A space in the terminal's own colors.
    public static let blank = Cell(.space)

    static func continuation(_ style: Style) -> Cell {
        Cell(.space, style: style, columnCount: 0)
    }
}
