/// Detects keys that cannot be an answer to the topmost dialog.
///
/// A dialog that a key brings up is measured by bytes and frames, not by time: a key counts as typed ahead if it
/// is handled before the first frame with the dialog, or was in the terminal's queue when that frame was
/// written. This also works on slow connections, for users who know the next key by heart.
///
/// A dialog that no key has brought up, such as the answer to a save, may interrupt who is writing: keys count as
/// typed ahead until they have paused for ``reactionTime``.
@MainActor
struct TypeAhead {
    /// The shortest time in which a person reads a new dialog and presses a key for it.
    static let reactionTime = Duration.milliseconds(400)

    /// The input position at which the topmost dialog appeared, in bytes since the start.
    private(set) var boundary = 0
    /// The end position of the event being handled; nil if it is not from the terminal.
    private(set) var position: Int?
    private weak var shown: PresentationView?
    /// The dialog that came while somebody wrote, until keys have paused.
    private weak var interruption: PresentationView?
    private var lastKey: (isWriting: Bool, time: ContinuousClock.Instant)?

    /// Called when a dialog is presented.
    mutating func didPresent(_ top: PresentationView, _ now: ContinuousClock.Instant) {
        guard position == nil, let lastKey, lastKey.isWriting,
            now - lastKey.time < Self.reactionTime
        else { return }
        interruption = top
    }

    /// Called before an event of the terminal is handled.
    ///
    /// - Parameter focus: What has the focus.
    mutating func begin(
        _ event: InputEvent, in focus: Responder?, at position: Int, _ now: ContinuousClock.Instant
    ) {
        self.position = position
        if let lastKey, now - lastKey.time >= Self.reactionTime { interruption = nil }
        guard case .key(let press) = event else { return }
        lastKey = (press.isWriting(in: focus), now)
    }

    mutating func end() { position = nil }

    /// Called before a frame is written.
    ///
    /// - Parameters:
    ///   - top: The topmost dialog.
    ///   - end: The number of bytes received so far, read or not.
    mutating func willShow(_ top: PresentationView?, end: @autoclosure () -> Int) {
        guard shown !== top else { return }
        shown = top
        boundary = end()
    }

    /// Another program had the terminal and may have read queued input.
    mutating func resume(at end: Int) { boundary = min(boundary, end) }

    /// Whether the event being handled was received before the dialog was on screen, or continues what it has
    /// interrupted.
    func isAhead(of top: PresentationView?) -> Bool {
        guard let position else { return false }
        return shown !== top || position <= boundary || interrupts(top)
    }

    /// Whether the dialog has interrupted who is still writing.
    func interrupts(_ top: PresentationView?) -> Bool {
        position != nil && top != nil && interruption === top
    }
}

extension Application {
    /// Whether the current key was typed before the topmost dialog could be read and so is not an answer to it.
    public var isTypedAhead: Bool { typeAhead.isAhead(of: presentations.last) }

    /// Whether the current key continues a text that the topmost dialog has interrupted.
    public var isWritingInterrupted: Bool { typeAhead.interrupts(presentations.last) }

    /// Handles an event of the terminal.
    ///
    /// - Parameter position: The number of bytes received up to its end.
    func handle(_ event: InputEvent, at position: Int) {
        typeAhead.begin(event, in: firstResponder, at: position, scheduler.now)
        defer { typeAhead.end() }
        handle(event)
    }
}

extension KeyPress {
    /// Whether it is part of a text, as no command in a text is.
    @MainActor fileprivate func isWriting(in focus: Responder?) -> Bool {
        guard let text = focus as? TextInputView, text.isEditable, modifiers.isEmpty else {
            return false
        }
        return switch key {
        case .character, .backspace: true
        // In a field it is a command.
        case .enter: text is TextView
        default: false
        }
    }
}
