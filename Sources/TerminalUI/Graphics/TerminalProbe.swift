/// Queries the terminal's capabilities and interprets the replies.
///
/// A value that sends nothing itself. Nothing waits for replies: each one counts whenever it arrives. The
/// queries are sent in two steps, because a terminal without control strings would print them: the first step
/// consists of sequences that every terminal knows or ignores, and ends with DA1, to which all reply. Only a
/// terminal whose reply is that of a current one gets the others.
///
/// To add a query, extend ``laterQuestions`` and add a case to ``receive(_:at:)``.
public struct TerminalProbe: Sendable {
    /// The replies so far.
    public struct Answers: Hashable, Sendable {
        /// E.g. `kitty(0.32.2)`, `tmux 3.4`.
        public var version = ""
        /// The numbers of DA1, the level first.
        public var attributes: [Int] = []
        /// Whether it has accepted a picture of kitty's protocol.
        public var hasKittyGraphics = false
        /// The size of a cell, if reported.
        public var cellPixels: CellPixels?
        /// The size of the text area in pixels, if reported.
        public var windowPixels: Size?
        /// Whether it supports 24-bit colors.
        public var hasDirectColor = false
        /// Whether its background is dark or light, if reported.
        public var background: TerminalBackground?

        /// DA1's 4.
        public var hasSixel: Bool { attributes.dropFirst().contains(4) }
        /// Whether it is tmux inside another terminal.
        public var isTmux: Bool { version.hasPrefix("tmux") }
    }

    private enum Step { case notAsked, first, later, done }

    /// The replies so far.
    public private(set) var answers = Answers()
    private var step = Step.notAsked
    private var deadline: ContinuousClock.Instant?
    private let type: String

    /// The time limit for expecting replies; later ones still count.
    static let timeout = Duration.seconds(3)

    /// The operating system command for the background's color.
    static let backgroundCode = 11

    /// Identifies kitty's reply to our own query.
    static let graphicsID = 31

    /// - Parameter type: The value of `TERM`.
    public init(type: String) { self.type = type }

    /// The first queries; none for old terminals.
    public mutating func begin(at now: ContinuousClock.Instant) -> [UInt8] {
        guard step == .notAsked, !Self.isOld(type) else { return [] }
        step = .first
        deadline = now + Self.timeout
        // XTVERSION; a cell's and the text area's pixels; DA1.
        return Array("\u{1B}[>q\u{1B}[16t\u{1B}[14t\u{1B}[c".utf8)
    }

    /// Whether replies are expected: the beginning of one is then not taken for a key.
    public func isWaiting(at now: ContinuousClock.Instant) -> Bool {
        guard step == .first || step == .later, let deadline else { return false }
        return now < deadline
    }

    /// Stops expecting replies.
    mutating func end() { step = .done }

    /// Handles a reply.
    ///
    /// - Returns: The next queries.
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
            // The style set just before the query; VTE and others omit the color space.
            if numbers.starts(with: [48, 2]) || numbers.starts(with: [0, 48, 2]),
                numbers.suffix(3) == [1, 2, 3]
            {
                answers.hasDirectColor = true
            }
        case .attributes(let numbers): return receive(attributes: numbers, at: now)
        // An unreadable color, or one that is neither dark nor light, keeps the previous value.
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
            deadline = now + Self.timeout
            return questions
        case .later:
            step = .done
            return []
        // A reply without a query.
        case .notAsked, .done: return []
        }
    }

    /// The queries for terminals that support them; they end with DA1 again, which marks the last reply.
    private var laterQuestions: [UInt8] {
        let kitty = Array("\u{1B}_Gi=\(Self.graphicsID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\".utf8)
        let end = Array("\u{1B}[c".utf8)
        // OSC 11. tmux replies for the outer terminal.
        let background = Array("\u{1B}]\(Self.backgroundCode);?\u{1B}\\".utf8)
        if answers.isTmux { return background + TmuxPassthrough.wrapped(kitty) + end }
        // GNU screen forwards strings as text; VT100s and the console print them.
        guard !type.hasPrefix("screen"), let level = answers.attributes.first, level >= 60 else {
            return []
        }
        // XTGETTCAP for RGB and Tc; sets a color, queries it by DECRQSS, and resets it.
        let colors =
            "\u{1B}P+q524742;5463\u{1B}\\\u{1B}7\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}8"
        return background + kitty + Array(colors.utf8) + end
    }

    /// The query for a cell's size in pixels, after a change of size.
    static let cellQuestion = Array("\u{1B}[16t".utf8)

    private static func isOld(_ type: String) -> Bool {
        ["linux", "vt", "ansi", "dumb", "cons", "sun", "wsvt", "pcvt", "hft", "wy"].contains {
            type.hasPrefix($0) && !type.hasPrefix("vte")
        }
    }
}

extension TerminalProbe.Answers {
    /// How pictures are displayed.
    ///
    /// - Parameters:
    ///   - setting: The user's setting.
    ///   - depth: Without colors, pictures are only shown in characters.
    ///   - cellPixels: As reported by the system, which takes precedence over the terminal.
    ///   - programs: `TERM_PROGRAM` and `LC_TERMINAL`, which identify iTerm2, too.
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
        // WezTerm replies to kitty's query but does not support placeholders.
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

/// Sequences for the terminal outside of tmux.
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
