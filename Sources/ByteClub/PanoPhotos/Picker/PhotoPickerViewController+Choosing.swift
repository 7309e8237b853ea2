internal import ClubStore
internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

/// Folders, and typed, pasted or dropped text.
extension PhotoPickerViewController {
    // MARK: - The folder

    /// - Parameter path: The folder to select, when returning to its parent.
    func enter(_ path: String, from child: String? = nil) {
        base = path
        pathToSelect = child ?? pathToSelect
        if hasText { clearField() }
        showNotice("")
        read(path)
    }

    func read(_ path: String) {
        reading?.cancel()
        wanted = path
        reading = startPending { [self] in
            do throws(PhotoFolder.Unreadable) {
                let folder = try await Self.readFolder(path)
                guard !Task.isCancelled else { return }
                show(folder)
            } catch {
                guard !Task.isCancelled else { return }
                show(PhotoFolder(path: path, entries: [], problem: error.description))
            }
        }
    }

    private func show(_ folder: PhotoFolder) {
        let startsAtTop = folder.path != self.folder.path && pathToSelect == nil
        let filter = NameFilter(query: typed.name)
        let isOther = folder.path != self.folder.path || filter != self.filter
        self.folder = folder
        showEntries(filter, selectingBest: isOther)
        showProblem()
        if startsAtTop, list.selectedIndex ?? 0 > 1 { list.select(1) }
    }

    private func showProblem() {
        if let problem = folder.problem { showNotice(TextLine(problem, .warning)) }
    }

    @concurrent private nonisolated static func readFolder(
        _ path: String
    ) async throws(PhotoFolder.Unreadable) -> PhotoFolder {
        try PhotoFolder.read(path)
    }

    // MARK: - The line

    /// The folder and the name prefix of the typed text.
    private var typed: (folder: String, name: String) {
        switch PickerText(field.text) {
        case .filter(let name): return (base, name)
        case .path(let text):
            let resolved = TypedPath.resolve(line: text, in: base, home: home)
            if text.hasSuffix("/") || text == "~" || resolved == "/" { return (resolved, "") }
            let name = resolved.pathNames().last ?? ""
            return (PhotoFolder.parent(of: resolved), name)
        }
    }

    var hasText: Bool { !field.isHidden }

    /// Opens the input line. A filter never turns into a path or a path into a filter: the line then begins
    /// with `start`.
    func edit(_ start: String) {
        let isOther = PickerText(field.text).isPath != PickerText(start).isPath
        if field.isHidden || isOther { field.text = start }
        field.isHidden = false
        list.looksFocused = true
        view.setNeedsLayout()
        field.becomeFirstResponder()
        typedTextDidChange()
    }

    func clearField() {
        wasPath = false
        field.text = ""
        field.isHidden = true
        list.looksFocused = false
        view.setNeedsLayout()
        list.becomeFirstResponder()
        typedTextDidChange()
    }

    func typedTextDidChange() {
        showNotice("")
        // Who deletes a path may type another one: the letters are no commands then.
        if field.text.isEmpty, !field.isHidden, !wasPath { return clearField() }
        if !field.text.isEmpty { wasPath = PickerText(field.text).isPath }
        // If the text leads back to the shown folder, the pending read is obsolete.
        guard typed.folder == wanted else { return read(typed.folder) }
        if typed.folder == folder.path {
            let filter = NameFilter(query: typed.name)
            showEntries(filter, selectingBest: filter != self.filter)
            showProblem()
        }
    }

    /// The completion for Tab: the longest common prefix of the matching names.
    func completion(of text: String) -> String? {
        let (path, name) = typed
        guard case .path = PickerText(text), path == folder.path else { return nil }
        let names = folder.entries.filter { !$0.isHidden || name.hasPrefix(".") }
            .map { $0.kind == .folder ? $0.name + "/" : $0.name }
        guard let completed = TypedPath.completion(of: name, among: names), completed != name
        else { return nil }
        return text.hasSuffix(name) ? text.dropLast(name.count) + completed : nil
    }

