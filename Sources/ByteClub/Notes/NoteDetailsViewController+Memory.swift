internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI
internal import TextEditing

/// Where a note was left: caret, toggles, what can be undone.
extension NoteDetailsViewController {
    /// Keeps it over restarts.
    func remember() {
        guard let memory, let path = document.file?.path else { return }
        var remembered = textView.memory
        if progress.isDiscarded { remembered.history = UndoHistory() }
        // What is as the settings say follows them when they change.
        if remembered.wrapsLines == settings.wrapsLines { remembered.wrapsLines = nil }
        if remembered.showsLineNumbers == settings.showsLineNumbers {
            remembered.showsLineNumbers = nil
        }
        let text = wholeText
        Task { await memory.save(remembered, of: path, text: text) }
    }

    /// Goes back to where the note was left, unless a key was quicker.
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
                // A place was asked for.
                remembered.selection = textView.memory.selection
                remembered.scrollAnchor = textView.memory.scrollAnchor
            }
            textView.restore(remembered)
        }
    }
}
