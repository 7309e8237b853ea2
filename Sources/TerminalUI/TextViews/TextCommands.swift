internal import ByteClubMessages

extension KeyCommand {
    // MARK: - Moving

    /// Moves the caret back by a cluster; with a selection, to its beginning.
    public static let caretLeft = KeyCommand("edit.left", keys: ["Left"], title: localized("Left"))
    /// Moves the caret on by a cluster; with a selection, to its end.
    public static let caretRight = KeyCommand(
        "edit.right", keys: ["Right"], title: localized("Right"))
    /// Moves the caret up a row, keeping its column; a text that is only read scrolls.
    public static let caretUp = KeyCommand("edit.up", keys: ["Up"], title: localized("Up a row"))
    /// Moves the caret down a row, keeping its column; a text that is only read scrolls.
    public static let caretDown = KeyCommand(
        "edit.down", keys: ["Down"], title: localized("Down a row"))
    /// Moves the caret to the beginning of the word before it.
    public static let caretWordLeft = KeyCommand(
        "edit.word-left", keys: ["C-Left", "M-b", "M-Left"], title: localized("A word to the left"))
    /// Moves the caret to the end of the word after it.
    public static let caretWordRight = KeyCommand(
        "edit.word-right", keys: ["C-Right", "M-f", "M-Right"],
        title: localized("A word to the right"))
    /// Moves the caret to the beginning of its row, and from there of its line.
    public static let caretRowStart = KeyCommand(
        "edit.row-start", keys: ["Home"], title: localized("Beginning of the row, then of the line")
    )
    /// Moves the caret to the end of its row, and from there of its line.
    public static let caretRowEnd = KeyCommand(
        "edit.row-end", keys: ["End", "^E"], title: localized("End of the row, then of the line"))
    /// Moves the caret up by the rows on the screen but one.
    public static let caretPageUp = KeyCommand(
        "edit.page-up", keys: ["PgUp"], title: localized("Page up"))
    /// Moves the caret down by the rows on the screen but one.
    public static let caretPageDown = KeyCommand(
        "edit.page-down", keys: ["PgDn"], title: localized("Page down"))
    /// Moves the caret before the first character of the text.
    public static let caretTextStart = KeyCommand(
        "edit.text-start", keys: ["C-Home", "M-<"], title: localized("Beginning of the text"))
    /// Moves the caret behind the last character of the text.
    public static let caretTextEnd = KeyCommand(
        "edit.text-end", keys: ["C-End", "M->"], title: localized("End of the text"))

    // MARK: - Selecting

    /// Moves the selection's end back by a cluster.
    public static let selectLeft = KeyCommand(
        "edit.select-left", keys: ["S-Left"], title: localized("Select to the left"))
    /// Moves the selection's end on by a cluster.
    public static let selectRight = KeyCommand(
        "edit.select-right", keys: ["S-Right"], title: localized("Select to the right"))
    /// Moves the selection's end up a row.
    public static let selectUp = KeyCommand(
        "edit.select-up", keys: ["S-Up"], title: localized("Select a row up"))
    /// Moves the selection's end down a row.
    public static let selectDown = KeyCommand(
        "edit.select-down", keys: ["S-Down"], title: localized("Select a row down"))
    /// Moves the selection's end to the beginning of the word before it.
    public static let selectWordLeft = KeyCommand(
        "edit.select-word-left", keys: ["C-S-Left"], title: localized("Select a word to the left"))
    /// Moves the selection's end to the end of the word after it.
    public static let selectWordRight = KeyCommand(
        "edit.select-word-right", keys: ["C-S-Right"],
        title: localized("Select a word to the right"))
    /// Moves the selection's end to the beginning of its row, and from there of its line.
    public static let selectRowStart = KeyCommand(
        "edit.select-row-start", keys: ["S-Home"],
        title: localized("Select to the beginning of the row"))
    /// Moves the selection's end to the end of its row, and from there of its line.
    public static let selectRowEnd = KeyCommand(
        "edit.select-row-end", keys: ["S-End"], title: localized("Select to the end of the row"))
    /// Moves the selection's end up by the rows on the screen but one.
    public static let selectPageUp = KeyCommand(
        "edit.select-page-up", keys: ["S-PgUp"], title: localized("Select a page up"))
    /// Moves the selection's end down by the rows on the screen but one.
    public static let selectPageDown = KeyCommand(
        "edit.select-page-down", keys: ["S-PgDn"], title: localized("Select a page down"))
    /// Selects from where selecting began to the beginning of the text.
    public static let selectTextStart = KeyCommand(
        "edit.select-text-start", keys: ["C-S-Home"], title: localized("Select to the beginning"))
    /// Selects from where selecting began to the end of the text.
    public static let selectTextEnd = KeyCommand(
        "edit.select-text-end", keys: ["C-S-End"], title: localized("Select to the end"))
    /// Selects the whole text; the caret is at its end then.
    public static let selectAllText = KeyCommand(
        "edit.select-all", keys: ["^A"], title: localized("Select everything"))

    // MARK: - Changing

