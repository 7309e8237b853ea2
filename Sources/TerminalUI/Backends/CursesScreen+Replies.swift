import CByteClubNcurses
import Glibc

/// Replies of the terminal.
extension CursesScreen {
    /// Whether replies to the initial queries may still arrive.
    public var awaitsReplies: Bool { probe?.isWaiting(at: .now) ?? false }

    /// The background reported by the terminal.
    public var background: TerminalBackground? { probe?.answers.background }

    /// Sends the initial queries once; nothing waits for the replies.
    func ask() {
        guard probe == nil else { return }
        var probe = TerminalProbe(type: Self.variable("TERM"))
        let questions = probe.begin(at: .now)
        self.probe = probe
        send(questions)
        chooseProtocol()
    }

    /// Handles a reply, sends further queries, and adopts the terminal's capabilities.
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

    /// Adopts colors that the terminal has shown to support, if the environment does not say so: ssh does not
    /// forward COLORTERM.
    private func learnColors() {
        guard let answers = probe?.answers, colorDepth == .palette else { return }
        // A terminal that supports kitty's graphics supports direct colors, too.
        let isKitty = answers.hasKittyGraphics && !answers.isTmux
        if answers.hasDirectColor || isKitty { colorDepth = .direct }
    }

    /// Chooses the picture protocol from what is known.
    func chooseProtocol() {
        let answers = probe?.answers ?? TerminalProbe.Answers()
        let cell = measured.windowPixels.flatMap {
            CellPixels(windowWidth: $0.width, windowHeight: $0.height, cells: size)
        }
        let windowCell = answers.windowPixels.flatMap {
            CellPixels(windowWidth: $0.width, windowHeight: $0.height, cells: size)
        }
        let isInTmux = !Self.variable("TMUX").isEmpty
        // Variables about the terminal outside of tmux do not apply to tmux.
        let programs = isInTmux ? [] : ["TERM_PROGRAM", "LC_TERMINAL"].map(Self.variable)
        var new = answers.pictures(
            options.pictures, depth: colorDepth, showsUnicode: showsUnicode,
            cellPixels: cell ?? answers.cellPixels ?? windowCell,
            programs: programs)
        if isInTmux { new.isInsideTmux = true }
        if new.format == .kitty, colorDepth < .direct {
            // A picture's number is encoded as a 24-bit color.
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

    /// Reads pending replies when the screen is closed: the next reader, mostly a shell, would take them for
    /// keys. Only shortly after the queries, and as long as a connection around the world takes.
    func drainReplies() {
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(600)
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
                // Further queries are not sent.
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
