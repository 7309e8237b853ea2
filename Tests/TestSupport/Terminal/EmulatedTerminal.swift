import CVTerm

/// A terminal emulator without a display: takes bytes, and exposes cells.
///
/// Not thread-safe.
public final class EmulatedTerminal {
    public private(set) var size: TerminalSize
    public var modes: TerminalModes { scanner.modes }
    private var scanner = TerminalModeScanner()
    private let terminal: OpaquePointer
    private let screenLayer: OpaquePointer
    private let stateLayer: OpaquePointer
    private let properties: UnsafeMutablePointer<byteclub_properties>

    public init(size: TerminalSize) {
        properties = .allocate(capacity: 1)
        properties.initialize(to: byteclub_properties())
        guard
            let terminal = byteclub_new_vterm(Int32(size.rows), Int32(size.columns), properties),
            let screen = vterm_obtain_screen(terminal), let state = vterm_obtain_state(terminal)
        else { preconditionFailure("no memory for a terminal of \(size)") }
        self.size = size
        self.terminal = terminal
        screenLayer = screen
        stateLayer = state
    }

    deinit {
        vterm_free(terminal)
        properties.deallocate()
    }

    /// Processes a program's output; it may be split anywhere, even within a character or sequence.
    public func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        scanner.scan(bytes)
        bytes.withMemoryRebound(to: CChar.self) { characters in
            guard let start = characters.baseAddress else { return }
            _ = vterm_input_write(terminal, start, characters.count)
        }
        vterm_screen_flush_damage(screenLayer)
    }

    public func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { write($0) }
    }

    /// Takes the replies to the program's queries, which a terminal sends as input.
    public func takeReplies() -> [UInt8] {
        let count = properties.pointee.reply_length
        guard count > 0 else { return [] }
        properties.pointee.reply_length = 0
        return withUnsafeBytes(of: properties.pointee.reply) { Array($0.prefix(count)) }
    }

    public func resize(to size: TerminalSize) {
        self.size = size
        vterm_set_size(terminal, Int32(size.rows), Int32(size.columns))
        vterm_screen_flush_damage(screenLayer)
    }

    public var cursor: TerminalPosition {
        var position = VTermPos()
        vterm_state_get_cursorpos(stateLayer, &position)
        return TerminalPosition(row: Int(position.row), column: Int(position.col))
    }

    /// The cell at a position on the screen.
    public func cell(row: Int, column: Int) -> TerminalCell {
        var cell = byteclub_cell()
        guard byteclub_get_cell(screenLayer, Int32(row), Int32(column), &cell) else {
            return TerminalCell(text: " ")
        }
        return TerminalCell(cell)
    }

    /// A copy of the current screen.
    public func screen() -> TerminalScreen {
        var cells: [TerminalCell] = []
        cells.reserveCapacity(size.rows * size.columns)
        for row in 0..<size.rows {
            for column in 0..<size.columns { cells.append(cell(row: row, column: column)) }
        }
        return TerminalScreen(
            size: size, cells: cells, cursor: cursor, modes: modes,
            bellCount: Int(properties.pointee.bell_count))
    }
}

extension TerminalCell {
    fileprivate init(_ cell: byteclub_cell) {
        let rightHalf = UInt32.max
        let style = TerminalStyle(
            foreground: TerminalColor(cell.foreground), background: TerminalColor(cell.background),
            attributes: TerminalAttributes(rawValue: cell.attributes))
        switch cell.scalars.0 {
        case 0: self.init(text: " ", style: style)
        case rightHalf: self.init(text: "", width: 0, style: style)
        default:
            var text = String.UnicodeScalarView()
            withUnsafeBytes(of: cell.scalars) { raw in
                for value in raw.bindMemory(to: UInt32.self) {
                    guard value != 0 else { break }
                    text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
                }
            }
            self.init(text: String(text), width: Int(cell.width), style: style)
        }
    }
}

extension TerminalColor {
    fileprivate init(_ value: Int32) {
        switch value {
        case ..<0: self = .standard
        case 0...255: self = .palette(UInt8(value))
        default:
            self = .rgb(
                red: UInt8(truncatingIfNeeded: value >> 16),
                green: UInt8(truncatingIfNeeded: value >> 8),
                blue: UInt8(truncatingIfNeeded: value))
        }
    }
}