    /// Begins a new line; where lists continue, with the indent and the marker of the one before.
    public static let newLine = KeyCommand(
        "edit.new-line", keys: ["Enter"], title: localized("New line"))
    /// Begins a new line at its first column, also within a list.
    public static let plainNewLine = KeyCommand(
        "edit.plain-new-line", keys: ["M-Enter"],
        title: localized("New line, with nothing at its beginning"))
    /// Writes a tab; indents the lines of a selection over several, and an item of a list from its beginning. Only in
    /// views where ``TextView/insertsTabs`` is set.
    public static let insertTab = KeyCommand(
        "edit.tab", keys: ["Tab"], title: localized("Insert a tab, or indent the lines"))
    /// Takes a step of indent from what ``insertTab`` would indent.
    public static let outdentLines = KeyCommand(
        "edit.outdent", keys: ["S-Tab"], title: localized("Outdent the lines"))
    /// Deletes the selection, or the cluster before the caret.
    public static let deleteBackward = KeyCommand(
        "edit.delete-backward", keys: ["Backspace", "S-Backspace"],
        title: localized("Delete the character before the caret"))
    /// Deletes the selection, or the cluster at the caret.
    public static let deleteForward = KeyCommand(
        "edit.delete-forward", keys: ["Del", "^D"],
        title: localized("Delete the character at the caret"))
    /// Deletes the selection, or back to the beginning of a word, past at most one line's end.
    public static let deleteWordBackward = KeyCommand(
        "edit.delete-word-backward", keys: ["^W", "M-Backspace", "C-Backspace"],
        title: localized("Delete the word before the caret"))
    /// Deletes the selection, or on to the end of a word, past at most one line's end.
    public static let deleteWordForward = KeyCommand(
        "edit.delete-word-forward", keys: ["M-d", "C-Del"],
        title: localized("Delete the word after the caret"))
    /// Cuts the line with the caret, with what ends it.
    public static let cutLine = KeyCommand(
        "edit.cut-line", keys: ["^K"], title: localized("Cut the line"))
    /// Cuts the selection. A password field does not put it into the clipboard.
    public static let cutText = KeyCommand(
        "edit.cut", keys: ["^X"], title: localized("Cut the selection"), label: localized("cut"),
        weight: 62)
    /// Copies the selection; without one the key is left to others. Password fields do not have it.
    public static let copyText = KeyCommand(
        "edit.copy", keys: ["^C"], title: localized("Copy the selection"), label: localized("copy"),
        weight: 63)
    /// Puts what the program cut or copied last in place of the selection, as one step to be
    /// undone.
    public static let pasteText = KeyCommand(
        "edit.paste", keys: ["^V"], title: localized("Paste what was cut or copied"),
        label: localized("paste"),
        weight: 35)
    /// Takes the last step of editing back.
    public static let undoEdit = KeyCommand(
        "edit.undo", keys: ["^Z"], title: localized("Undo"), label: localized("undo"), weight: 40)
    /// Does the step again that was undone last.
    public static let redoEdit = KeyCommand(
        "edit.redo", keys: ["^Y"], title: localized("Redo"), label: localized("redo"), weight: 33)

    // MARK: - Looking

    /// Switches between wrapping long lines and scrolling them sideways.
    public static let toggleWrapping = KeyCommand(
        "edit.wrap", keys: ["M-$"], title: localized("Wrap long lines, or not"))
    /// Shows the lines' numbers, or hides them; only where the text can be edited.
    public static let toggleLineNumbers = KeyCommand(
        "edit.line-numbers", keys: ["M-#"], title: localized("Show line numbers, or not"))
    /// Lists the keys, as ``keyMenu`` does, with keys that write nothing.
    public static let editorKeys = KeyCommand(
        "edit.keys", keys: ["^G", "F1"], title: localized("Keys of this context"),
        label: localized("keys"), weight: 100)

    // MARK: - Fields

    /// Accepts what a field holds; only where ``TextField/didSubmit`` is set.
    public static let submitField = KeyCommand(
        "field.submit", keys: ["Enter"], title: localized("Accept"), label: localized("accept"),
        weight: 90)
    /// Replaces what was typed by its completion; without one, Tab goes to the next field.
    public static let completeField = KeyCommand(
        "field.complete", keys: ["Tab"], title: localized("Complete"), label: localized("complete"),
        weight: 85)
    /// Cuts all before the caret, as shells do. A password field does not put it into the clipboard.
    public static let clearField = KeyCommand(
        "field.clear", keys: ["^U"], title: localized("Clear what is before the caret"))

    /// The commands of every view in which text is edited.
    public static let textCommands: [KeyCommand] = [
        .caretLeft, .caretRight, .caretUp, .caretDown, .caretWordLeft, .caretWordRight,
        .caretRowStart, .caretRowEnd, .caretPageUp, .caretPageDown, .caretTextStart,
        .caretTextEnd, .selectLeft, .selectRight, .selectUp, .selectDown, .selectWordLeft,
        .selectWordRight, .selectRowStart, .selectRowEnd, .selectPageUp, .selectPageDown,
        .selectTextStart, .selectTextEnd, .selectAllText, .newLine, .plainNewLine, .insertTab,
        .outdentLines,
        .deleteBackward,
        .deleteForward, .deleteWordBackward, .deleteWordForward, .cutLine, .cutText, .copyText,
        .pasteText, .undoEdit, .redoEdit, .toggleWrapping, .toggleLineNumbers, .editorKeys,
    ]

    /// The commands of a field, besides those it shares with ``textCommands``.
    public static let fieldCommands: [KeyCommand] = [.submitField, .completeField, .clearField]
}
