internal import ClubAccess
internal import FoundationEssentials
internal import Pictures
internal import TerminalUI
internal import TextEditing

/// Chooses a JPEG of this machine: a field to type, paste or complete a path in, the folder's photos
/// below it, the chosen one's picture beside them.
///
/// The field always has the keys, so that typing narrows the list at once; the arrows move in the list.
final class PhotoPickerViewController: ViewController {
    private let completion: (String) -> Void
    private let home: String

    private let field = TextField()
    private let list = ListView()
    private let picture = ImageView()
    private lazy var split = SplitView(list, picture, minimumWidth: 60, fraction: 0.5)
    private let note = Label("")

    /// What has been read last; the entries that pass what is typed.
    private var folder: PhotoFolder
    private var entries: [PhotoFolder.Entry] = []
    /// Where relative paths start: the folder that was entered last.
    private var base: String
    private var reading: Task<Void, Never>?
    /// The folder that is being read, or was read last.
    private var wanted: String
    /// Enter was pressed while the folder was being read.
    private var choosesWhenRead = false
    private var showing: Task<Void, Never>?

    /// - Parameter completion: Gets the absolute path of the chosen file, when the box is gone.
    init(startingIn path: String, completion: @escaping (String) -> Void) {
        self.completion = completion
        base = path
        wanted = path
        folder = PhotoFolder(path: path, entries: [])
        home = ProcessInfo.processInfo.environment["HOME"] ?? "/"
        super.init()
        title = "Upload a photo"
    }

    override func viewDidLoad() {
        field.placeholder = TextLine("Type a name, or paste a path", .secondary)
        field.didChange = { [weak self] in self?.typedTextDidChange() }
        field.didSubmit = { [weak self] in self?.choose() }
        field.completion = { [weak self] in self?.completion(of: $0) }
        list.dataSource = self
        list.delegate = self
        split.didChangeVisibility = { [weak self] _ in self?.showPicture() }
        for part in [field, split, note] { view.addSubview(part) }
    }

    override func viewDidAppear() { read(base) }

    override var preferredFirstResponder: View? { field }

    override func preferredSize(in available: Size) -> Size {
        Size(
            width: min(max(available.width * 4 / 5, 60), 110, available.width),
            height: min(max(available.height * 4 / 5, 12), 34, available.height))
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        field.frame = area.takeTop(1)
        if area.height > 5 { _ = area.takeTop(1) }
        note.frame = area.takeBottom(1)
        split.frame = area
    }

    override var keyTable: KeyTable {
        KeyTable("Upload a photo") {
            KeyCommand.choosePhoto.performs { self.choose() }
            KeyCommand.nextPhoto.performs { self.move(by: 1) }
            KeyCommand.previousPhoto.performs { self.move(by: -1) }
            KeyCommand.nextPhotos.performs { self.move(by: self.list.visibleRowCount - 1) }
            KeyCommand.previousPhotos.performs { self.move(by: 1 - self.list.visibleRowCount) }
            KeyCommand.parentFolder.performs {
                self.enter(PhotoFolder.parent(of: self.folder.path))
            }
            KeyCommand.cancelAlert.performs { self.dismiss() }
        }
    }

    override func viewDidDisappear() {
        reading?.cancel()
        showing?.cancel()
    }
}

// MARK: - Typing

extension PhotoPickerViewController {
    /// The folder and the beginning of a name that the typed text means.
    private var typed: (folder: String, name: String) {
        let text = field.text
        let resolved = TypedPath.resolve(text, in: base, home: home)
        if text.isEmpty || text.hasSuffix("/") || resolved == "/" { return (resolved, "") }
        let name = resolved.split(separator: "/").last.map(String.init) ?? ""
        return (PhotoFolder.parent(of: resolved), name)
    }

    private func typedTextDidChange() {
        note.text = ""
        choosesWhenRead = false
        // Who has gone back to the folder shown does not want the one that is being read meanwhile.
        guard typed.folder == wanted else { return read(typed.folder) }
        if typed.folder == folder.path { narrow() }
    }

    /// What Tab makes of the text: the longest beginning that the matching names share.
    private func completion(of text: String) -> String? {
        let (path, name) = typed
        guard path == folder.path else { return nil }
        let names = folder.entries.filter { $0.kind != .parent }
            .map { $0.kind == .folder ? $0.name + "/" : $0.name }
        guard let completed = TypedPath.completion(of: name, among: names), completed != name
        else { return nil }
        return text.hasSuffix(name) ? text.dropLast(name.count) + completed : nil
    }

    /// Takes what is typed when it names something that is there, else the chosen row.
    ///
    /// A row counts only when the list shows the folder that is typed: while that is being read, the
    /// choice waits.
    private func choose() {
        let resolved = TypedPath.resolve(field.text, in: base, home: home)
        if !field.text.isEmpty, FileManager.default.fileExists(atPath: resolved) {
            return open(typedPath: resolved)
        }
        guard typed.folder == folder.path else {
            choosesWhenRead = true
            return
        }
        guard let index = list.selectedIndex, entries.indices.contains(index) else {
            return open(typedPath: resolved)
        }
        open(entries[index])
    }

