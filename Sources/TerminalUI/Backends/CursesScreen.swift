import CByteClubNcurses
import Dispatch
import Glibc
import ByteClubMessages

/// The terminal, through ncurses: only this type calls it.
///
/// Each frame is compared with the one before, and only cells that differ are handed to ncurses, which finds
/// the shortest way to draw them. What ncurses cannot hold, such as families of emoji and colors of 24 bits,
/// is written after the frame at an absolute place.
public final class CursesScreen: Screen {
    /// The screen's options.
    public struct Options: Sendable {
        /// Whether the mouse's wheel and clicks are reported; otherwise the terminal selects text.
        public var usesMouse = true
        /// The terminal that keys are read from. It is not closed here.
        public var inputDescriptor: Int32 = STDIN_FILENO
        /// The terminal that is drawn on. It is not closed here.
        public var outputDescriptor: Int32 = STDOUT_FILENO
        /// How pictures are shown; `auto` asks the terminal.
        public var pictures = PictureSetting.auto

        /// Standard input and output, with the mouse.
        public init() {}
    }

    public private(set) var size = Size.zero
    public internal(set) var colorDepth = ColorDepth.monochrome
    public private(set) var keySequences: [[UInt8]: KeyPress] = [:]
    public var inputDescriptor: Int32? { options.inputDescriptor }

    let options: Options
    private(set) var description: TerminalDescription?
    /// The terminal modes to restore; nil while the screen is closed.
    private var savedModes: termios?
    var isOpen: Bool { savedModes != nil }
    private(set) var charset = TerminalCharset.utf8

    public var showsUnicode: Bool { charset == .utf8 }
    var pairs = PairCache(limit: 0)

    /// Last state sent to ncurses; empty forces a full redraw.
    var shown: ContiguousArray<Cell> = []
    /// The state of a frame besides its cells.
    var frameState = FrameState()

    struct FrameState {
        /// Captures the output of ncurses.
        var collector: FrameCollector?
        /// The rows of the last frame that ncurses has written completely.
        var repaintedRows: [Int] = []
        /// nil if the state is unknown to the terminal.
        var showsCursor: Bool?
    }

