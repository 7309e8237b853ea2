internal import ClubAccess
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI
internal import TextEditing

/// The picker's result.
struct PhotoSelection: Sendable, Equatable {
    /// Absolute; at least one.
    var paths: [String]
    /// Whether photos are uploaded unchanged.
    var keepsOriginals: Bool
    /// The picker's last folder.
    var folder: String
}

/// Chooses photos on this computer: a list with thumbnails, and a line for a filter or a path. Pasted or
/// dropped files are marked.
final class PhotoPickerViewController: ViewController {
    let completion: (PhotoSelection) -> Void
    let home: String

    let field = TextField()
    let list = ListView()
    private let picture = ImageView()
    private lazy var split = SplitView(list, picture, minimumWidth: 84, fraction: 0.6)
    private let note = Label("")

    /// The last folder read, and its displayed entries.
    var folder: PhotoFolder
    private(set) var entries: [PhotoFolder.Entry] = []
    var order = PhotoFolder.Order.name
    var showsHidden = false
    private(set) var filter = NameFilter()
    /// The base of relative paths: the last folder entered.
    var base: String
    /// The folder being read, or read last.
    var wanted: String
    var reading: Task<Void, Never>?
    /// Handles pasted or typed text.
    var taking: Task<Void, Never>?
    /// Selected as soon as its folder was read.
    var pathToSelect: String?
    /// Whether the typed text was a path before it was deleted.
    var wasPath = false
    /// Text pasted before the picker was on the screen.
    private var pastedBefore: String?
    private var keepsOriginals: Bool

    private var pictures = Pictures()

    private struct Pictures {
        var thumbnails: LocalThumbnails?
        /// Shows the selected picture.
        var showing: Task<Void, Never>?
    }

    /// - Parameters:
    ///   - pasted: The text dropped onto the list below.
    ///   - completion: Called after the dialog was dismissed.
    init(
        startingIn path: String, keepsOriginals: Bool = false, taking pasted: String? = nil,
        completion: @escaping (PhotoSelection) -> Void
    ) {
        self.completion = completion
        self.keepsOriginals = keepsOriginals
        pastedBefore = pasted
        base = path
        wanted = path
        folder = PhotoFolder(path: path, entries: [])
        home = TypedPath.home
        super.init()
        title = localized("Upload photos")
    }

    override func viewDidLoad() {
        field.didChange = { [weak self] in self?.typedTextDidChange() }
        field.didSubmit = { [weak self] in self?.submit() }
        field.completion = { [weak self] in self?.completion(of: $0) }
        field.takesPaste = { [weak self] text in
            guard let self, namesFiles(text) else { return false }
            take(text)
            return true
        }
        field.isHidden = true
        list.dataSource = self
        list.delegate = self
        list.allowsMarking = true
        list.isMarkable = { [weak self] in self?.entry(at: $0)?.kind == .photo }
        split.didChangeVisibility = { [weak self] _ in self?.showPicture() }
        for part in [field, split, note] { view.addSubview(part) }
    }

    override func viewDidAppear() {
        read(base)
        if let pastedBefore { take(pastedBefore) }
        pastedBefore = nil
    }