    private func open(_ entry: PhotoFolder.Entry) {
        switch entry.kind {
        case .parent, .folder: enter(entry.path)
        case .photo: pick(entry.path)
        }
    }

    /// A path that is not in the list: another kind of file, or nothing at all.
    private func open(typedPath path: String) {
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            note.text = TextLine("There is no file named “\(path)”.", .warning)
            return
        }
        if isDirectory { enter(path) } else { pick(path) }
    }

    private func enter(_ path: String) {
        base = path
        field.text = ""
        read(path)
    }

    private func pick(_ path: String) {
        dismiss { [completion] in completion(path) }
    }

    private func move(by step: Int) {
        list.select((list.selectedIndex ?? 0) + step)
    }
}

// MARK: - The folder

extension PhotoPickerViewController: ListViewDataSource, ListViewDelegate {
    private func read(_ path: String) {
        reading?.cancel()
        wanted = path
        reading = startPending { [self] in
            do throws(PhotoFolder.Unreadable) {
                let folder = try await Self.readFolder(path)
                guard !Task.isCancelled else { return }
                self.folder = folder
                narrow()
                if choosesWhenRead {
                    choosesWhenRead = false
                    choose()
                }
            } catch {
                guard !Task.isCancelled else { return }
                folder = PhotoFolder(path: path, entries: [])
                choosesWhenRead = false
                narrow()
                note.text = TextLine("\(error)", .warning)
            }
        }
    }

    @concurrent private nonisolated static func readFolder(
        _ path: String
    ) async throws(PhotoFolder.Unreadable) -> PhotoFolder {
        try PhotoFolder.read(path)
    }

    private func narrow() {
        let filter = NameFilter(query: typed.name)
        entries = folder.entries.filter { entry in
            entry.kind == .parent ? typed.name.isEmpty : filter.matches(entry.name)
        }
        list.emptyText = TextLine(
            typed.name.isEmpty ? "No JPEGs here." : "No JPEG here has “\(typed.name)” in its name.",
            .secondary)
        list.reloadData()
        // The first photo, not the way back up.
        if list.selectedIndex == 0, entries.first?.kind == .parent, entries.count > 1 {
            list.select(1)
        }
        title = "Upload a photo · \(TypedPath.shown(folder.path, home: home))"
        showPicture()
    }

    func numberOfRows(in list: ListView) -> Int { entries.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let entry = entries[index]
        switch entry.kind {
        case .parent: return ListRow(TextLine("../", .secondary))
        case .folder: return ListRow(TextLine(entry.name + "/", .accent))
        case .photo:
            return ListRow(
                TextLine(entry.name),
                columns: [ListRow.Column(Wording.byteCount(entry.byteCount), width: 7)])
        }
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        entries[index].path
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        if entries.indices.contains(index) { open(entries[index]) }
    }

    func listViewDidChangeSelection(_ list: ListView) { showPicture() }
}

// MARK: - The picture

extension PhotoPickerViewController {
    private func showPicture() {
        showing?.cancel()
        picture.image = nil
        picture.placeholder = ""
        guard split.showsSecondary, let screen = application?.screen,
            let index = list.selectedIndex, entries.indices.contains(index),
            entries[index].kind == .photo
        else { return }
        let path = entries[index].path
        let box = CellSize(columns: picture.bounds.width - 1, rows: picture.bounds.height)
        let renderer = CellRenderer.atRest(screen)
        showing = startPending { [self] in
            do throws(PictureError) {
                let cells = try await LocalPicture.render(path, fitting: box, renderer)
                guard !Task.isCancelled else { return }
                picture.image = ImageCells(cells)
            } catch {
                guard !Task.isCancelled else { return }
                picture.placeholder = TextLine("No picture: \(error.reason).", .secondary)
            }
        }
    }
}

/// Pictures of files on this machine.
enum LocalPicture {
    /// Decodes a file, no larger than needed, and renders it; off the main actor.
    static func render(
        _ path: String, fitting box: CellSize, _ renderer: CellRenderer
    ) async throws(PictureError) -> CellImage {
        let decoded = try await PictureWorkers.shared.decode(
            PictureFile(at: URL(fileURLWithPath: path)), scaledToFit: renderer.pixelSize(of: box))
        return await PictureQueue.previews.run {
            renderer.render(decoded.image, fitting: box)
        }
    }
}

extension KeyCommand {
    static let choosePhoto = KeyCommand(
        "picker.choose", keys: ["Enter"], title: "Upload the photo, or open the folder",
        label: "choose", weight: 95)
    static let nextPhoto = KeyCommand("picker.down", keys: ["Down", "^N"], title: "Down")
    static let previousPhoto = KeyCommand("picker.up", keys: ["Up", "^P"], title: "Up")
    static let nextPhotos = KeyCommand("picker.page-down", keys: ["PgDn"], title: "Page down")
    static let previousPhotos = KeyCommand("picker.page-up", keys: ["PgUp"], title: "Page up")
    static let parentFolder = KeyCommand(
        "picker.parent", keys: ["M-Up", "^O"], title: "To the folder above", label: "folder above",
        weight: 50)

    static let pickerCommands: [KeyCommand] = [
        .choosePhoto, .nextPhoto, .previousPhoto, .nextPhotos, .previousPhotos, .parentFolder,
    ]
}
