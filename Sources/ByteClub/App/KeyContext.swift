internal import ClubAccess
internal import ByteClubMessages
package import TerminalUI

/// The commands of one part of the app: a heading of `byteclub keys`.
package struct KeyContext: Sendable {
    package let title: String
    package let commands: [KeyCommand]
    /// Whether letters are text input there and cannot be a command's key.
    let isTyping: Bool

    private init(_ title: String, _ commands: [KeyCommand], isTyping: Bool = false) {
        self.title = title
        self.commands = commands
        self.isTyping = isTyping
    }

    /// All commands: what `byteclub keys` prints and `config.yml` may rebind.
    package static let all: [KeyContext] = [
        everywhere, tabs, lists, notes, versions, trash, photos, panorama, editor, find,
        comparison, reader,
        text,
        picker, upload, transfers,
        signIn, settings, pages,
        boxes,
        menus,
    ]

    /// Sets of contexts that are active together: no key may have two meanings in one.
    static let places: [[KeyContext]] = [
        [notes, lists, tabs, everywhere], [photos, lists, tabs, everywhere],
        [panorama, everywhere], [versions, pages, everywhere], [trash, pages, everywhere],
        [editor, text, everywhere], [find, text, everywhere],
        [comparison, pages, everywhere], [reader, everywhere],
        [picker, plainList, everywhere], [upload, boxes, everywhere],
        [transfers, pages, everywhere],
        [signIn, text, boxes, everywhere], [settings, pages, everywhere],
        [text, boxes, everywhere], [menus, everywhere],
    ]

    /// Commands that are the only way out of a place: each must keep at least one key.
    static let waysOut: Set<KeyCommand.ID> = [
        KeyCommand.cancelNote.id, KeyCommand.cancelAlert.id, KeyCommand.closePage.id,
        KeyCommand.closeMenu.id,
        KeyCommand.closePicture.id, KeyCommand.closeReader.id, KeyCommand.cancelUpload.id,
    ]

    private static let everywhere = KeyContext(
        localized("Everywhere"), KeyCommand.applicationCommands)
    private static let tabs = KeyContext(
        localized("Tabs"),
        [
            .nextTab, .previousTab, .tab(1, title: localized("Notes")),
            .tab(2, title: localized("PanoPhotos")),
        ])
    private static let lists = KeyContext(
        localized("Lists"),
        KeyCommand.listCommands + KeyCommand.fileListCommands + [.filterList, .clearFilter])
    /// The commands that also work in lists of things other than a club's files.
    private static let plainList = KeyContext(
        localized("Lists"), KeyCommand.listCommands + [.filterList, .clearFilter])
    private static let notes = KeyContext(localized("Notes"), KeyCommand.notesCommands)
    private static let versions = KeyContext(localized("Version"), KeyCommand.versionCommands)
    private static let trash = KeyContext(localized("Trash"), KeyCommand.trashCommands)
    private static let photos = KeyContext(localized("PanoPhotos"), KeyCommand.photosCommands)
    private static let panorama = KeyContext(localized("Panorama"), KeyCommand.viewerCommands)
    private static let editor = KeyContext(
        localized("Editor"), KeyCommand.editorCommands, isTyping: true)
    private static let find = KeyContext(localized("Find"), KeyCommand.findCommands, isTyping: true)
    private static let comparison = KeyContext(
        localized("Comparison"), KeyCommand.comparisonCommands)
    private static let reader = KeyContext(
        localized("Reader"), KeyCommand.readerCommands + KeyCommand.largeNoteCommands)
    private static let text = KeyContext(
        localized("Text"), KeyCommand.textCommands + KeyCommand.fieldCommands, isTyping: true)
    private static let picker = KeyContext(localized("Photo picker"), KeyCommand.pickerCommands)
    private static let upload = KeyContext(localized("Upload"), KeyCommand.transferCommands)
    private static let transfers = KeyContext(
        localized("Transfers"), KeyCommand.transferListCommands)
    private static let signIn = KeyContext(
        localized("Sign in"), KeyCommand.loginCommands, isTyping: true)
    private static let settings = KeyContext(localized("Settings"), KeyCommand.settingsCommands)
    private static let pages = KeyContext(localized("Pages"), KeyCommand.pageCommands)
    private static let boxes = KeyContext(localized("Boxes"), KeyCommand.boxCommands)
    private static let menus = KeyContext(
        localized("Menus"), KeyCommand.menuCommands + [.searchLargeNotes], isTyping: true)
}
