/// Detects keys typed before the topmost dialog was on screen.
///
/// Measured by bytes and frames, not by time: a key counts as typed ahead if it is handled before the first
/// frame with the dialog, or was in the terminal's queue when that frame was written. This also works on slow
/// connections, for users who know the next key by heart.
@MainActor
struct TypeAhead {
    /// The input position at which the topmost dialog appeared, in bytes since the start.
    private(set) var boundary = 0
    /// The end position of the event being handled; nil if it is not from the terminal.
    var position: Int?
    private weak var shown: PresentationView?

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

    /// Whether the event being handled was received before the dialog was on screen.
    func isAhead(of top: PresentationView?) -> Bool {
        guard let position else { return false }
        return shown !== top || position <= boundary
    }
}

extension Application {
    /// Whether the current key was typed before the topmost dialog was on screen and so is not an answer to
    /// it.
    public var isTypedAhead: Bool { typeAhead.isAhead(of: presentations.last) }

    /// Handles an event of the terminal.
    ///
    /// - Parameter position: The number of bytes received up to its end.
    func handle(_ event: InputEvent, at position: Int) {
        typeAhead.position = position
        defer { typeAhead.position = nil }
        handle(event)
    }
}
