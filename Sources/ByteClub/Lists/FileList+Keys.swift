internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// The key commands of both tabs' lists.
extension FileList {
    /// Entries for the tab's key table; the tab's own come first.
    var keyEntries: [KeyTable.Entry] {
        let none = selectedEntry == nil ? localized("No \(kind.singular) is selected.") : nil
        let several =
            list.marks.count > 1
            ? localized("Several are marked. Only one can be renamed: Esc clears the marks.")
            : nil
        var entries = [
            KeyCommand.rename(kind).performs(unless: none ?? several) { self.renameSelected() },
            KeyCommand.delete(kind).performs(unless: none ?? folderReason) { self.deleteTargets() },
            // Shown in the footer once something was deleted in this window.
            KeyCommand.undelete(kind).performs(isInFooter: !memory.lastDeleted(kind).isEmpty) {
                self.undelete()
            },
            KeyCommand.sortList.performs(
                unless: arrangement.entries.isEmpty ? localized("There is nothing to sort.") : nil
            ) { self.cycleSort() },
            KeyCommand.copyNames.performs(unless: none) { self.copyNames() },
            KeyCommand.refresh.performs { self.refresh() },
            KeyCommand.seeAllFiles.performs(
                unless: !arrangement.isUnreadInClub ? localized("Nothing is unread.") : nil
            ) { self.seeAll() },
        ]
        if let showTrash {
            entries.append(KeyCommand.showTrash.performs { showTrash() })
        }
        if let showTransfers {
            entries.append(KeyCommand.showTransfers.performs { showTransfers() })
        }
        if kind == .notes {
            entries.append(
                KeyCommand.moveNotes.performs(unless: none) { self.moveTargets() })
        }
        if !folder.isRoot {
            entries.append(KeyCommand.leaveFolder.performs { self.leaveFolder() })
        }
        return entries
    }

    /// Precedes the effect of Esc on marks and filters.
    var stopEntry: KeyTable.Entry {
        KeyCommand.stopBatch.performs { [weak self] in self?.batch?.cancel() }
    }

    private var folderReason: String? {
        for case .folder(let path, let fileCount) in targets where fileCount > 0 {
            return localized(
                "“\(path.name)” is not empty: it has \(kind.count(fileCount)). Delete what is in it first."
            )
        }
        return nil
    }

    /// Copies names to the terminal's clipboard, one per line.
    func copyNames() {
        // Names are pasted into shells: invisible characters must not have an effect there.
        let names = targets.map { VisibleText($0.name).string }
        guard let first = names.first else { return }
        Clipboard.shared.put(
            TextBuffer(names.joined(separator: "\n")), for: owner?.application)
        owner?.application?.showMessage(
            names.count == 1
                ? localized("Copied “\(first)”.") : localized("Copied \(names.count) names."),
            .success)
    }
}

extension KeyCommand {
    static func rename(_ kind: FileKind) -> KeyCommand {
        switch kind {
        case .notes: .renameNote
        case .photos: .renamePhoto
        }
    }

    static func delete(_ kind: FileKind) -> KeyCommand {
        switch kind {
        case .notes: .deleteNote
        case .photos: .deletePhoto
        }
    }

    static func undelete(_ kind: FileKind) -> KeyCommand {
        switch kind {
        case .notes: .undeleteNote
        case .photos: .undeletePhoto
        }
    }

    static let renameNote = KeyCommand(
        "notes.rename", keys: ["r"], title: localized("Rename the note"),
        label: localized("rename"), weight: 45)
    static let deleteNote = KeyCommand(
        "notes.delete", keys: ["d"],
        title: localized("Delete the marked notes, or this one (asks)"),
        label: localized("delete"), weight: 60)
    static let undeleteNote = KeyCommand(
        "notes.undelete", keys: ["z"], title: localized("Bring back what was deleted last"),
        label: localized("bring back"), weight: 42)
    static let moveNotes = KeyCommand(
        "notes.move", keys: ["m"],
        title: localized("Move the marked notes, or this one, to a folder"),
        label: localized("move"), weight: 35)

    static let renamePhoto = KeyCommand(
        "photos.rename", keys: ["r"], title: localized("Rename the photo"),
        label: localized("rename"), weight: 45)
    static let deletePhoto = KeyCommand(
        "photos.delete", keys: ["d"],
        title: localized("Delete the marked photos, or this one (asks)"),
        label: localized("delete"), weight: 60)
    static let undeletePhoto = KeyCommand(
        "photos.undelete", keys: ["z"], title: localized("Bring back what was deleted last"),
        label: localized("bring back"), weight: 42)

    static let sortList = KeyCommand(
        "list.sort", keys: ["s"], title: localized("Sort by name, change or size"),
        label: localized("sort"), weight: 48)
    static let copyNames = KeyCommand(
        "list.copy-name", keys: ["Y"], title: localized("Copy the name to the clipboard"))
    static let refresh = KeyCommand(
        "list.refresh", keys: ["R"], title: localized("Refresh the list"),
        label: localized("refresh"), weight: 25)
    static let seeAllFiles = KeyCommand(
        "list.seen", keys: ["M"], title: localized("Mark all as read"))
    static let leaveFolder = KeyCommand(
        "list.parent", keys: ["Backspace", "h", "Left"],
        title: localized("Back to the folder above"),
        label: localized("back"), weight: 92)
    static let stopBatch = KeyCommand(
        "list.stop", keys: ["Esc", "^C"], title: localized("Stop after this one"),
        label: localized("stop"), weight: 99)

    /// The commands of both tabs' lists.
    static let fileListCommands: [KeyCommand] = [
        .sortList, .copyNames, .refresh, .seeAllFiles, .showTrash, .showTransfers, .leaveFolder,
        .stopBatch,
    ]
}