    /// Writes frames with large pictures.
    private lazy var output = OutputQueue(descriptor: options.outputDescriptor) {
        [weak self] report in
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.outputDidDrain(report) } }
    }
    public var didBecomeReady: (() -> Void)?

    // MARK: Pictures

    public internal(set) var pictures = PictureTerminal()
    /// On a remote connection, the first picture has a size for a slow one; then the rate is measured.
    public var pictureRate: Double? { measured.pictureRate }
    var measured = Measured()

    struct Measured {
        var pictureRate: Double? = getenv("SSH_CONNECTION") == nil ? nil : 1_000_000
        /// The text area's size in pixels, as reported by the system.
        var windowPixels: (width: Int, height: Int)?
    }

    var probe: TerminalProbe?
    var layer = GraphicsLayer()

    /// A screen that does nothing before ``open()``.
    public init(options: Options = Options()) { self.options = options }

    // MARK: - Opening and closing

    public func open() throws(TerminalError) {
        guard !isOpen else { return }
        guard isatty(options.inputDescriptor) == 1, isatty(options.outputDescriptor) == 1 else {
            throw TerminalError(
                .notATerminal,
                localized("The screen needs a terminal: standard input or output is not one."))
        }
        var modes = termios()
        guard tcgetattr(options.inputDescriptor, &modes) == 0 else {
            throw TerminalError(
                .systemError(errno),
                localized("The terminal's modes cannot be read (error \(errno))."))
        }
        if description == nil {
            try begin()
        } else {
            byteclub_set_modes()
        }
        savedModes = modes
        _ = updateSize()
        invalidate()
        frameState.showsCursor = nil
        // Pictures that a crash leaves in the terminal's memory are not visible: their placeholders are on
        // the closed screen.
        let restore = RestoreSequence { [description] in description?[$0] }
        CrashGuard.arm(
            descriptor: options.outputDescriptor, modes: modes, sequence: restore)
        send(RestoreSequence.mode(2004, isOn: true))
        if options.usesMouse {
            for mode in [1000, 1002, 1006] { send(RestoreSequence.mode(mode, isOn: true)) }
        }
        ask()
    }

    /// Types whose description serves for a terminal that this computer does not know, as for a new one over ssh.
    static func relatives(of type: String) -> [String] {
        if type.hasPrefix("tmux") || type.hasPrefix("screen") {
            return ["screen-256color", "screen"]
        }
        let likeXterm = [
            "xterm-", "kitty", "ghostty", "alacritty", "foot", "wezterm", "konsole", "contour",
            "iterm", "vte", "rio", "st-", "mintty",
        ]
        return type == "st" || likeXterm.contains(where: type.hasPrefix)
            ? ["xterm-256color", "xterm"] : []
    }

    /// Initializes ncurses when the screen is first opened.
    private func begin() throws(TerminalError) {
        charset = TerminalCharset.adopted()
        let type = getenv("TERM").map { String(cString: $0) } ?? ""
        guard !type.isEmpty else {
            throw TerminalError(
                .unknownType,
                localized("TERM is not set: say which terminal this is, e.g. TERM=xterm."))
        }
        let known = ([type] + Self.relatives(of: type)).first {
            byteclub_setup_terminal($0, options.outputDescriptor) == 1
        }
        guard let type = known else {
            throw TerminalError(
                .unknownType,
                localized(
                    "Nothing is known about the terminal type “\(type)” (TERM): try TERM=xterm-256color."
                ))
        }
        guard byteclub_capability("cup") != nil else {
            throw TerminalError(
                .tooSimple,
                localized(
                    "The terminal type “\(type)” (TERM) cannot place its cursor: try TERM=xterm."))
        }
        let output = Self.stream(options.outputDescriptor, "w")
        frameState.collector = output.flatMap { FrameCollector(descriptor: fileno($0)) }
        guard let output,
            let input = Self.stream(options.inputDescriptor, "r"),
            let screen = byteclub_new_screen(type, output, input)
        else {
            throw TerminalError(
                .systemError(errno), localized("ncurses cannot open the terminal (error \(errno)).")
            )
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

    /// The color depth from the terminal's and the user's choices. Direct colors are declared by the
    /// environment, or by informal terminfo names.
    static func colorDepth(colorCount: Int) -> ColorDepth {
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
        guard var modes = savedModes else { return }
        savedModes = nil
        // The rest of a picture would follow the shell's prompt.
        layer.lose(output.cutPictures())
        output.wait()
        send(layer.removeAll())
        drainReplies()
        for mode in RestoreSequence.privateModes { send(RestoreSequence.mode(mode, isOn: false)) }
        curs_set(1)
        endwin()
        // Without a screen of the shell to return to the last frame stays: the prompt comes on its last row.
        if let clear = description?["el"], description?["rmcup"] == nil {
            send([UInt8(ascii: "\r")] + clear)
        }
        tcsetattr(options.inputDescriptor, TCSADRAIN, &modes)
        CrashGuard.disarm()
    }

    public func updateSize() -> SizeChange {
        var rows: Int32 = 24
        var columns: Int32 = 80
        _ = byteclub_window_size(options.outputDescriptor, &rows, &columns)
        let new = Size(width: Int(columns), height: Int(rows))
        measured.windowPixels = Self.windowPixels(of: options.outputDescriptor)
        // A changed font does not change the size in cells.
        defer { chooseProtocol() }
        guard new != size else { return .same }
        size = new
        if isOpen, measured.windowPixels == nil, probe?.answers.cellPixels != nil {
            send(TerminalProbe.cellQuestion)
        }
        byteclub_resize(rows, columns)
        invalidate()
        return .changed
    }

    public func invalidate() {
        shown = []
        layer.forget()
        byteclub_repaint()
    }

    public func send(_ sequence: [UInt8]) {
        // Nothing can be written in the middle of a picture.
        guard !output.isBusy else { return output.add([OutputQueue.Part(bytes: sequence)]) }
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

    private static let synchronizedOutput = 2026

    // MARK: - Frames

    public func present(_ surface: Surface, cursor: Point?) {
        guard isOpen, surface.size == size else { return }
        // Only a caller that did not check for readiness waits here.
        output.wait()
        let isWhole = shown.count != surface.cells.count
        let plan = layer.compose(surface)
        var special: [Int] = []
        let frame: [UInt8]
        if let collector = frameState.collector {
            frame = collector.bytes { special = update(surface, cursor) }
        } else {
            for part in plan.before { send(part.bytes) }
            frame = []
            special = update(surface, cursor)
        }
        let before = frameState.collector == nil ? [] : plan.before
        let after = pictureParts(after: plan, isWhole: isWhole)
        guard !special.isEmpty || !before.isEmpty || !after.isEmpty else { return send(frame) }
        // Terminals that support this mode show the frame at once; others ignore it.
        let parts =
            [OutputQueue.Part(bytes: RestoreSequence.mode(Self.synchronizedOutput, isOn: true))]
            + before + [OutputQueue.Part(bytes: frame + specialBytes(surface, rows: special))]
            + after
            + [OutputQueue.Part(bytes: RestoreSequence.mode(Self.synchronizedOutput, isOn: false))]
        let pictureCount = parts.reduce(0) { $0 + ($1.picture == nil ? 0 : $1.bytes.count) }
        if pictureCount > OutputQueue.pieceByteCount {
            output.add(parts)
        } else {
            send(parts.flatMap(\.bytes))
        }
    }

    private func pictureParts(
        after plan: GraphicsLayer.Plan, isWhole: Bool
    ) -> [OutputQueue.Part] {
        guard let description, let save = description["sc"], let restore = description["rc"] else {
            return []
        }
        let parts = layer.finish(plan, isWhole: isWhole, rows: frameState.repaintedRows) {
            description.move(to: $0)
        }
        guard !parts.isEmpty else { return [] }
        return [OutputQueue.Part(bytes: save)] + parts + [OutputQueue.Part(bytes: restore)]
    }

    // MARK: - Large pictures

    public var isWriting: Bool { output.isBusy }

    public func makeReady(for surface: Surface) -> Readiness {
        guard output.isBusy else { return .ready }
        let (ids, byteCount) = output.pictures
        let wanted = surface.placedGraphics.map(\.graphic)
        let isWanted = ids.allSatisfy { id in wanted.contains { $0.id == id } }
        // A picture that replaces one being written waits for it, unless it is much smaller: otherwise none
        // would ever be completed in a fast sequence.
        let newByteCount = wanted.reduce(0) { $0 + (ids.contains($1.id) ? 0 : $1.bytes.count) }
        if !isWanted, byteCount > newByteCount * 2 { layer.lose(output.cutPictures()) }
        return .busy
    }

    private func outputDidDrain(_ report: OutputQueue.Report) {
        measure(report.pictureByteCount, in: report.duration)
        guard isOpen, !output.isBusy else { return }
        didBecomeReady?()
    }

    /// Measures the rate of a large picture; small ones fit into buffers.
    private func measure(_ byteCount: Int, in time: Duration) {
        guard byteCount > 64 << 10 else { return }
        let seconds = max(1e-6, Double(time.nanoseconds) / 1e9)
        let rate = Double(byteCount) / seconds
        measured.pictureRate = pictureRate.map { $0 * 0.5 + rate * 0.5 } ?? rate
    }

    /// Lets ncurses write the changes. Returns the rows with cells that it cannot draw.
    private func update(_ surface: Surface, _ cursor: Point?) -> [Int] {
        var special = draw(surface)
        if special == nil {
            // More colors than the terminal has pairs: restart their count and redraw everything.
            // What does not fit even then is drawn without color.
            pairs.removeAll()
            invalidate()
            special = draw(surface, isLastTry: true)
        }
        remember(surface)
        if frameState.showsCursor != (cursor != nil) {
            curs_set(cursor == nil ? 0 : 1)
            frameState.showsCursor = cursor != nil
        }
        let place = cursor ?? Point(x: size.width - 1, y: size.height - 1)
        byteclub_update(Int32(place.y), Int32(place.x))
        return special ?? []
    }
}
