/// A text being edited: what it says, what is selected, what can be undone, how it is laid out.
///
/// The model behind every view that edits text, and all its rules; it knows no keys and no screen.
/// Everything that changes the text goes through here, so that selection, history and layout never
/// part.
public struct TextEditor: Sendable {
    /// The text as it is now, a value to be kept or searched elsewhere.
    public private(set) var text: TextBuffer
    /// What is selected, in UTF-8 offsets; just the caret when that is empty.
    public private(set) var selection = Selection(caret: 0)
    /// On which row a caret at a soft wrap stands.
    public private(set) var affinity = CaretAffinity.downstream
    /// What can be undone and redone; it may be saved, see ``restore(_:)``.
    public private(set) var history = UndoHistory()
    /// How lines become rows; setting its options lays out again what is asked for next.
    public var layout: TextLayout
    /// An offset that edits before it carry along: where the part on the screen begins.
    public var scrollAnchor = 0

    /// The cell that moving up and down aims for.
    private var goalColumn: Int?
    private var savedState: UndoHistory.State

    /// An editor with the caret at the beginning, nothing to undo, and the text counted as saved.
    public init(
        _ text: TextBuffer = TextBuffer(),
        layout options: TextLayoutOptions = TextLayoutOptions(columns: 80)
    ) {
        self.text = text
        layout = TextLayout(options: options)
        savedState = history.state
    }

    // MARK: - State

    /// The offset of the caret: the selection's moving end.
    public var caret: Int { selection.head }

    /// Whether the text differs from what was saved last; undoing to that state makes it false.
    public var isDirty: Bool { history.state != savedState }

    /// Names the text as it is, to be handed to `markSaved` when it has been written.
    public var state: UndoHistory.State { history.state }

    /// Declares the text as it is now saved.
    public mutating func markSaved() {
        markSaved(history.state)
    }

    /// Declares an earlier state saved: the one that was current when writing it began.
    public mutating func markSaved(_ state: UndoHistory.State) {
        savedState = state
        history.closeGroup()
    }

    /// Replaces the whole text with one from elsewhere; the history starts over and the editor is
    /// clean.
    public mutating func load(_ text: TextBuffer) {
        var history = history
        history.startOver()
        self = TextEditor(text, layout: layout.options)
        self.history = history
        markSaved()
    }

    /// Becomes a text that was saved elsewhere, as one step that can be undone; the editor is clean then.
    ///
    /// What is selected stays in the text around it. A change of more than a mebibyte is not a step: the history starts
    /// over, as it would keep the bytes of each.
    ///
    /// - Parameter change: What makes it of this text; found here if it is not known, which takes O(count).
    public mutating func becomeSaved(_ new: TextBuffer, by change: TextReplacement? = nil) {
        let isSound = change.map {
            $0.range.upperBound <= text.count
                && text.count - $0.range.count + $0.text.count == new.count
        }
        if let change = isSound == true ? change : text.replacement(toBecome: new) {
            let after = Selection(
                anchor: change.place(selection.anchor), head: change.place(selection.head))
            if change.range.count + change.text.count > Self.largestSavedStep {
                load(new)
            } else {
                replace(change.range, with: change.text, selecting: after)
            }
            // The ends may be inside of characters of the new text.
            select(after)
        }
        markSaved()
    }

    private static let largestSavedStep = 1 << 20

    /// Takes over what could be undone of this very text before; the text counts as saved.
    public mutating func restore(_ history: UndoHistory) {
        self.history = history
        savedState = history.state
    }

    // MARK: - Editing

    /// Replaces a range, as one change.
    ///
    /// - Parameter selection: The selection afterwards; a caret behind the new text if not given.
    public mutating func replace(
        _ range: Range<Int>, with new: TextBuffer, grouping: EditGrouping = .alone,
        selecting selection: Selection? = nil
    ) {
        replace(range, with: TextFragment(new), grouping, selection)
    }

    /// Replaces a range by a string, as one change; see above.
    public mutating func replace(
        _ range: Range<Int>, with new: some StringProtocol, grouping: EditGrouping = .alone,
        selecting selection: Selection? = nil
    ) {
        replace(range, with: TextFragment(new), grouping, selection)
    }

