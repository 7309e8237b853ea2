import CNcurses
import Glibc

/// What the terminal says about itself.
extension CursesScreen {
    /// Whether the questions asked at start may still be answered.
    public var awaitsReplies: Bool { probe?.isWaiting(at: .now) ?? false }

    /// What the terminal has said its background is like.
    public var background: TerminalBackground? { probe?.answers.background }

    /// Sends the first questions, once: nobody waits for the answers.
    func ask() {
        guard probe == nil else { return }
        var probe = TerminalProbe(type: Self.variable("TERM"))
        let questions = probe.begin(at: .now)
        self.probe = probe
        send(questions)
        chooseProtocol()
    }

    /// Takes an answer, asks what follows from it, and adopts what the terminal can do.
    public func receive(_ reply: TerminalReply) -> ReplyEffect {
        guard var probe, isOpen else { return .none }
        let before = (pictures, colorDepth)
        let backgroundBefore = background
        let questions = probe.receive(reply, at: .now)
        self.probe = probe
        send(questions)
        learnColors()
        chooseProtocol()
        guard before == (pictures, colorDepth) else { return .changed }
        return background == backgroundBefore ? .none : .changedBackground
    }

    /// Takes the colors that the terminal has shown to know, where the environment does not say so:
    /// ssh does not pass COLORTERM on.
    private func learnColors() {
        guard let answers = probe?.answers, colorDepth == .palette else { return }
        // A terminal with kitty's graphics has its colors, too.
        let isKitty = answers.hasKittyGraphics && !answers.isTmux
        if answers.hasDirectColor || isKitty { colorDepth = .direct }
    }

    /// Decides how pictures are shown with what is known now.
    func chooseProtocol() {
        let answers = probe?.answers ?? TerminalProbe.Answers()
        let cell = measured.windowPixels.flatMap {
            CellPixels(windowWidth: $0.width, windowHeight: $0.height, cells: size)
        }
        let windowCell = answers.windowPixels.flatMap {
            CellPixels(windowWidth: $0.width, windowHeight: $0.height, cells: size)
        }
        let isInTmux = !Self.variable("TMUX").isEmpty
        // What is said of the terminal around tmux is not said of tmux.
        let programs = isInTmux ? [] : ["TERM_PROGRAM", "LC_TERMINAL"].map(Self.variable)
        var new = answers.pictures(
            options.pictures, depth: colorDepth, showsUnicode: showsUnicode,
            cellPixels: cell ?? answers.cellPixels ?? windowCell,
            programs: programs)
        if isInTmux { new.isInsideTmux = true }
        if new.format == .kitty, colorDepth < .direct {
            // The number of a picture travels as a color of 24 bits.
            if options.pictures == .kitty {
                (colorDepth, new.depth) = (.direct, .direct)
            } else {
                new.format = .blocks
            }
        }
        guard new != pictures else { return }
        pictures = new
        let stale = layer.removeAll()
        layer.terminal = new
        if isOpen { send(stale) }
    }

    /// Reads answers that are under way when the screen is given back: the next reader, mostly a shell,
    /// would take them for keys. Not for long, and only right after the questions.
    func drainReplies() {
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(100)
        var decoder = InputDecoder()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while var probe, probe.isWaiting(at: clock.now), clock.now < deadline {
            var request = pollfd(fd: options.inputDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 20) >= 0, request.revents & Int16(POLLHUP | POLLERR) == 0
            else { return }
            guard request.revents & Int16(POLLIN) != 0 else { continue }
            let count = read(options.inputDescriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            for case .reply(let reply) in decoder.decode(buffer[..<count]) {
                // What it would ask next is not sent any more.
                _ = probe.receive(reply, at: clock.now)
                if case .attributes = reply { probe.end() }
            }
            self.probe = probe
        }
    }

    static func windowPixels(of descriptor: Int32) -> (width: Int, height: Int)? {
        var (width, height): (Int32, Int32) = (0, 0)
        guard byteclub_window_pixels(descriptor, &width, &height) != 0 else { return nil }
        return (Int(width), Int(height))
    }

    private static func variable(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }
}
