internal import ByteClubMessages
internal import TerminalUI

extension KeyCommand {
    static let uploadMarked = KeyCommand(
        "picker.upload", keys: ["u"], title: localized("Upload the marked photos, or this one"),
        label: localized("upload"), weight: 90)
    static let parentFolder = KeyCommand(
        "picker.parent", keys: ["Backspace", "h", "Left", "M-Up", "^O"],
        title: localized("To the folder above"), label: localized("folder above"), weight: 32)
    static let typePath = KeyCommand(
        "picker.path", keys: ["~"], title: localized("Type a path (or paste one, or drop files)"),
        label: localized("path"), weight: 46)
    static let sortPhotos = KeyCommand(
        "picker.sort", keys: ["s"], title: localized("Sort by name or date"),
        label: localized("sort"), weight: 44)
    static let showHiddenFiles = KeyCommand(
        "picker.hidden", keys: ["."], title: localized("Show or hide hidden files"),
        label: localized("hidden"),
        weight: 30)
    static let keepOriginals = KeyCommand(
        "picker.original", keys: ["o"], title: localized("Send photos as they are, or re-encoded"),
        label: localized("original"), weight: 42)

    static let pickerCommands: [KeyCommand] = [
        .uploadMarked, .parentFolder, .typePath, .sortPhotos, .showHiddenFiles, .keepOriginals,
    ]
}
