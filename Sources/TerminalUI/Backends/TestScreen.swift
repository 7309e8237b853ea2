/// A terminal in memory: keeps the last frame, for tests that compare whole screens.
public final class TestScreen: Screen {
    public private(set) var size: Size
    public let colorDepth: ColorDepth
    public let inputDescriptor: Int32? = nil
    public let keySequences: [[UInt8]: KeyPress] = [:]

    /// Whether the application has the terminal now.
    public private(set) var isOpen = false
    /// The last frame, row after row, `size.width × size.height` cells; empty before the first.
    public private(set) var cells: ContiguousArray<Cell> = []
    /// Where the last frame had its cursor, in cells of the screen; nil when it was hidden.
    public private(set) var cursor: Point?
    /// How many frames were shown.
    public private(set) var frameCount = 0
    /// The bytes sent outside of frames.
    public private(set) var sentBytes: [UInt8] = []
    /// The bytes sent for pictures with each frame.
    public private(set) var pictureBytes: [[UInt8]] = []
    public private(set) var pictures = PictureTerminal()
    /// The simulated replies; no queries are sent, and ``receive(_:)`` takes a test's replies.
    private var probe = TerminalProbe(type: "xterm-256color")
    private var layer = GraphicsLayer()
    private var isWhole = true

    private var nextSize: Size

    /// A closed screen of this size in cells.
    public init(size: Size = Size(width: 80, height: 24), colorDepth: ColorDepth = .palette) {
        self.size = size
        nextSize = size
        self.colorDepth = colorDepth
    }

    public func open() throws(TerminalError) { isOpen = true }

    public var background: TerminalBackground? { probe.answers.background }

    public func receive(_ reply: TerminalReply) -> ReplyEffect {
        let before = background
        _ = probe.receive(reply, at: .now)
        return background == before ? .none : .changedBackground
    }

    public func close() {
        isOpen = false
        pictureBytes.append(layer.removeAll())
    }

    /// Sets how the terminal shows pictures.
    public func setPictures(_ pictures: PictureTerminal) {
        self.pictures = pictures
        layer.terminal = pictures
    }

    /// Sets the next size; the application learns it as from a signal.
    public func setSize(_ size: Size) { nextSize = size }

    public func updateSize() -> SizeChange {
        defer { size = nextSize }
        return size == nextSize ? .same : .changed
    }

    public func present(_ surface: Surface, cursor: Point?) {
        let plan = layer.compose(surface)
        let after = layer.finish(plan, isWhole: isWhole) { point in
            Array("\u{1B}[\(point.y + 1);\(point.x + 1)H".utf8)
        }
        isWhole = false
        pictureBytes.append((plan.before + after).flatMap(\.bytes))
        cells = ContiguousArray(surface.cells)
        self.cursor = cursor
        frameCount += 1
    }

    public func invalidate() {
        isWhole = true
        layer.forget()
    }

    public func send(_ sequence: [UInt8]) { sentBytes += sequence }

    // MARK: - Looking

    private func cell(_ column: Int, _ row: Int) -> Cell {
        let index = row * size.width + column
        return cells.indices.contains(index) ? cells[index] : .blank
    }

    /// The rows as text, without the spaces at their ends.
    public var lines: [String] {
        (0..<size.height).map { row in
            var line = ""
            for column in 0..<size.width {
                let cell = cell(column, row)
                if cell.columnCount > 0 { line += cell.grapheme.text }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The whole screen as text.
    public var text: String { lines.joined(separator: "\n") }

    /// The part of a picture of pixels that a cell shows, e.g. `2,5` for row and column, `hole` where the
    /// picture is drawn over it; nil where it is a character.
    public func picturePart(column: Int, row: Int) -> String? {
        let grapheme = cell(column, row).grapheme
        if let part = grapheme.placeholder { return "\(part.row),\(part.column)" }
        return grapheme.isOfPicture ? "hole" : nil
    }

    /// The style of a cell.
    public func style(column: Int, row: Int) -> Style { cell(column, row).style }

    /// A letter for each cell's style: `.` for the plain one, then `a`, `b`… in the order of
    /// `styles`; `?` for one that is not listed.
    public func attributeMap(_ styles: [Style]) -> [String] {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        return (0..<size.height).map { row in
            String(
                (0..<size.width).map { column -> Character in
                    let style = cell(column, row).style
                    if style == .plain { return "." }
                    guard let index = styles.firstIndex(of: style), index < letters.count else {
                        return "?"
                    }
                    return letters[index]
                })
        }
    }
}
