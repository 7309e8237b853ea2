internal import ByteClubMessages
internal import TerminalUI

extension KeyCommand {
    static let newNote = KeyCommand(
        "notes.new", keys: ["n", "+"], title: localized("New note"), label: localized("new"),
        weight: 90)
    static let editNote = KeyCommand("notes.edit", keys: ["e"], title: localized("Edit the note"))
    static let editNoteExternally = KeyCommand(
        "notes.edit-externally", keys: ["E"],
        title: localized("Edit the note in $VISUAL or $EDITOR"))
    static let searchNotes = KeyCommand(
        "notes.search", keys: ["g /"],
        title: localized("Search the texts of all notes (or / twice)"),
        label: localized("search"), weight: 52)
    static let copyNote = KeyCommand(
        "notes.copy", keys: ["y"], title: localized("Copy the text to the clipboard"),
        label: localized("copy"),
        weight: 28)
    static let previewDown = KeyCommand(
        "notes.preview-down", keys: ["J"], title: localized("Scroll the preview down"),
        label: localized("scroll"),
        weight: 22)
    static let previewUp = KeyCommand(
        "notes.preview-up", keys: ["K"], title: localized("Scroll the preview up"))
    static let stopOpening = KeyCommand(
        "notes.stop", keys: ["Esc", "^C"], title: localized("Stop opening the note"),
        label: localized("stop"),
        weight: 97)

    static let notesCommands: [KeyCommand] = [
        .newNote, .editNote, .editNoteExternally, .searchNotes, .copyNote, .noteVersions,
        .renameNote, .moveNotes, .deleteNote, .undeleteNote, .previewDown, .previewUp, .stopOpening,
    ]
}