    override func viewDidDisappear() {
        reading?.cancel()
        taking?.cancel()
        pictures.showing?.cancel()
        pictures.thumbnails?.cancel()
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        let height = min(max(available.height * 4 / 5, 20), 44, available.height)
        return Size(
            width: min(max(available.width * 4 / 5, 76), 130, available.width),
            // If only one row remains visible below, cover it, too.
            height: available.height - height < 2 ? available.height : height)
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        if !field.isHidden { field.frame = area.takeTop(1) }
        note.frame = area.takeBottom(area.height > 4 || !note.text.text.isEmpty ? 1 : 0)
        split.frame = area
        split.layoutIfNeeded()
        prepareThumbnails()
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Upload photos")) {
            if hasText {
                KeyCommand.clearFilter.performs { self.clearField() }
            } else {
                KeyCommand.cancelAlert.performs { self.dismiss() }
            }
            KeyCommand.uploadMarked.performs(
                label: list.marks.count > 1
                    ? localized("upload \(list.marks.count)") : localized("upload"),
                unless: targets.isEmpty ? localized("No photo is selected.") : nil
            ) { self.uploadTargets() }
            KeyCommand.filterList.performs { self.edit("/") }
            KeyCommand.typePath.performs { self.edit("~/") }
            KeyCommand.sortPhotos.performs { self.cycleOrder() }
            KeyCommand.showHiddenFiles.performs(
                label: showsHidden ? localized("hide") : localized("hidden")
            ) {
                self.toggleHidden()
            }
            KeyCommand.keepOriginals.performs(
                label: keepsOriginals ? localized("re-encode") : localized("original")
            ) {
                self.toggleOriginals()
            }
            KeyCommand.parentFolder.performs(
                unless: folder.path == "/" ? localized("This is the topmost folder.") : nil
            ) { self.enter(PhotoFolder.parent(of: self.folder.path), from: self.folder.path) }
        }
    }

    override func paste(_ text: String) -> Bool {
        take(text)
        return true
    }

    func entry(at index: Int) -> PhotoFolder.Entry? {
        entries.indices.contains(index) ? entries[index] : nil
    }

    var selected: PhotoFolder.Entry? { list.selectedIndex.flatMap(entry(at:)) }

    /// The photos to upload: the marked ones, else the selected one.
    var targets: [String] {
        let marked = list.marks.compactMap { ($0.base as? FileIdentity)?.path }
        guard marked.isEmpty else {
            return marked.sorted { NaturalOrderKey($0) < NaturalOrderKey($1) }
        }
        return selected.flatMap { $0.kind == .photo ? [$0.path] : nil } ?? []
    }

    func uploadTargets() {
        let selection = PhotoSelection(
            paths: targets, keepsOriginals: keepsOriginals, folder: folder.path)
        guard !selection.paths.isEmpty else { return }
        dismiss { [completion] in completion(selection) }
    }
}

// MARK: - What is shown

extension PhotoPickerViewController: ListViewDataSource, ListViewDelegate {
    /// Shows the entries that pass the filter.
    ///
    /// - Parameter selectingBest: Whether to select the best match, after typing.
    func showEntries(_ filter: NameFilter, selectingBest: Bool = false) {
        self.filter = filter
        entries = folder.shown(by: order, showingHidden: showsHidden, filter)
        let hiddenCount = showsHidden ? 0 : folder.entries.count(where: \.isHidden)
        list.emptyText = TextLine(
            filter.isActive
                ? localized("Nothing here has “\(filter.query)” in its name.")
                : localized("No pictures here.")
                    + (hiddenCount > 0 ? localized(" . shows \(hiddenCount) hidden.") : ""),
            .secondary)
        // The line below shows the reason.
        if folder.problem != nil { list.emptyText = "" }
        prepareThumbnails()
        list.reloadData()
        if let path = pathToSelect, list.select(identity: FileIdentity(path: path)) != nil {
            pathToSelect = nil
        } else if selectingBest, filter.isActive {
            list.select(0)
        } else if list.selectedIndex == 0, entries.first?.kind == .parent, entries.count > 1 {
            // The first photo, not the parent folder.
            list.select(1)
        }
        showTitle()
        didSelect()
    }

    private func showTitle() {
        title = localized("Upload photos · ") + TypedPath.brief(folder.path, home: home)
    }

    /// Shows a message until the next key; if empty, a summary of the choices.
    func showNotice(_ words: TextLine) {
        note.text = words.isEmpty ? choices : words
        view.setNeedsLayout()
    }

