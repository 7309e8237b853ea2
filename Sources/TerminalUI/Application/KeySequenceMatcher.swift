/// Looks up a key along a chain of key tables, and stores the beginning of a sequence.
///
/// The nearest context that knows the keys wins; in one table, a complete match precedes the beginning of a
/// longer one.
struct KeySequenceMatcher {
    /// The keys of an incomplete sequence.
    private(set) var pending: [KeyPress] = []

    enum Outcome {
        case found(KeyTable.Entry)
        /// More presses are needed.
        case incomplete
        /// A responder handled the key in ``Responder/keyDown(_:)``.
        case taken
        /// No command has the sequence.
        case unknown([KeyPress])
    }

    @MainActor
    mutating func press(
        _ press: KeyPress, along chain: [Responder], bindings: KeyBindings
    ) -> Outcome {
        let presses = pending + [press]
        let isContinuation = !pending.isEmpty
        pending = []
        for responder in chain {
            // Text input is not a command: its table need not be created.
            let isTyped = !isContinuation && responder.acceptsText && press.text != nil
            if isTyped, responder.keyDown(press) { return .taken }
            var isBeginning = false
            for entry in responder.keyTable.entries {
                for sequence in bindings.keys(for: entry.command) {
                    if sequence.presses == presses { return .found(entry) }
                    if sequence.starts(with: presses) { isBeginning = true }
                }
            }
            if isBeginning {
                pending = presses
                return .incomplete
            }
            if !isContinuation, responder.keyDown(press) { return .taken }
        }
        return .unknown(presses)
    }

    mutating func forget() { pending = [] }
}