    /// Keeps a filter while the list is used; opens a path.
    func submit() {
        switch PickerText(field.text) {
        case .filter(let name):
            if name.isEmpty { clearField() } else { list.becomeFirstResponder() }
        case .path(let text): choose(text)
        }
    }

    // MARK: - Choosing

    /// Handles Enter on a row after pending reads, so that it does not apply to an outdated row.
    func activate() {
        guard wanted == folder.path, taking == nil else {
            let (reading, taking) = (reading, taking)
            startPending { [self] in
                await taking?.value
                await reading?.value
                await self.reading?.value
                if isOnScreen, wanted == folder.path { activateSelected() }
            }
            return
        }
        activateSelected()
    }

    private func activateSelected() {
        switch selected?.kind {
        case .photo: uploadTargets()
        case .parent: enter(PhotoFolder.parent(of: folder.path), from: folder.path)
        case .folder: if let selected { enter(selected.path) }
        case nil: if !list.marks.isEmpty { uploadTargets() }
        }
    }

    /// Opens the typed path if it exists, else the matching row.
    private func choose(_ text: String) {
        taking?.cancel()
        taking = startPending { [self] in
            var found = await PastedPaths.read(text, in: base, home: home)
            if found.files.isEmpty, found.folder == nil {
                let path = TypedPath.resolve(line: text, in: base, home: home)
                found = await PastedPaths.read(path, in: base, home: home)
            }
            await reading?.value
            guard !Task.isCancelled, isOnScreen, PickerText(field.text) == .path(text) else {
                return
            }
            taking = nil
            if !found.files.isEmpty, found.missing.isEmpty {
                list.mark(found.files.map { AnyHashable(FileIdentity(path: $0)) })
                uploadTargets()
            } else if let folder = found.folder {
                enter(folder)
            } else if typed.folder == folder.path, !typed.name.isEmpty, selected != nil {
                activateSelected()
            } else {
                await showMissing(found, isFolder: text.hasSuffix("/"))
            }
        }
    }

    /// Whether a pasted text names files and must not become part of the filter.
    func namesFiles(_ text: String) -> Bool {
        !PickerText(field.text).isPath && PastedPaths.begins(text)
    }

    /// Marks the files that a text names and opens their folder, or opens the folder that it names.
    func take(_ text: String) {
        taking?.cancel()
        taking = startPending { [self] in
            let found = await PastedPaths.read(text, in: base, home: home)
            guard !Task.isCancelled, isOnScreen else { return }
            defer { taking = nil }
            guard let last = found.files.last else {
                if let folder = found.folder { enter(folder) } else { await showMissing(found) }
                return
            }
            pathToSelect = last
            enter(PhotoFolder.parent(of: last))
            await reading?.value
            guard !Task.isCancelled else { return }
            list.mark(found.files.map { AnyHashable(FileIdentity(path: $0)) })
            if !found.missing.isEmpty { await showMissing(found) }
        }
    }

    /// - Parameter isFolder: Whether a folder was named.
    private func showMissing(_ found: PastedPaths, isFolder: Bool = false) async {
        guard let first = found.missing.first else { return }
        let problem =
            found.missing.count == 1
            ? await PhotoFolder.problem(at: PhotoFolder.parent(of: first)) : nil
        guard !Task.isCancelled else { return }
        if let problem { return showNotice(TextLine(problem, .warning)) }
        let name = TypedPath.brief(first, home: home)
        if isFolder, found.missing.count == 1 {
            return showNotice(TextLine(localized("There is no folder “\(name)”."), .warning))
        }
        showNotice(
            TextLine(
                found.missing.count == 1
                    ? localized("There is no file “\(name)”.")
                    : localized("\(found.missing.count) of these files are not there."), .warning))
    }
}
