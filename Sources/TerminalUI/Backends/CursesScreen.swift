import CNcurses
import Glibc

/// The terminal, through ncurses: the only place that calls it.
///
/// Each frame is compared with the one before, and only cells that differ are handed to ncurses,
/// which finds the shortest way to draw them. What ncurses cannot hold, such as families of emoji and
/// colours of 24 bits, is written after the frame at an absolute place.
public final class CursesScreen: Screen {
    /// What can be chosen.
    public struct Options: Sendable {
        /// Whether the mouse's wheel and clicks are wanted; without, the terminal selects text.
        public var usesMouse = true
        public var inputDescriptor: Int32 = STDIN_FILENO
        public var outputDescriptor: Int32 = STDOUT_FILENO

        public init() {}
    }

    public private(set) var size = Size.zero
    public private(set) var colorDepth = ColorDepth.monochrome
    public private(set) var keySequences: [[UInt8]: KeyPress] = [:]
    public var inputDescriptor: Int32? { options.inputDescriptor }

    private let options: Options
    private var description: TerminalDescription?
    private var savedModes: termios?
    private var isOpen = false
    private var charset = Charset.utf8
    private var pairs = PairCache(limit: 0)

    /// What ncurses was told last; empty when everything has to be told again.
    private var shown: ContiguousArray<Cell> = []
    private var cursorIsVisible: Bool?

    public init(options: Options = Options()) { self.options = options }

    // MARK: - Opening and closing

    public func open() throws(TerminalError) {
        guard !isOpen else { return }
        guard isatty(options.inputDescriptor) == 1, isatty(options.outputDescriptor) == 1 else {
            throw TerminalError(
                .notATerminal, "The screen needs a terminal: standard input or output is none.")
        }
        var modes = termios()
        guard tcgetattr(options.inputDescriptor, &modes) == 0 else {
            throw TerminalError(
                .systemError(errno), "The terminal's modes cannot be read (error \(errno)).")
        }
        if description == nil {
            try begin()
        } else {
            byteclub_set_modes()
        }
        savedModes = modes
        isOpen = true
        _ = updateSize()
        invalidate()
        cursorIsVisible = nil
        let restore = RestoreSequence { [description] in description?[$0] }
        CrashGuard.arm(
            descriptor: options.outputDescriptor, modes: modes, sequence: restore)
        send(RestoreSequence.mode(2004, isOn: true))
        if options.usesMouse {
            for mode in [1000, 1002, 1006] { send(RestoreSequence.mode(mode, isOn: true)) }
        }
    }

    /// The first opening: ncurses looks the terminal up and takes it.
    private func begin() throws(TerminalError) {
        charset = Charset.adopted()
        let type = getenv("TERM").map { String(cString: $0) } ?? ""
        guard !type.isEmpty else {
            throw TerminalError(
                .unknownType, "TERM is not set: say which terminal this is, e.g. TERM=xterm.")
        }
        guard byteclub_setup_terminal(type, options.outputDescriptor) == 1 else {
            throw TerminalError(
                .unknownType,
                "Nothing is known about the terminal type “\(type)” (TERM): try TERM=xterm.")
        }
        guard byteclub_capability("cup") != nil else {
            throw TerminalError(
                .tooSimple,
                "The terminal type “\(type)” (TERM) cannot place its cursor: try TERM=xterm.")
        }
        guard let output = Self.stream(options.outputDescriptor, "w"),
            let input = Self.stream(options.inputDescriptor, "r"),
            let screen = byteclub_new_screen(type, output, input)
        else {
            throw TerminalError(
                .systemError(errno), "ncurses cannot open the terminal (error \(errno)).")
        }
        set_term(screen)
        byteclub_set_modes()
        let colorCount = Int(byteclub_start_colors())
        colorDepth = Self.colorDepth(colorCount: colorCount)
        pairs = PairCache(limit: Int(byteclub_pair_limit()))
        let description = TerminalDescription()
        keySequences = description.keySequences
        self.description = description
    }

    /// What the terminal shows and the user wants. 24 bits are told by the environment, or by
    /// terminfo's informal names for it.
    private static func colorDepth(colorCount: Int) -> ColorDepth {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        guard value("NO_COLOR").isEmpty else { return .monochrome }
        let depth = ColorDepth(colorCount: colorCount)
        guard depth >= .palette else { return depth }
        let isDirect =
            ["truecolor", "24bit"].contains(value("COLORTERM"))
            || byteclub_flag_capability("RGB") != 0 || byteclub_flag_capability("Tc") != 0
        return isDirect ? .direct : .palette
    }

