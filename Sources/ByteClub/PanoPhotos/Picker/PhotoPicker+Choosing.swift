internal import ClubAccess
internal import Messages
internal import TerminalUI

/// Folders, and what is typed, pasted or dropped.
extension PhotoPickerViewController {
    // MARK: - The folder

    /// - Parameter path: The folder to select, where one comes back from it.
    func enter(_ path: String, from child: String? = nil) {
        base = path
        pathToSelect = child ?? pathToSelect
        if hasText { clearField() }
        tell("")
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
        tellProblem()
        if startsAtTop, list.selectedIndex ?? 0 > 1 { list.select(1) }
    }

    private func tellProblem() {
        if let problem = folder.problem { tell(TextLine(problem, .warning)) }
    }

    @concurrent private nonisolated static func readFolder(
        _ path: String
    ) async throws(PhotoFolder.Unreadable) -> PhotoFolder {
        try PhotoFolder.read(path)
    }

    // MARK: - The line

    /// The folder and the beginning of a name that the typed text means.
    private var typed: (folder: String, name: String) {
        switch PickerText(field.text) {
        case .filter(let name): return (base, name)
        case .path(let text):
            let resolved = TypedPath.resolve(text, in: base, home: home)
            if text.hasSuffix("/") || text == "~" || resolved == "/" { return (resolved, "") }
            let name = resolved.split(separator: "/").last.map(String.init) ?? ""
            return (PhotoFolder.parent(of: resolved), name)
        }
    }

    var hasText: Bool { !field.isHidden }

    /// Opens the line to be typed in. A filter never becomes the beginning of a path, nor a path that of a filter:
    /// then the line begins with `start`.
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
        field.text = ""
        field.isHidden = true
        list.looksFocused = false
        view.setNeedsLayout()
        list.becomeFirstResponder()
        typedTextDidChange()
    }

    func typedTextDidChange() {
        tell("")
        if field.text.isEmpty, !field.isHidden { return clearField() }
        // Who has gone back to the folder shown does not want the one that is being read meanwhile.
        guard typed.folder == wanted else { return read(typed.folder) }
        if typed.folder == folder.path {
            let filter = NameFilter(query: typed.name)
            showEntries(filter, selectingBest: filter != self.filter)
            tellProblem()
        }
    }

    /// What Tab makes of the text: the longest beginning that the matching names share.
    func completion(of text: String) -> String? {
        let (path, name) = typed
        guard case .path = PickerText(text), path == folder.path else { return nil }
        let names = folder.entries.filter { !$0.isHidden || name.hasPrefix(".") }
            .map { $0.kind == .folder ? $0.name + "/" : $0.name }
        guard let completed = TypedPath.completion(of: name, among: names), completed != name
        else { return nil }
        return text.hasSuffix(name) ? text.dropLast(name.count) + completed : nil
    }

    /// A filter stays while one goes through the list; a path is taken.
    func submit() {
        switch PickerText(field.text) {
        case .filter(let name):
            if name.isEmpty { clearField() } else { list.becomeFirstResponder() }
        case .path(let text): choose(text)
        }
    }

    // MARK: - Choosing

    /// Enter on a row: what is being read or taken comes first, so that no row counts that is about to go.
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

    /// Takes what is typed when it names something that is there, else the row that it leads to.
    private func choose(_ text: String) {
        taking?.cancel()
        taking = startPending { [self] in
            let found = await PastedPaths.read(text, in: base, home: home)
            await reading?.value
            guard !Task.isCancelled, isOnScreen, PickerText(field.text) == .path(text) else {
                return
            }
            taking = nil
            if !found.files.isEmpty, found.missing.isEmpty {
                list.mark(found.files.map { AnyHashable($0) })
                uploadTargets()
            } else if let folder = found.folder {
                enter(folder)
            } else if typed.folder == folder.path, !typed.name.isEmpty, selected != nil {
                activateSelected()
            } else {
                await tellMissing(found)
            }
        }
    }

    /// What is dropped onto the line while it filters does not go into the filter.
    func takePaste(_ text: String) -> Bool {
        guard !PickerText(field.text).isPath, PastedPaths.begins(text) else { return false }
        take(text)
        return true
    }

    /// Marks the files that a text names and goes to where they are; or goes to the folder that it names.
    func take(_ text: String) {
        taking?.cancel()
        taking = startPending { [self] in
            let found = await PastedPaths.read(text, in: base, home: home)
            guard !Task.isCancelled, isOnScreen else { return }
            defer { taking = nil }
            guard let last = found.files.last else {
                if let folder = found.folder { enter(folder) } else { await tellMissing(found) }
                return
            }
            pathToSelect = last
            enter(PhotoFolder.parent(of: last))
            await reading?.value
            guard !Task.isCancelled else { return }
            list.mark(found.files.map { AnyHashable($0) })
            if !found.missing.isEmpty { await tellMissing(found) }
        }
    }

    private func tellMissing(_ found: PastedPaths) async {
        guard let first = found.missing.first else { return }
        let problem =
            found.missing.count == 1
            ? await PhotoFolder.problem(at: PhotoFolder.parent(of: first)) : nil
        guard !Task.isCancelled else { return }
        if let problem { return tell(TextLine(problem, .warning)) }
        tell(
            TextLine(
                found.missing.count == 1
                    ? localized("There is no file “\(TypedPath.brief(first, home: home))”.")
                    : localized("\(found.missing.count) of these files are not there."), .warning))
    }
}