    /// `2 photos are marked. · by date · photos go as they are`.
    private var choices: TextLine {
        let count = list.marks.count
        var parts: [TextLine] = []
        if count > 0 {
            let words =
                count == 1
                ? localized("1 photo is marked.") : localized("\(count) photos are marked.")
            parts.append(TextLine(words, .marked))
        }
        if order == .date { parts.append(TextLine(localized("by date"), .secondary)) }
        if showsHidden { parts.append(TextLine(localized("with hidden files"), .secondary)) }
        if keepsOriginals { parts.append(TextLine(localized("photos go as they are"), .secondary)) }
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first) { $0 + TextLine(" · ", .secondary) + $1 }
    }

    func numberOfRows(in list: ListView) -> Int { entries.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        // A frame begins with its first row.
        if index == list.firstVisibleIndex { showThumbnails() }
        let entry = entries[index]
        let matches = filter.isActive ? filter.matchedRanges(in: entry.name) : []
        switch entry.kind {
        case .parent: return ListRow(TextLine("../", .secondary))
        case .folder: return ListRow(TextLine(entry.name + "/", .accent), matches: matches)
        case .photo: break
        }
        let size = Wording.byteCount(entry.byteCount)
        guard list.rowHeight > 1 else {
            return ListRow(
                TextLine(entry.name), columns: [ListRow.Column(size, width: 7)], matches: matches)
        }
        let age = entry.modified.map { Wording.age(of: $0, at: Date()) }
        let facts = [size, age].compactMap(\.self).map { TextLine($0, .secondary) }
        var row = ListRow(TextLine(entry.name), facts: facts, matches: matches)
        switch pictures.thumbnails?.state(of: entry) {
        case .loaded(let cells): row.image = ImageCells(cells)
        case .unavailable(let reason):
            row.facts.insert(TextLine(reason, .warning), at: 0)
        case .loading, nil: break
        }
        return row
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        FileIdentity(path: entries[index].path)
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) { activate() }

    func listViewDidChangeSelection(_ list: ListView) { didSelect() }

    func listViewDidChangeMarks(_ list: ListView) {
        showNotice("")
        didSelect()
    }

    private func didSelect() {
        let count = list.marks.count
        list.activationLabel =
            selected?.kind == .photo
            ? (count > 1 ? localized("upload \(count)") : localized("upload")) : localized("open")
        showPicture()
    }
}

// MARK: - Keys

extension PhotoPickerViewController {
    private func cycleOrder() {
        order = order.next
        showEntries(filter)
        showNotice("")
    }

    private func toggleHidden() {
        showsHidden.toggle()
        showEntries(filter)
        showNotice("")
    }

    private func toggleOriginals() {
        keepsOriginals.toggle()
        showNotice("")
    }
}

// MARK: - Pictures

extension PhotoPickerViewController {
    /// Chooses whether thumbnails are shown: there must be room, and a photo. Folders alone take one line
    /// each.
    ///
    /// Called for each layout, and when the entries change.
    private func prepareThumbnails() {
        guard let screen = application?.screen else { return }
        let width = list.bounds.width
        let hasRoom = width >= 34 && entries.contains { $0.kind == .photo }
        let box = hasRoom ? CellSize(columns: width < 56 ? 10 : 14, rows: 2) : nil
        guard box != pictures.thumbnails?.box || (box == nil) != (list.imageSize == nil) else {
            return
        }
        pictures.thumbnails?.cancel()
        list.imageSize = box.map { Size(width: $0.columns, height: $0.rows) }
        list.rowHeight = box?.rows ?? 1
        pictures.thumbnails = box.map { box in
            let render: LocalThumbnails.Render = { path, box, renderer in
                do throws(PictureError) {
                    return .success(try await LocalPicture.render(path, fitting: box, renderer))
                } catch {
                    return .failure(error)
                }
            }
            let thumbnails = LocalThumbnails(
                box: box, renderer: .atRest(screen), render: render
            ) { [unowned self] in startPending($0) }
            thumbnails.onArrival = { [weak self] in self?.list.setNeedsDisplay() }
            return thumbnails
        }
    }

    private func showThumbnails() {
        guard let thumbnails = pictures.thumbnails, isOnScreen else { return }
        let first = list.firstVisibleIndex
        let visible = entries[first..<min(entries.count, first + list.visibleRowCount + 1)]
        thumbnails.show(visible.filter { $0.kind == .photo })
    }

    private func showPicture() {
        pictures.showing?.cancel()
        picture.image = nil
        picture.placeholder = ""
        guard split.showsSecondary, let screen = application?.screen, let selected,
            selected.kind == .photo
        else { return }
        let box = CellSize(columns: picture.bounds.width - 1, rows: picture.bounds.height)
        let renderer = CellRenderer.atRest(screen)
        pictures.showing = startPending { [self] in
            do throws(PictureError) {
                let cells = try await LocalPicture.render(selected.path, fitting: box, renderer)
                guard !Task.isCancelled else { return }
                picture.image = ImageCells(cells)
            } catch {
                guard !Task.isCancelled else { return }
                picture.placeholder = TextLine(
                    localized("No picture: \(error.reason)."), .secondary)
            }
        }
    }
}

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
