internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

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
    private(set) lazy var pictures = PickerPictures(beside: list, owner: self)
    private lazy var split = SplitView(list, pictures.view, minimumWidth: 84, fraction: 0.6)
    /// The line below the list.
    let notice = Label("")

    /// The last folder read, and its displayed entries.
    var folder: PhotoFolder
    var entries: [PhotoFolder.Entry] = []
    private(set) var choices: PickerChoices
    var filter = NameFilter()
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

    /// - Parameters:
    ///   - pasted: The text dropped onto the list below.
    ///   - completion: Called after the dialog was dismissed.
    init(
        startingIn path: String, keepsOriginals: Bool = false, taking pasted: String? = nil,
        completion: @escaping (PhotoSelection) -> Void
    ) {
        self.completion = completion
        choices = PickerChoices(keepsOriginals: keepsOriginals)
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
        for part in [field, split, notice] { view.addSubview(part) }
    }

    override func viewDidAppear() {
        read(base)
        if let pastedBefore { take(pastedBefore) }
        pastedBefore = nil
    }

    override func viewDidDisappear() {
        reading?.cancel()
        taking?.cancel()
        pictures.cancel()
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
        notice.frame = area.takeBottom(area.height > 4 || !notice.text.text.isEmpty ? 1 : 0)
        split.frame = area
        split.layoutIfNeeded()
        pictures.prepareThumbnails(for: entries)
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
                label: choices.showsHidden ? localized("hide") : localized("hidden")
            ) {
                self.toggleHidden()
            }
            KeyCommand.keepOriginals.performs(
                label: choices.keepsOriginals ? localized("re-encode") : localized("original")
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
            paths: targets, keepsOriginals: choices.keepsOriginals, folder: folder.path)
        guard !selection.paths.isEmpty else { return }
        dismiss { [completion] in completion(selection) }
    }

    func showPicture() { pictures.show(split.showsSecondary ? selected : nil) }

    private func cycleOrder() {
        choices.order = choices.order.next
        showEntries(filter)
        showNotice("")
    }

    private func toggleHidden() {
        choices.showsHidden.toggle()
        showEntries(filter)
        showNotice("")
    }

    private func toggleOriginals() {
        choices.keepsOriginals.toggle()
        showNotice("")
    }
}
