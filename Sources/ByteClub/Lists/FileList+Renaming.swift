internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// Renaming and moving.
extension FileList {
    func renameSelected() {
        guard let entry = targets.first else { return }
        let noun = entry.isFolder ? localized("folder") : kind.singular
        let name = entry.name.withVisibleLineBreaks
        let prompt = PromptViewController(
            title: localized("Rename \(noun)"), label: localized("New name"), text: name,
            action: localized("Rename")
        ) { [weak self] typed in
            self?.rename(entry, to: typed)
        }
        // Before the extension, which mostly stays.
        if !entry.isFolder, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            dot != name.startIndex
        {
            prompt.placeCaret(at: name.utf8.distance(from: name.startIndex, to: dot))
        }
        owner?.present(prompt)
    }

    /// - Returns: Why the name is not valid, or nil when renaming has begun.
    private func rename(_ entry: FileEntry, to typed: String) -> String? {
        // Unchanged, even if new notes get an extension: another program's file.
        guard typed != entry.name.withVisibleLineBreaks else { return nil }
        let name: String
        do {
            name = try newName(for: entry, typed)
        } catch {
            return "\(error)"
        }
        guard name != entry.name else { return nil }
        let parent = entry.path.parent ?? .root
        if let refusal = photosFolderRefusal(name, in: parent) { return refusal }
        if name.lowercased() != entry.name.lowercased(),
            let other = club.contents.file(named: name, in: parent)
        {
            return localized("There is a \(kind.singular) named “\(other.name)” already.")
        }
        forEach([entry], doing: localized("Renaming"), failureTitle: localized("Not renamed")) {
            [weak self] (entry: FileEntry) throws(StoreError) in
            try await self?.move(entry, to: try parent.appending(newName: name))
        } then: { [weak self] _ in
            guard let self else { return }
            owner?.application?.showMessage(
                entry.isFolder
                    ? localized("The folder is named “\(name)” now.")
                    : localized("The \(kind.singular) is named “\(name)” now."), .success)
        }
        return nil
    }

    private func newName(for entry: FileEntry, _ typed: String) throws(NoteName.Refusal) -> String {
        guard !entry.isFolder, kind == .notes else {
            let name = try NoteName(typed, addsExtension: false).fileName
            return kind == .photos ? PhotoName.forClub(name, renaming: entry.name) : name
        }
        return try NoteName(typed, renaming: entry.name).fileName
    }

    /// Notes in a folder named like the photos folder would be in neither tab.
    private func photosFolderRefusal(_ name: String, in folder: RemotePath) -> String? {
        guard kind == .notes, let path = try? folder.appending(name),
            ClubContents.isInPhotosFolder(path)
        else { return nil }
        return ClubContents.photosFolderRefusal
    }

    /// `2 notes`, `3 folders`, or `4 notes and folders`.
    private func counted(_ entries: [FileEntry]) -> String {
        let folderCount = entries.count(where: \.isFolder)
        return switch folderCount {
        case 0: kind.count(entries.count)
        case entries.count: localized("\(entries.count) folders")
        default: localized("\(entries.count) notes and folders")
        }
    }

    /// Asks for a folder and moves the marked or selected entries there.
    func moveTargets() {
        let targets = targets
        guard let first = targets.first else { return }
        let shownFolder = folder.string.withVisibleLineBreaks
        let prompt = PromptViewController(
            title: targets.count == 1
                ? localized("Move “\(first.name)”")
                : localized("Move \(counted(targets))"),
            label: localized("Folder"), text: folder.isRoot ? "" : shownFolder,
            action: localized("Move"),
            hint: localized("Tab completes; / is the top. A new folder is created.")
        ) { [weak self, folder] typed in
            // Unchanged, even if its name contains a line break.
            if typed == shownFolder, targets.allSatisfy({ $0.path.parent == folder }) {
                return localized("It is in that folder already.")
            }
            return self?.move(targets, toFolder: typed)
        }
        // Typing replaces it, or appends a folder.
        prompt.selectText()
        prompt.completion = { [weak self] typed in self?.completedFolder(typed) }
        owner?.present(prompt)
    }

    /// The first folder that begins with the typed text.
    private func completedFolder(_ typed: String) -> String? {
        let wanted = typed.isAbsolutePath ? typed : "/" + typed
        return club.contents.noteFolders.map(\.string).sorted()
            .first { $0.lowercased().hasPrefix(wanted.lowercased()) && $0 != wanted }
    }

    /// - Returns: Why nothing can be moved there; nil when moving has begun.
    private func move(_ targets: [FileEntry], toFolder typed: String) -> String? {
        var target = RemotePath.root
        do {
            for name in typed.pathNames() {
                target = try target.appending(
                    newName: NoteName(name, addsExtension: false).fileName)
            }
        } catch let refusal as NoteName.Refusal {
            return "\(refusal)"
        } catch {
            return localized("A folder cannot have that name.")
        }
        guard !ClubContents.isInPhotosFolder(target) else {
            return ClubContents.photosFolderRefusal
        }
        let moving = targets.filter { $0.path.parent != target }
        guard !moving.isEmpty else { return localized("It is in that folder already.") }
        for entry in moving {
            if let refusal = photosFolderRefusal(entry.name, in: target) { return refusal }
        }
        if let inside = moving.first(where: { $0.isFolder && target.isInside($0.path) }) {
            return localized("“\(inside.name)” cannot be moved into itself.")
        }
        forEach(moving, doing: localized("Moving"), failureTitle: localized("Not moved")) {
            [weak self] (entry: FileEntry) throws(StoreError) in
            try await self?.move(entry, to: try target.appending(entry.name))
        } then: { [weak self] done in
            guard let self else { return }
            unmark(done)
            pathToSelect = nil
            let what =
                done.count == 1
                ? localized("“\(done[0].name)” is") : localized("\(counted(done)) are")
            owner?.application?.showMessage(localized("\(what) in \(target.string) now."), .success)
        }
        return nil
    }

    private func move(_ entry: FileEntry, to target: RemotePath) async throws(StoreError) {
        if kind == .notes, let file = entry.file {
            pathToSelect = target
            let moved = try await club.move(file, to: target).file
            club.handlers.didMove?(.file(file), .file(moved))
            pathToSelect = moved.path
            memory.see([moved])
            return reload()
        }
        let contents = club.contents
        let moved = try await club.perform { store throws(StoreError) in
            try await store.move(entry.path, to: target)
        }
        club.handlers.didMove?(entry.file.map { .file($0) } ?? .folder(entry.path), moved)
        if entry.isFolder { memory.noteMove(of: entry.path, to: moved.path, in: contents) }
        pathToSelect = moved.path
        if let file = moved.file { memory.see([file]) }
        club.recordMove(of: entry.path, in: entry.file?.revision, to: moved.file)
        // A moved folder's contents come with the next listing.
        if moved.file == nil { club.refresh() }
    }
}
