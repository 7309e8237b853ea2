/// Which edits belong together when they follow each other.
public enum EditGrouping: Sendable, Hashable {
    /// Characters typed one after the other; a step back takes a word and the space behind it.
    case typing
    case deletingBackward
    case deletingForward
    /// A step of its own: a paste, a cut, a replacement.
    case alone
}

/// The edits that can be taken back and made again.
///
/// The history knows by name which state of the text was saved, so that undoing to it makes the
/// text clean again, and so does redoing to it.
public struct UndoHistory: Sendable {
    /// Names a state of the text; equal states of one history have equal text, also after ``startOver()``.
    public struct State: Hashable, Sendable {
        fileprivate var number: Int
    }

    private struct Step: Sendable {
        var transaction: EditTransaction
        var grouping: EditGrouping
        /// The state the text is in after it.
        var state: State
    }

    private var undoSteps: [Step] = []
    private var redoSteps: [Step] = []
    private var firstState = State(number: 0)
    private var lastNumber = 0
    private var isOpen = false

    /// A history without steps.
    public init() {}

    /// Goes on with steps made before, those to be undone or redone next last.
    init(undo: [EditTransaction], redo: [EditTransaction]) {
        func steps(_ transactions: [EditTransaction]) -> [Step] {
            transactions.map {
                lastNumber += 1
                return Step(transaction: $0, grouping: .alone, state: State(number: lastNumber))
            }
        }
        undoSteps = steps(undo)
        redoSteps = steps(redo)
    }

    /// The steps that can be undone and redone, the next ones last.
    var steps: (undo: [EditTransaction], redo: [EditTransaction]) {
        (undoSteps.map(\.transaction), redoSteps.map(\.transaction))
    }

    /// Forgets all steps: the text was replaced by another. The state is one that never was.
    mutating func startOver() {
        undoSteps = []
        redoSteps = []
        lastNumber += 1
        firstState = State(number: lastNumber)
        isOpen = false
    }

    /// Whether ``undo()`` gives a step.
    public var canUndo: Bool { !undoSteps.isEmpty }
    /// Whether ``redo()`` gives a step; another edit makes it false.
    public var canRedo: Bool { !redoSteps.isEmpty }

    /// Names what the text is now.
    public var state: State { undoSteps.last?.state ?? firstState }

    /// Ends the group, so that the next edit begins a step of its own; after the caret was moved by
    /// hand, or the text was saved.
    public mutating func closeGroup() {
        isOpen = false
    }

    /// Remembers an edit that was made.
    public mutating func record(_ transaction: EditTransaction, grouping: EditGrouping) {
        redoSteps = []
        lastNumber += 1
        let state = State(number: lastNumber)
        if isOpen, let joined = lastStep(joinedWith: transaction, grouping, state) {
            undoSteps[undoSteps.count - 1] = joined
            return
        }
        undoSteps.append(Step(transaction: transaction, grouping: grouping, state: state))
        isOpen = grouping != .alone
    }

    /// The transaction that takes the last step back, to be applied now.
    public mutating func undo() -> EditTransaction? {
        guard let step = undoSteps.popLast() else { return nil }
        isOpen = false
        redoSteps.append(step)
        return step.transaction.inverted
    }

    /// The transaction that makes the last undone step again, to be applied now.
    public mutating func redo() -> EditTransaction? {
        guard let step = redoSteps.popLast() else { return nil }
        isOpen = false
        undoSteps.append(step)
        return step.transaction
    }
}

private extension UndoHistory {
    /// The last step, lengthened by an edit that continues it; nil for one that does not.
    private func lastStep(
        joinedWith transaction: EditTransaction, _ grouping: EditGrouping, _ state: State
    ) -> Step? {
        guard var step = undoSteps.last, step.grouping == grouping,
            transaction.changes.count == 1, step.transaction.changes.count == 1,
            let joined = joined(step.transaction.changes[0], transaction.changes[0], grouping)
        else { return nil }
        step.transaction.changes[0] = joined
        step.transaction.selectionAfter = transaction.selectionAfter
        step.state = state
        return step
    }

    func joined(
        _ first: TextChange, _ second: TextChange, _ grouping: EditGrouping
    ) -> TextChange? {
        var result = first
        switch grouping {
        case .typing:
            guard second.removed.isEmpty, second.offset == first.insertedRange.upperBound,
                !Self.beginsWord(second.inserted.first, after: first.inserted.last),
                let text = first.inserted.joined(with: second.inserted)
            else { return nil }
            result.inserted = text
        case .deletingBackward:
            guard second.inserted.isEmpty, first.inserted.isEmpty,
                second.removedRange.upperBound == first.offset,
                let text = second.removed.joined(with: first.removed)
            else { return nil }
            result.removed = text
            result.offset = second.offset
        case .deletingForward:
            guard second.inserted.isEmpty, first.inserted.isEmpty, second.offset == first.offset,
                let text = first.removed.joined(with: second.removed)
            else { return nil }
            result.removed = text
        case .alone: return nil
        }
        return result
    }

    static func beginsWord(_ byte: UInt8?, after last: UInt8?) -> Bool {
        guard let byte, let last else { return false }
        return last <= 0x20 && byte > 0x20
    }
}
