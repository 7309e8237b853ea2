internal import ClubAccess
package import TerminalUI

/// The commands of one part of the app: a heading of `byteclub keys`.
package struct KeyContext: Sendable {
    package let title: String
    package let commands: [KeyCommand]
    /// Whether letters are written there, so that none can be a command's key.
    let isTyping: Bool

    private init(_ title: String, _ commands: [KeyCommand], isTyping: Bool = false) {
        self.title = title
        self.commands = commands
        self.isTyping = isTyping
    }

    /// Every command there is: what `byteclub keys` prints and `config.yml` may rebind.
    package static let all: [KeyContext] = [
        everywhere, tabs, lists, notes, versions, photos, panorama, editor, find, reader, text,
        picker, upload, transfers,
        signIn, settings,
        boxes,
        menus,
    ]

    /// The parts that are reachable together: no key may mean two things there.
    static let places: [[KeyContext]] = [
        [notes, lists, tabs, everywhere], [photos, lists, tabs, everywhere],
        [panorama, everywhere], [versions, everywhere],
        [editor, text, everywhere], [find, text, everywhere], [reader, everywhere],
        [picker, plainList, everywhere], [upload, boxes, everywhere], [transfers, everywhere],
        [signIn, text, boxes, everywhere], [settings, boxes, everywhere],
        [text, boxes, everywhere], [menus, everywhere],
    ]

    /// Commands that lead out of a place where nothing else does: each keeps a key.
    static let waysOut: Set<KeyCommand.ID> = [
        KeyCommand.cancelNote.id, KeyCommand.cancelAlert.id, KeyCommand.closeMenu.id,
        KeyCommand.closePicture.id, KeyCommand.closeReader.id, KeyCommand.cancelUpload.id,
    ]

    private static let everywhere = KeyContext("Everywhere", KeyCommand.applicationCommands)
    private static let tabs = KeyContext(
        "Tabs",
        [.nextTab, .previousTab, .tab(1, title: "Notes"), .tab(2, title: "PanoPhotos")])
    private static let lists = KeyContext(
        "Lists",
        KeyCommand.listCommands + KeyCommand.fileListCommands + [.filterList, .clearFilter])
    /// The part of it that works in lists of other things than a club's files, too.
    private static let plainList = KeyContext(
        "Lists", KeyCommand.listCommands + [.filterList, .clearFilter])
    private static let notes = KeyContext("Notes", KeyCommand.notesCommands)
    private static let versions = KeyContext("Version", KeyCommand.versionCommands)
    private static let photos = KeyContext("PanoPhotos", KeyCommand.photosCommands)
    private static let panorama = KeyContext("Panorama", KeyCommand.viewerCommands)
    private static let editor = KeyContext("Editor", KeyCommand.editorCommands, isTyping: true)
    private static let find = KeyContext("Find", KeyCommand.findCommands, isTyping: true)
    private static let reader = KeyContext("Reader", KeyCommand.readerCommands)
    private static let text = KeyContext(
        "Text", KeyCommand.textCommands + KeyCommand.fieldCommands, isTyping: true)
    private static let picker = KeyContext("Photo picker", KeyCommand.pickerCommands)
    private static let upload = KeyContext("Upload", KeyCommand.transferCommands)
    private static let transfers = KeyContext("Transfers", KeyCommand.transferListCommands)
    private static let signIn = KeyContext("Sign in", KeyCommand.loginCommands, isTyping: true)
    private static let settings = KeyContext("Settings", KeyCommand.settingsCommands)
    private static let boxes = KeyContext("Boxes", KeyCommand.boxCommands)
    private static let menus = KeyContext("Menus", KeyCommand.menuCommands, isTyping: true)
}
