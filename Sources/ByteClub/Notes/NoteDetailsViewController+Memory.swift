internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// The state in which a note was left: caret, toggles, undo history.
extension NoteDetailsViewController {
    /// Stores the state between runs.
    func remember() {
        guard let memory, let path = document.file?.path else { return }
        var remembered = textView.memory
        if progress.isDiscarded { remembered.history = UndoHistory() }
        // Toggles that match the settings follow them when they change.
        if remembered.wrapsLines == settings.wrapsLines { remembered.wrapsLines = nil }
        if remembered.showsLineNumbers == settings.showsLineNumbers {
            remembered.showsLineNumbers = nil
        }
        let text = wholeText
        Task { await memory.save(remembered, of: path, text: text) }
    }

    /// Restores the state, unless a key was pressed first.
    func recall() {
        guard let memory, !progress.hasRecalled, let path = document.file?.path else { return }
        progress.hasRecalled = true
        let (state, place, text) = (textView.state, textView.selectedRange, startText)
        _ = startPending { [self] in
            guard var remembered = await memory.load(path, text: text), textView.state == state,
                textView.selectedRange == place, !textView.isDirty,
                // Another member may have changed the note meanwhile.
                shownText == text.withoutByteOrderMark
            else { return }
            if start != nil {
                // An explicit position was requested.
                remembered.selection = textView.memory.selection
                remembered.scrollAnchor = textView.memory.scrollAnchor
            }
            textView.restore(remembered)
        }
    }
}
