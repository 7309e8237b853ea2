/// Tells which keys were struck before what lies uppermost was on the screen.
///
/// Measured by bytes and frames, not by time: a key counts as typed ahead when it is handled before the first
/// frame that shows the box, or when it was in the terminal's queue already as that frame was written. Over a
/// slow line, too, someone who knows the next key by heart strikes it after that.
@MainActor
struct TypeAhead {
    /// Bytes of the terminal's input since the start, up to which they came before the last new box.
    private(set) var boundary = 0
    /// Where in the input the event being handled ends; nil when none of the terminal's is.
    var position: Int?
    private weak var shown: PresentationView?

    /// A frame is about to be written.
    ///
    /// - Parameters:
    ///   - top: What lies uppermost in it.
    ///   - end: How many bytes have come so far, read or not.
    mutating func willShow(_ top: PresentationView?, end: @autoclosure () -> Int) {
        guard shown !== top else { return }
        shown = top
        boundary = end()
    }

    /// Another program had the terminal, and may have read what was in the queue.
    mutating func resume(at end: Int) { boundary = min(boundary, end) }

    /// Whether the event being handled was there before this was on the screen.
    func isAhead(of top: PresentationView?) -> Bool {
        guard let position else { return false }
        return shown !== top || position <= boundary
    }
}

extension Application {
    /// Whether the key being handled was struck before what lies uppermost was on the screen: it was not meant as
    /// an answer to it.
    public var isTypedAhead: Bool { typeAhead.isAhead(of: presentations.last) }

    /// Does what an event of the terminal means.
    ///
    /// - Parameter position: How many bytes of input had come with it.
    func handle(_ event: InputEvent, at position: Int) {
        typeAhead.position = position
        defer { typeAhead.position = nil }
        handle(event)
    }
}
