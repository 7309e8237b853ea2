internal import ClubAccess
internal import ClubStore
internal import Messages
internal import TerminalUI

/// Other names, and other folders.
extension FileList {
    func renameSelected() {
        guard let entry = targets.first else { return }
        let noun = entry.isFolder ? localized("folder") : kind.singular
        owner?.present(
            PromptViewController(
                title: localized("Rename \(noun)"), label: localized("New name"),
                text: entry.name.withVisibleLineBreaks, action: localized("Rename")
            ) { [weak self] typed in
                self?.rename(entry, to: typed)
            })
    }

    /// - Returns: Why it is not a valid name, or nil when the renaming has begun.
    private func rename(_ entry: FileEntry, to typed: String) -> String? {
        // As it is, also where a new note would get an ending: a file of another program's.
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
                localized("The \(kind.singular) is named “\(name)” now."), .success)
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

    /// Under the name of the photos folder, notes would be in neither tab.
    private func photosFolderRefusal(_ name: String, in folder: RemotePath) -> String? {
        guard kind == .notes, let path = try? folder.appending(name),
            ClubContents.isInPhotosFolder(path)
        else { return nil }
        return ClubContents.photosFolderRefusal
    }

    /// Asks for a folder and moves there what is marked or selected.
    func moveTargets() {
        let targets = targets
        guard let first = targets.first else { return }
        let shownFolder = folder.string.withVisibleLineBreaks
        let prompt = PromptViewController(
            title: targets.count == 1
                ? localized("Move “\(first.name)”")
                : localized("Move \(targets.count) \(kind.plural)"),
            label: localized("Folder"), text: folder.isRoot ? "" : shownFolder,
            action: localized("Move"),
            hint: localized("Tab completes; / is the top. A new folder is created.")
        ) { [weak self] typed in
            // As it is, also where its name has a line break in it.
            guard typed != shownFolder else { return localized("It is in that folder already.") }
            return self?.move(targets, toFolder: typed)
        }
        // Another folder is typed over it, or behind it.
        prompt.selectText()
        prompt.completion = { [weak self] typed in self?.completedFolder(typed) }
        owner?.present(prompt)
    }

    /// The first folder that begins with what was typed.
    private func completedFolder(_ typed: String) -> String? {
        let wanted = typed.hasPrefix("/") ? typed : "/" + typed
        return club.contents.noteFolders.map(\.string).sorted()
            .first { $0.lowercased().hasPrefix(wanted.lowercased()) && $0 != wanted }
    }

    /// - Returns: Why nothing can be moved there; nil when the moving has begun.
    private func move(_ targets: [FileEntry], toFolder typed: String) -> String? {
        var target = RemotePath.root
        do {
            for name in typed.split(separator: "/") {
                target = try target.appending(
                    newName: NoteName(String(name), addsExtension: false).fileName)
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
                ? localized("“\(done[0].name)” is") : localized("\(kind.count(done.count)) are")
            owner?.application?.showMessage(localized("\(what) in \(target.string) now."), .success)
        }
        return nil
    }

    private func move(_ entry: FileEntry, to target: RemotePath) async throws(StoreError) {
        if kind == .notes, let file = entry.file {
            pathToSelect = target
            let moved = try await club.move(file, to: target).file
            pathToSelect = moved.path
            memory.see([moved])
            return reload()
        }
        let moved = try await club.perform { store throws(StoreError) in
            try await store.move(entry.path, to: target)
        }
        pathToSelect = moved.path
        if let file = moved.file { memory.see([file]) }
        club.recordMove(of: entry.path, in: entry.file?.revision, to: moved.file)
        // What lies in a folder comes with the next listing.
        if moved.file == nil { club.refresh() }
    }
}
