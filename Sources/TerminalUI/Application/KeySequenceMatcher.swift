/// Finds what a key does along a chain of key tables, and remembers the beginning of sequences.
///
/// The nearest context that knows the keys wins; in one table a whole match goes before the
/// beginning of a longer one.
struct KeySequenceMatcher {
    /// The presses so far of a sequence that is not whole yet.
    private(set) var pending: [KeyPress] = []

    enum Outcome {
        case found(KeyTable.Entry)
        /// More presses are needed.
        case incomplete
        /// A responder took the key through ``Responder/keyDown(_:)``.
        case taken
        /// The sequence leads nowhere.
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
            // What is typed into a text is not one of its commands: no table has to be made for it.
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