    /// Replaces many ranges as one step, for replacing all that was found.
    ///
    /// - Parameter edits: In ascending order and apart from each other, with the ranges of the text
    ///   as it is now.
    /// - Parameter selection: The selection afterwards; a caret behind the last new text if not given.
    public mutating func replaceAll(
        _ edits: [(range: Range<Int>, text: TextBuffer)], selecting selection: Selection? = nil
    ) {
        var shift = 0
        var changes: [TextChange] = []
        for edit in edits {
            changes.append(
                TextChange(
                    offset: edit.range.lowerBound + shift,
                    removed: TextFragment(edit.range, of: text),
                    inserted: TextFragment(edit.text)))
            shift += edit.text.count - edit.range.count
        }
        guard let last = changes.last else { return }
        let transaction = EditTransaction(
            changes: changes, selectionBefore: self.selection,
            selectionAfter: selection ?? Selection(caret: last.insertedRange.upperBound))
        perform(transaction)
        history.record(transaction, grouping: .alone)
    }

    /// Types text in place of the selection.
    public mutating func type(_ typed: some StringProtocol) {
        replace(selection.range, with: typed, grouping: .typing)
    }

    /// Begins a new line, ended as the text's lines are.
    public mutating func typeLineBreak() {
        type(text.lineEnding.rawValue)
    }

    /// Puts text in place of the selection, as one step.
    public mutating func paste(_ pasted: TextBuffer) {
        replace(selection.range, with: pasted)
    }

    /// Takes the last step back and selects what was selected before it; nothing without a step.
    public mutating func undo() {
        guard let transaction = history.undo() else { return }
        perform(transaction)
    }

    /// Makes the step again that was undone last; nothing without one, or after another edit.
    public mutating func redo() {
        guard let transaction = history.redo() else { return }
        perform(transaction)
    }

    // MARK: - Selecting

    /// Selects, ending the step of typing that may be under way.
    ///
    /// Ends inside a cluster are moved to its beginning.
    public mutating func select(
        _ new: Selection, affinity: CaretAffinity = .downstream, keepingGoal: Bool = false
    ) {
        let anchor = text.clusterBoundary(atOrBefore: new.anchor)
        let head = new.head == new.anchor ? anchor : text.clusterBoundary(atOrBefore: new.head)
        selection = Selection(anchor: anchor, head: head)
        self.affinity = affinity
        if !keepingGoal { goalColumn = nil }
        history.closeGroup()
    }

    /// Puts the caret somewhere, or extends the selection to there.
    public mutating func placeCaret(
        at offset: Int, extending: Bool = false, affinity: CaretAffinity = .downstream,
        keepingGoal: Bool = false
    ) {
        select(
            Selection(anchor: extending ? selection.anchor : offset, head: offset),
            affinity: affinity, keepingGoal: keepingGoal)
    }

    /// Selects the whole text, the caret at its end.
    public mutating func selectAll() {
        select(Selection(anchor: 0, head: text.count))
    }

    /// The selected text, sharing what it can with the whole.
    public var selectedText: TextBuffer { text.extract(selection.range) }

    // MARK: - Rows

    /// The row with the caret.
    public var caretRow: TextRow {
        mutating get { layout.row(at: caret, affinity, in: text) }
    }

    /// The cell of the caret in its row.
    public var caretColumn: Int {
        mutating get { layout.column(of: caret, in: caretRow, of: text) }
    }

    /// The cell that moving up and down aims for, kept across short rows.
    mutating func aimedColumn() -> Int {
        let column = goalColumn ?? caretColumn
        goalColumn = column
        return column
    }

    private mutating func replace(
        _ range: Range<Int>, with new: TextFragment, _ grouping: EditGrouping,
        _ selecting: Selection?
    ) {
        guard !range.isEmpty || !new.isEmpty else { return }
        let change = TextChange(
            offset: range.lowerBound, removed: TextFragment(range, of: text), inserted: new)
        let transaction = EditTransaction(
            changes: [change], selectionBefore: selection,
            selectionAfter: selecting ?? Selection(caret: range.lowerBound + new.count))
        perform(transaction)
        history.record(transaction, grouping: grouping)
    }

    private mutating func perform(_ transaction: EditTransaction) {
        for change in transaction.changes {
            change.apply(to: &text)
            layout.didReplace(change.removedRange, withCount: change.insertedRange.count)
            carryAnchor(over: change)
        }
        selection = transaction.selectionAfter
        affinity = .downstream
        goalColumn = nil
    }

    private mutating func carryAnchor(over change: TextChange) {
        if change.removedRange.upperBound <= scrollAnchor, change.offset < scrollAnchor {
            scrollAnchor += change.insertedRange.count - change.removedRange.count
        } else if change.offset < scrollAnchor {
            scrollAnchor = change.offset
        }
    }
}
