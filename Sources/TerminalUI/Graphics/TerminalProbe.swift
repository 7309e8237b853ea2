/// Asks the terminal what it can do, and makes sense of what it says.
///
/// A value that sends nothing itself. Nothing waits for an answer: each one counts whenever it comes,
/// the first of its kind and the last, or never. The questions go out in two steps, because a terminal
/// that does not know control strings would print them: the first step is made of sequences that every
/// one knows or skips, and ends with DA1, which all answer; only who answers that like a terminal of
/// today is asked the rest.
///
/// To ask something else, add it to ``laterQuestions`` and a case to ``receive(_:at:)``.
public struct TerminalProbe: Sendable {
    /// What the terminal said so far.
    public struct Answers: Hashable, Sendable {
        /// E.g. `kitty(0.32.2)`, `tmux 3.4`.
        public var version = ""
        /// The numbers of DA1, the level first.
        public var attributes: [Int] = []
        /// Whether it has accepted a picture of kitty's protocol.
        public var hasKittyGraphics = false
        /// The size of a cell, if it says so.
        public var cellPixels: CellPixels?
        /// The size of the text area in pixels, if it says so.
        public var windowPixels: Size?
        /// Whether it showed that it knows colors of 24 bits.
        public var hasDirectColor = false
        /// Whether its background is dark or light, if it says so.
        public var background: TerminalBackground?

        /// DA1's 4.
        public var hasSixel: Bool { attributes.dropFirst().contains(4) }
        /// Whether it is tmux, with another terminal around it.
        public var isTmux: Bool { version.hasPrefix("tmux") }
    }

    private enum Step { case notAsked, first, later, done }

    /// What the terminal said so far.
    public private(set) var answers = Answers()
    private var step = Step.notAsked
    private var deadline: ContinuousClock.Instant?
    private let type: String

    /// After this long nobody waits any more; an answer that comes later still counts.
    static let patience = Duration.seconds(3)

    /// The operating system command for the background's color.
    static let backgroundCode = 11

    /// Marks kitty's answer to our own question.
    static let graphicsID = 31

    /// - Parameter type: The value of `TERM`.
    public init(type: String) { self.type = type }

    /// The first questions; none for terminals older than them.
    public mutating func begin(at now: ContinuousClock.Instant) -> [UInt8] {
        guard step == .notAsked, !Self.isOld(type) else { return [] }
        step = .first
        deadline = now + Self.patience
        // XTVERSION; a cell's and the text area's pixels; DA1.
        return Array("\u{1B}[>q\u{1B}[16t\u{1B}[14t\u{1B}[c".utf8)
    }

    /// Whether answers are expected: what looks like the beginning of one is not a key then.
    public func isWaiting(at now: ContinuousClock.Instant) -> Bool {
        guard step == .first || step == .later, let deadline else { return false }
        return now < deadline
    }

    /// Ends the waiting.
    mutating func end() { step = .done }

    /// Takes an answer.
    ///
    /// - Returns: What to ask next.
    public mutating func receive(
        _ reply: TerminalReply, at now: ContinuousClock.Instant
    ) -> [UInt8] {
        switch reply {
        case .version(let text): answers.version = text
        case .cellPixels(let pixels): answers.cellPixels = pixels
        case .windowPixels(let width, let height):
            answers.windowPixels = Size(width: width, height: height)
        case .graphics(let id, let isOK):
            if id == Self.graphicsID { answers.hasKittyGraphics = isOK }
        case .capabilities(let names):
            if names.contains("RGB") || names.contains("Tc") { answers.hasDirectColor = true }
        case .style(let numbers):
            // What was set just before the question; VTE and others leave out the color space.
            if numbers.starts(with: [48, 2]) || numbers.starts(with: [0, 48, 2]),
                numbers.suffix(3) == [1, 2, 3]
            {
                answers.hasDirectColor = true
            }
        case .attributes(let numbers): return receive(attributes: numbers, at: now)
        // A color that cannot be read, or is neither dark nor light, leaves what was known.
        case .operatingSystem(code: Self.backgroundCode, let text):
            if let background = TerminalBackground(color: text) { answers.background = background }
        case .operatingSystem: break
        }
        return []
    }

