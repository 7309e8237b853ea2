internal import ByteClubMessages
internal import TerminalUI

extension KeyCommand {
    static let doneWithNote = KeyCommand(
        "editor.done", keys: ["F2", "^Q"], title: localized("Done: save and close"),
        label: localized("Done"), weight: 99)
    static let saveNote = KeyCommand(
        "editor.save", keys: ["^S"], title: localized("Save and stay"), label: localized("save"),
        weight: 70)
    static let cancelNote = KeyCommand(
        "editor.cancel", keys: ["Esc"],
        title: localized("Cancel: close, asking when something is unsaved"),
        label: localized("Cancel"), weight: 98)

    static let toggleWholeScreen = KeyCommand(
        "editor.whole-screen", keys: ["F11"],
        title: localized("The whole screen, or beside the list"),
        label: localized("whole screen"), weight: 31)

    static let handOverNote = KeyCommand(
        "editor.external", keys: ["M-e"],
        title: localized("Edit in $VISUAL or $EDITOR"),
        label: "$EDITOR", weight: 32)

    static let editorCommands: [KeyCommand] = [
        .doneWithNote, .saveNote, .cancelNote, .goToLine, .handOverNote, .checkSpelling,
        .markSpelling,
        .toggleWholeScreen,
    ]
}