    private static func stream(
        _ descriptor: Int32, _ mode: String
    ) -> UnsafeMutablePointer<FILE>? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return copy < 0 ? nil : fdopen(copy, mode)
    }

    public func close() {
        guard isOpen else { return }
        isOpen = false
        for mode in RestoreSequence.privateModes { send(RestoreSequence.mode(mode, isOn: false)) }
        curs_set(1)
        endwin()
        if var modes = savedModes { tcsetattr(options.inputDescriptor, TCSADRAIN, &modes) }
        CrashGuard.disarm()
    }

    public func updateSize() -> Bool {
        var rows: Int32 = 24
        var columns: Int32 = 80
        _ = byteclub_window_size(options.outputDescriptor, &rows, &columns)
        let new = Size(width: Int(columns), height: Int(rows))
        guard new != size else { return false }
        size = new
        byteclub_resize(rows, columns)
        invalidate()
        return true
    }

    public func invalidate() {
        shown = []
        byteclub_repaint()
    }

    public func send(_ sequence: [UInt8]) {
        sequence.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(options.outputDescriptor, part.baseAddress, part.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var request = pollfd(
                        fd: options.outputDescriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&request, 1, 1000)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    // MARK: - Frames

    public func present(_ surface: Surface, cursor: Point?) {
        guard isOpen, surface.size == size else { return }
        var special = draw(surface)
        if special == nil {
            // More colours than the terminal has pairs: begin their count anew and draw all again.
            // What does not fit even then is drawn without colour.
            pairs.removeAll()
            invalidate()
            special = draw(surface, isLastTry: true)
        }
        remember(surface)
        if cursorIsVisible != (cursor != nil) {
            curs_set(cursor == nil ? 0 : 1)
            cursorIsVisible = cursor != nil
        }
        let place = cursor ?? Point(x: size.width - 1, y: size.height - 1)
        guard let special, !special.isEmpty else {
            byteclub_update(Int32(place.y), Int32(place.x))
            return
        }
        // Terminals that know this mode show both steps at once; the others ignore it.
        send(RestoreSequence.mode(Self.synchronizedOutput, isOn: true))
        byteclub_update(Int32(place.y), Int32(place.x))
        drawSpecial(surface, rows: special)
        send(RestoreSequence.mode(Self.synchronizedOutput, isOn: false))
    }

    private static let synchronizedOutput = 2026

    /// Hands the cells that have changed to ncurses. Returns the rows that hold cells which have to
    /// be written after the frame; nil when the pairs did not suffice.
    private func draw(_ surface: Surface, isLastTry: Bool = false) -> [Int]? {
        let cells = surface.cells
        let shown = shown
        let isWhole = shown.count != cells.count
        if isWhole { byteclub_erase() }
        var special: [Int] = []
        var pen = Pen(style: nil, pair: 0, mayLackColor: isLastTry)
        for row in 0..<size.height {
            let start = row * size.width
            var hasChanged = false
            var hasResidue = false
            for index in start..<(start + size.width) {
                let cell = cells[index]
                if !isWhole {
                    let old = shown[index]
                    if old == cell { continue }
                    hasResidue = hasResidue || leavesResidue(old, under: cell)
                }
                hasChanged = true
                guard cell.columnCount > 0 else { continue }
                guard put(cell, row: row, column: index - start, pen: &pen) else { return nil }
            }
            guard hasChanged else { continue }
            if hasResidue { byteclub_repaint_row(Int32(row)) }
            if cells[start..<(start + size.width)].contains(where: isSpecial) {
                special.append(row)
            }
        }
        return special
    }

    /// Keeps the frame to compare the next one with.
    private func remember(_ surface: Surface) {
        guard shown.count == surface.cells.count else {
            shown = ContiguousArray(surface.cells)
            return
        }
        shown.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: surface.cells) }
    }

    /// The pair last used, kept because neighbours mostly share it.
    private struct Pen {
        var style: Style?
        var pair: Int32
        /// Whether a style for which no pair is left is drawn without colours.
        let mayLackColor: Bool
    }

    private func pair(for style: Style) -> Int32? {
        guard colorDepth != .monochrome else { return 0 }
        return pairs.pair(
            PaletteColors.number(of: style.foreground, depth: colorDepth),
            PaletteColors.number(of: style.background, depth: colorDepth))
    }

    private func put(_ cell: Cell, row: Int, column: Int, pen: inout Pen) -> Bool {
        let (row, column) = (Int32(row), Int32(column))
        if isDirect(cell) {
            var value = Charset.blankStandIn
            _ = byteclub_put(row, column, &value, 1, 0, 0)
            return true
        }
        if pen.style != cell.style {
            guard let pair = pair(for: cell.style) ?? (pen.mayLackColor ? 0 : nil) else {
                return false
            }
            pen.style = cell.style
            pen.pair = pair
        }
        let bits = Int32(cell.style.attributes.rawValue)
        if charset == .utf8, isAwkward(cell) {
            var value = Charset.standIn(for: cell)
            _ = byteclub_put(row, column, &value, 1, bits, pen.pair)
        } else if let scalar = cell.grapheme.scalar, charset == .utf8 || scalar.isASCII {
            var value = scalar.value
            _ = byteclub_put(row, column, &value, 1, bits, pen.pair)
        } else if charset == .utf8 {
            let values = cell.grapheme.text.unicodeScalars.map(\.value)
            _ = byteclub_put(row, column, values, Int32(values.count), bits, pen.pair)
        } else {
            var value = charset.representation(of: cell.grapheme.text).value
            _ = byteclub_put(row, column, &value, 1, bits, pen.pair)
            if cell.columnCount == 2 {
                value = Unicode.Scalar(" ").value
                _ = byteclub_put(row, column + 1, &value, 1, bits, pen.pair)
            }
        }
        return true
    }

    /// Whether a cell is written after the frame.
    private func isSpecial(_ cell: Cell) -> Bool { isDirect(cell) || isAwkward(cell) }

    /// Whether a cell has a colour that ncurses cannot name.
    private func isDirect(_ cell: Cell) -> Bool {
        (cell.style.foreground.isRGB || cell.style.background.isRGB) && colorDepth == .direct
            && charset == .utf8
    }

    /// Whether ncurses cannot draw a cell: its text has more than a base and a few marks, or the C
    /// library has another idea of its width.
    private func isAwkward(_ cell: Cell) -> Bool {
        guard cell.columnCount > 0, charset == .utf8 else { return false }
        if let scalar = cell.grapheme.scalar {
            if scalar.value < 0x300 { return false }
            return cell.isDisputed || byteclub_wcwidth(scalar.value) != cell.columnCount
        }
        guard !cell.isDisputed else { return true }
        let scalars = cell.grapheme.text.unicodeScalars
        guard scalars.count <= byteclub_marks_limit(), let base = scalars.first else { return true }
        return byteclub_wcwidth(base.value) != cell.columnCount
            || scalars.dropFirst().contains { byteclub_wcwidth($0.value) != 0 }
    }

    /// Whether ncurses, which only knows the stand-in, might think that nothing has changed.
    private func leavesResidue(_ old: Cell, under new: Cell) -> Bool {
        guard !isSpecial(new) else { return false }
        return isAwkward(old)
            || isDirect(old) && new.grapheme.scalar?.value == Charset.blankStandIn
    }

    /// Writes the cells that ncurses cannot draw, and what stands behind them: terminals that draw
    /// them wider than they should have spoilt it.
    private func drawSpecial(_ surface: Surface, rows: [Int]) {
        guard charset == .utf8, let description, let save = description["sc"],
            let restore = description["rc"]
        else { return }
        var writer = CellWriter(description: description, depth: colorDepth)
        for row in rows {
            for column in 0..<size.width {
                let cell = surface[column: column, row: row]
                guard isSpecial(cell) else { continue }
                let spill = min(10, cell.widestRendering - Int(cell.columnCount))
                let end = column + Int(cell.columnCount)
                // At the right edge a spill would go to the next row.
                guard end + spill <= size.width else { continue }
                writer.write(cell, at: Point(x: column, y: row))
                guard isAwkward(cell) else { continue }
                writer.losePlace()
                var next = end
                while next < min(size.width, end + spill) {
                    let follower = surface[column: next, row: row]
                    if isSpecial(follower) { break }
                    if follower.columnCount > 0 {
                        writer.write(follower, at: Point(x: next, y: row))
                    }
                    next += max(1, Int(follower.columnCount))
                }
            }
        }
        guard !writer.bytes.isEmpty else { return }
        send(save + writer.bytes + restore)
    }
}