    private mutating func receive(
        attributes: [Int], at now: ContinuousClock.Instant
    ) -> [UInt8] {
        switch step {
        case .first:
            answers.attributes = attributes
            let questions = laterQuestions
            step = questions.isEmpty ? .done : .later
            deadline = now + Self.patience
            return questions
        case .later:
            step = .done
            return []
        // Nobody asked.
        case .notAsked, .done: return []
        }
    }

    /// Asked of who can be asked; they end with DA1 again, so that it is known when no more comes.
    private var laterQuestions: [UInt8] {
        let kitty = Array("\u{1B}_Gi=\(Self.graphicsID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\".utf8)
        let end = Array("\u{1B}[c".utf8)
        // OSC 11. tmux answers for the terminal around it.
        let background = Array("\u{1B}]\(Self.backgroundCode);?\u{1B}\\".utf8)
        if answers.isTmux { return background + TmuxPassthrough.wrapped(kitty) + end }
        // GNU screen hands strings on as text; VT100s and the console print them.
        guard !type.hasPrefix("screen"), let level = answers.attributes.first, level >= 60 else {
            return []
        }
        // XTGETTCAP for RGB and Tc; a color that is set, asked for by DECRQSS, and taken back.
        let colors =
            "\u{1B}P+q524742;5463\u{1B}\\\u{1B}7\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}8"
        return background + kitty + Array(colors.utf8) + end
    }

    /// The question for a cell's pixels alone, after a change of size.
    static let cellQuestion = Array("\u{1B}[16t".utf8)

    private static func isOld(_ type: String) -> Bool {
        ["linux", "vt", "ansi", "dumb", "cons", "sun", "wsvt", "pcvt", "hft", "wy"].contains {
            type.hasPrefix($0) && !type.hasPrefix("vte")
        }
    }
}

extension TerminalProbe.Answers {
    /// How pictures are shown.
    ///
    /// - Parameters:
    ///   - setting: What the person wants.
    ///   - depth: Without colors there are no pictures but of characters.
    ///   - cellPixels: As the system knows them, which goes before what the terminal said.
    ///   - programs: `TERM_PROGRAM` and `LC_TERMINAL`, by which iTerm2 makes itself known, too.
    public func pictures(
        _ setting: PictureSetting, depth: ColorDepth, showsUnicode: Bool, cellPixels: CellPixels?,
        programs: [String] = []
    ) -> PictureTerminal {
        var result = PictureTerminal(
            .blocks, cellPixels: cellPixels ?? self.cellPixels, isInsideTmux: isTmux,
            depth: depth)
        guard depth != .monochrome, showsUnicode else { return result }
        switch setting {
        case .blocks: break
        case .kitty: result.format = .kitty
        case .sixel: result.format = .sixel
        case .iterm: result.format = .iterm
        case .auto: result.format = best(programs, hasCellPixels: result.cellPixels != nil)
        }
        return result
    }

    private func best(_ programs: [String], hasCellPixels: Bool) -> PictureProtocol {
        // WezTerm answers kitty's question, and does not place pictures by characters.
        let names = [version] + programs
        let isInline = names.contains { name in
            ["WezTerm", "iTerm", "mintty"].contains { name.hasPrefix($0) }
        }
        // Only kitty's pictures move with tmux's panes.
        if isInline, !isTmux { return .iterm }
        if hasKittyGraphics, !version.hasPrefix("Konsole") { return .kitty }
        return hasSixel && hasCellPixels ? .sixel : .blocks
    }
}

/// Sequences for the terminal around tmux.
public enum TmuxPassthrough {
    /// Source: tmux(1), `allow-passthrough`: each Esc is doubled.
    public static func wrapped(_ sequence: [UInt8]) -> [UInt8] {
        var result = Array("\u{1B}Ptmux;".utf8)
        result.reserveCapacity(sequence.count + 16)
        for byte in sequence {
            if byte == 0x1B { result.append(byte) }
            result.append(byte)
        }
        return result + [0x1B, 0x5C]
    }
}
