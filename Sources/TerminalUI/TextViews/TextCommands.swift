extension KeyCommand {
    // MARK: - Moving

    public static let caretLeft = KeyCommand("edit.left", keys: ["Left"], title: "Left")
    public static let caretRight = KeyCommand("edit.right", keys: ["Right"], title: "Right")
    public static let caretUp = KeyCommand("edit.up", keys: ["Up"], title: "Up a row")
    public static let caretDown = KeyCommand("edit.down", keys: ["Down"], title: "Down a row")
    public static let caretWordLeft = KeyCommand(
        "edit.word-left", keys: ["C-Left", "M-b", "M-Left"], title: "A word to the left")
    public static let caretWordRight = KeyCommand(
        "edit.word-right", keys: ["C-Right", "M-f", "M-Right"], title: "A word to the right")
    public static let caretRowStart = KeyCommand(
        "edit.row-start", keys: ["Home"], title: "Beginning of the row, then of the line")
    public static let caretRowEnd = KeyCommand(
        "edit.row-end", keys: ["End", "^E"], title: "End of the row, then of the line")
    public static let caretPageUp = KeyCommand("edit.page-up", keys: ["PgUp"], title: "Page up")
    public static let caretPageDown = KeyCommand(
        "edit.page-down", keys: ["PgDn"], title: "Page down")
    public static let caretTextStart = KeyCommand(
        "edit.text-start", keys: ["C-Home", "M-<"], title: "Beginning of the text")
    public static let caretTextEnd = KeyCommand(
        "edit.text-end", keys: ["C-End", "M->"], title: "End of the text")

    // MARK: - Selecting

    public static let selectLeft = KeyCommand(
        "edit.select-left", keys: ["S-Left"], title: "Select to the left")
    public static let selectRight = KeyCommand(
        "edit.select-right", keys: ["S-Right"], title: "Select to the right")
    public static let selectUp = KeyCommand(
        "edit.select-up", keys: ["S-Up"], title: "Select a row up")
    public static let selectDown = KeyCommand(
        "edit.select-down", keys: ["S-Down"], title: "Select a row down")
    public static let selectWordLeft = KeyCommand(
        "edit.select-word-left", keys: ["C-S-Left"], title: "Select a word to the left")
    public static let selectWordRight = KeyCommand(
        "edit.select-word-right", keys: ["C-S-Right"], title: "Select a word to the right")
    public static let selectRowStart = KeyCommand(
        "edit.select-row-start", keys: ["S-Home"], title: "Select to the beginning of the row")
    public static let selectRowEnd = KeyCommand(
        "edit.select-row-end", keys: ["S-End"], title: "Select to the end of the row")
    public static let selectPageUp = KeyCommand(
        "edit.select-page-up", keys: ["S-PgUp"], title: "Select a page up")
    public static let selectPageDown = KeyCommand(
        "edit.select-page-down", keys: ["S-PgDn"], title: "Select a page down")
    public static let selectTextStart = KeyCommand(
        "edit.select-text-start", keys: ["C-S-Home"], title: "Select to the beginning")
    public static let selectTextEnd = KeyCommand(
        "edit.select-text-end", keys: ["C-S-End"], title: "Select to the end")
    public static let selectAllText = KeyCommand(
        "edit.select-all", keys: ["^A"], title: "Select everything")

    // MARK: - Changing

    public static let newLine = KeyCommand("edit.new-line", keys: ["Enter"], title: "New line")
    public static let plainNewLine = KeyCommand(
        "edit.plain-new-line", keys: ["M-Enter"], title: "New line, with nothing at its beginning")
    public static let insertTab = KeyCommand("edit.tab", keys: ["Tab"], title: "Insert a tab")
    public static let deleteBackward = KeyCommand(
        "edit.delete-backward", keys: ["Backspace", "S-Backspace"],
        title: "Delete the character before the caret")
    public static let deleteForward = KeyCommand(
        "edit.delete-forward", keys: ["Del", "^D"], title: "Delete the character at the caret")
    public static let deleteWordBackward = KeyCommand(
        "edit.delete-word-backward", keys: ["^W", "M-Backspace", "C-Backspace"],
        title: "Delete the word before the caret")
    public static let deleteWordForward = KeyCommand(
        "edit.delete-word-forward", keys: ["M-d", "C-Del"],
        title: "Delete the word after the caret")
    public static let cutLine = KeyCommand(
        "edit.cut-line", keys: ["^K"], title: "Cut the line")
    public static let cutText = KeyCommand(
        "edit.cut", keys: ["^X"], title: "Cut the selection", label: "cut", weight: 62)
    public static let copyText = KeyCommand(
        "edit.copy", keys: ["^C"], title: "Copy the selection", label: "copy", weight: 63)
    public static let pasteText = KeyCommand(
        "edit.paste", keys: ["^V"], title: "Paste what was cut or copied", label: "paste",
        weight: 35)
    public static let undoEdit = KeyCommand(
        "edit.undo", keys: ["^Z"], title: "Undo", label: "undo", weight: 40)
    public static let redoEdit = KeyCommand(
        "edit.redo", keys: ["^Y"], title: "Redo", label: "redo", weight: 33)

    // MARK: - Looking

    public static let toggleWrapping = KeyCommand(
        "edit.wrap", keys: ["M-$"], title: "Wrap long lines, or not")
    public static let toggleLineNumbers = KeyCommand(
        "edit.line-numbers", keys: ["M-#"], title: "Show line numbers, or not")
    public static let editorKeys = KeyCommand(
        "edit.keys", keys: ["^G", "F1"], title: "Keys of this context", label: "keys", weight: 100)

    // MARK: - Fields

    public static let submitField = KeyCommand(
        "field.submit", keys: ["Enter"], title: "Accept", label: "accept", weight: 90)
    public static let completeField = KeyCommand(
        "field.complete", keys: ["Tab"], title: "Complete", label: "complete", weight: 85)

    /// The commands of every view in which text is edited.
    public static let textCommands: [KeyCommand] = [
        .caretLeft, .caretRight, .caretUp, .caretDown, .caretWordLeft, .caretWordRight,
        .caretRowStart, .caretRowEnd, .caretPageUp, .caretPageDown, .caretTextStart,
        .caretTextEnd, .selectLeft, .selectRight, .selectUp, .selectDown, .selectWordLeft,
        .selectWordRight, .selectRowStart, .selectRowEnd, .selectPageUp, .selectPageDown,
        .selectTextStart, .selectTextEnd, .selectAllText, .newLine, .plainNewLine, .insertTab,
        .deleteBackward,
        .deleteForward, .deleteWordBackward, .deleteWordForward, .cutLine, .cutText, .copyText,
        .pasteText, .undoEdit, .redoEdit, .toggleWrapping, .toggleLineNumbers, .editorKeys,
    ]

    /// The commands of a field, besides those it shares with ``textCommands``.
    public static let fieldCommands: [KeyCommand] = [.submitField, .completeField]
}
