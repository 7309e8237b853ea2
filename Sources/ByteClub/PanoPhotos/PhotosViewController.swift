internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

/// The PanoPhotos tab: the club's panoramas, with thumbnails that appear as they arrive.
final class PhotosViewController: ViewController {
    let club: Club
    let transfers: TransferCenter
    /// Applies to transfers started from now on.
    var transferSettings: TransferSettings
    private let memory: ListMemory
    private(set) lazy var files = FileList(.photos, of: club, memory: memory, owner: self)
    private var list: ListView { files.list }
    private let preview = ImageView()
    private let caption = Label("", alignment: .center)
    private lazy var previewPanel = Panel("", content: PreviewView(preview, caption))
    private lazy var split = SplitView(files.panel, previewPanel)

    /// The cache of decoded pictures, and the club's name in it; nil for no cache.
    var pictureCache: PictureCache?
    var pictureCacheName = ""
    /// The club's own folder if it is on this computer.
    var localFolder: URL?

    private var thumbnails: ThumbnailLoader?
    private var previews: ThumbnailLoader?
    private var previewPause: Task<Void, Never>?
    private var seeing: ScheduledAction?
    private var wasFailed = false
    /// The picker's initial folder: the working directory, then the last folder used.
    var pickerFolder = FileManager.default.currentDirectoryPath
    /// The upload shown in the progress view, or whose failure is shown.
    var uploadInSight: TransferItem.ID?
    /// The uploads that have ended since none was under way.
    private var ended = (uploads: 0, downloads: 0)

    init(
        club: Club, memory: ListMemory, transfers: TransferCenter,
        settings: TransferSettings = TransferSettings()
    ) {
        self.club = club
        self.memory = memory
        self.transfers = transfers
        transferSettings = settings
        super.init()
        title = localized("PanoPhotos")
    }

    override func makeView() -> View {
        PhotosView(split) { [weak self] in self?.sizeDidChange() }
    }

    override func viewDidLoad() {
        list.activationLabel = localized("view")
        files.delegate = self
        split.didChangeVisibility = { [weak self] _ in self?.showPreview() }
        club.addObserver(self)
        transfers.addObserver(self)
        files.start()
    }

    override var preferredFirstResponder: View? { list }

    override func viewDidAppear() { showPreview() }

    override var keyTable: KeyTable {
        KeyTable(localized("PanoPhotos")) {
            KeyCommand.uploadPhoto.performs { self.pickPhotos() }
            KeyCommand.downloadPhotos.performs(
                unless: selected == nil ? localized("No photo is selected.") : nil
            ) { self.downloads.begin(self.files.targets.compactMap(\.file)) }
            KeyCommand.copyPhotoName.performs(
                unless: selected == nil ? localized("No photo is selected.") : nil
            ) { self.files.copyNames() }
            files.keyEntries
        }
    }

    /// Handles files dropped onto the terminal.
    override func paste(_ text: String) -> Bool {
        guard PastedPaths.begins(text) else { return false }
        pickPhotos(taking: text)
        return true
    }

    private var selected: RemoteFile? { files.selected }
}

// MARK: - The list

extension PhotosViewController: ClubObserver, FileListDelegate {
    func clubDidChange(_ club: Club) {
        let isFailed = if case .failed = club.connection { true } else { false }
        if wasFailed, !isFailed {
            thumbnails?.retryFailures()
            previews?.retryFailures()
        }
        wasFailed = isFailed
    }

    var emptyListText: String { localized("No panoramas yet: press u to upload one.") }

    func fileList(_ files: FileList, rowFor photo: RemoteFile) -> ListRow {
        let size = Wording.byteCount(photo.byteCount)
        guard list.rowHeight > 1 else {
            return ListRow(TextLine(photo.name), columns: [ListRow.Column(size, width: 7)])
        }
        var facts = [size, files.age(of: photo)].map { TextLine($0, .secondary) }
        var details: [TextLine] = []
        var (image, graphic): (ImageCells?, Graphic?)
        switch thumbnails?.state(of: photo) {
        case .loaded(let picture):
            (image, graphic) = (picture.cells, picture.graphic)
            if let size = picture.fullSize {
                let words = TextLine(size.words, .secondary)
                if list.rowHeight > 2 {
                    details.append(words)
                } else {
                    facts.append(words)
                }
            }
        case .unavailable(let reason): facts.insert(TextLine(reason, .warning), at: 0)
        case .loading, nil: facts.append(TextLine("…", .secondary))
        }
        return ListRow(
            TextLine(photo.name), facts: facts, details: details, image: image, graphic: graphic)
    }

    func fileList(_ files: FileList, didActivate photo: RemoteFile) {
        view(photo, among: files.shownFiles)
    }

    /// How to view a photo of the club; nil if it is not there.
    func viewing(_ path: RemotePath) -> (() -> Void)? {
        guard let photo = club.contents[path] else { return nil }
        return { [weak self] in
            guard let self else { return }
            files.reveal(path)
            let shown = files.shownFiles
            view(photo, among: shown.contains { $0.path == path } ? shown : [photo])
        }
    }

    private func view(_ photo: RemoteFile, among photos: [RemoteFile]) {
        guard let index = photos.firstIndex(where: { $0.path == photo.path }) else { return }
        files.see([photo])
        present(
            PanoramaViewController(
                photos, startingAt: index, club: club, transfers: transfers,
                settings: transferSettings,
                loader: PictureLoader(
                    club: club, cache: pictureCache, clubName: pictureCacheName,
                    folder: localFolder)
            ) { [weak self] in self?.list.select(identity: $0.path) })
    }

    func fileListDidChangeSelection(_ list: FileList) { showPreview() }

    func fileListWillRefresh(_ list: FileList) {
        thumbnails?.retryFailures()
        previews?.retryFailures()
    }
}

// MARK: - Pictures

extension PhotosViewController {
    /// Chooses the thumbnails' size for the width; called for each layout.
    private func sizeDidChange() {
        guard let screen = application?.screen else { return }
        let width = list.bounds.width
        let box: CellSize? =
            switch width {
            case ..<30: nil
            case ..<56: CellSize(columns: 14, rows: 2)
            default: CellSize(columns: 24, rows: 3)
            }
        let imageSize = box.map { Size(width: $0.columns, height: $0.rows) }
        // Replies of the terminal may have changed how pictures are shown.
        let terminal = screen.pictures
        if list.imageSize != imageSize || thumbnails?.terminal != terminal {
            list.imageSize = imageSize
            list.rowHeight = box?.rows ?? 1
            thumbnails?.cancel()
            thumbnails = box.map { box in
                // If pixels cover cells, all of them would be sent again at each step through the list.
                let renderer =
                    terminal.format == .kitty
                    ? PictureRenderer(screen)
                    : PictureRenderer(moving: .moving(screen), resting: .atRest(screen))
                let loader = ThumbnailLoader(
                    club: club, size: .w256h256, renderer: renderer, on: terminal, box: box)
                loader.onArrival = { [weak self] in self?.list.setNeedsDisplay() }
                return loader
            }
        }
        let pane = preview.bounds
        let paneBox = CellSize(columns: pane.width, rows: pane.height)
        if split.showsSecondary, !pane.isEmpty,
            previews?.box != paneBox || previews?.terminal != terminal
        {
            previews?.cancel()
            let loader = ThumbnailLoader(
                club: club, renderer: PictureRenderer(screen), on: terminal, filling: paneBox,
                capacity: 12)
            loader.onArrival = { [weak self] in self?.fillPreview() }
            previews = loader
            showPreview()
        }
    }

    /// A photo shown for this long counts as seen.
    private static let lookingTime: Duration = .seconds(1)

    /// While moving quickly through the list, only the last photo is fetched.
    private func showPreview() {
        guard split.showsSecondary, isOnScreen else { return }
        seeing?.cancel()
        guard let photo = selected else {
            preview.image = nil
            preview.placeholder = ""
            caption.text = ""
            previewPanel.title = ""
            return
        }
        previewPanel.title = TextLine(photo.name, .heading)
        showCaption(of: photo)
        previewPause?.cancel()
        previewPause = startPending { [weak self] in
            try? await Pause.sleep(for: .milliseconds(40))
            if !Task.isCancelled { self?.fillPreview() }
        }
    }

    /// Its size in bytes, in pixels if known, and its age.
    private func showCaption(of photo: RemoteFile) {
        let size = (thumbnails?.picture(of: photo) ?? previews?.picture(of: photo))?.fullSize
        let words = [Wording.byteCount(photo.byteCount), size?.words, files.age(of: photo)]
        caption.text = TextLine(
            words.compactMap { $0 }.joined(separator: " · "), .secondary)
    }

    private func fillPreview() {
        guard let photo = selected, let previews else { return }
        defer { showCaption(of: photo) }
        switch previews.state(of: photo) {
        case .loading:
            preview.image = nil
            preview.placeholder = TextLine("…", .secondary)
        case .loaded(let picture):
            preview.show(picture.cells, picture.graphic)
            guard memory.seen.isUnread(photo) else { return }
            seeing?.cancel()
            seeing = application?.scheduler.schedule(after: Self.lookingTime) { [weak self] in
                self?.files.see([photo])
            }
        case .unavailable(let reason):
            preview.image = nil
            // In a list the reason stands alone.
            let words =
                reason == localized("no picture")
                ? localized("No picture: Enter says why.") : localized("No picture: \(reason).")
            preview.placeholder = TextLine(words, .secondary)
        }
    }
}

// MARK: - Transfers

extension PhotosViewController: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {}

    func transferDidEnd(_ item: TransferItem, in center: TransferCenter) {
        if item.order.direction == .upload, item.state != .done, uploadsLeft == 0 {
            ended.uploads = 0
        }
        switch (item.order.direction, item.state) {
        case (.upload, .done):
            guard let path = item.status.path.flatMap({ try? RemotePath(validating: $0) }) else {
                return
            }
            _ = startPending { [self] in
                if let file = await club.look(at: path) { memory.see([file]) }
                files.pathToSelect = path
                files.reload()
                showUploadSentence(path.name)
                club.askForAccountAgain()
            }
        case (.download, .done):
            showDownloadSentence(item)
        case (_, .failed):
            // The view on the screen shows the failure.
            guard item.id != uploadInSight,
                !(application?.topViewController is TransfersViewController)
            else { return }
            application?.showMessage(
                localized("“\(item.shownName)” failed: w shows why, and tries again."), .warning,
                for: .seconds(20))
        default: break
        }
    }
}

extension PhotosViewController {
    private var uploadsLeft: Int {
        transfers.wantedItems.count { $0.order.direction == .upload }
    }

    /// Says that a download has ended: by its name, or how many it were if several ran one after another.
    private func showDownloadSentence(_ item: TransferItem) {
        ended.downloads += 1
        application?.showMessage(
            ended.downloads == 1
                ? localized("“\(item.fileName)” is in \(item.folderWords).")
                : localized("\(ended.downloads) photos are in \(item.folderWords)."), .success)
        if !transfers.wantedItems.contains(where: { $0.order.direction == .download }) {
            ended.downloads = 0
        }
    }

    /// Says that an upload has ended: by its name, or how many it were if several ran one after another.
    private func showUploadSentence(_ name: String) {
        ended.uploads += 1
        let left = uploadsLeft
        let failureCount = transfers.failedUploadCount
        let what =
            ended.uploads == 1
            ? "“\(name)”" : localized("\(ended.uploads) photos")
        let sentence =
            if failureCount > 0 {
                localized("In the club: \(what); \(failureCount) failed: w shows why.")
            } else if left > 0 {
                localized("In the club: \(what); \(left) to go.")
            } else if ended.uploads > 1 {
                localized("In the club: \(what).")
            } else {
                localized("“\(name)” is in the club.")
            }
        application?.showMessage(sentence, failureCount == 0 ? .success : .warning)
        if left == 0 { ended.uploads = 0 }
    }
}

extension FullSizeComment {
    fileprivate var words: String { "\(width)×\(height)" }
}

extension TransferItem {
    /// The name on this computer, which may differ from the name in the club.
    fileprivate var fileName: String { URL(filePath: order.file).lastPathComponent }

    /// `~/Pictures`.
    fileprivate var folderWords: String {
        let folder = URL(filePath: order.file).deletingLastPathComponent().path
        guard folder != TypedPath.home else { return localized("your home folder") }
        return TypedPath.shown(folder)
    }
}

extension KeyCommand {
    static let uploadPhoto = KeyCommand(
        "photos.upload", keys: ["u", "+"], title: localized("Upload photos"),
        label: localized("upload"), weight: 90)
    static let downloadPhotos = KeyCommand(
        "photos.download", keys: ["D"], title: localized("Download the marked photos, or this one"),
        label: localized("download"), weight: 70)
    static let copyPhotoName = KeyCommand(
        "photos.copy", keys: ["y"], title: localized("Copy the name to the clipboard"),
        label: localized("copy name"),
        weight: 28)

    static let photosCommands: [KeyCommand] = [
        .uploadPhoto, .downloadPhotos, .copyPhotoName, .renamePhoto, .deletePhoto, .undeletePhoto,
    ]
}

/// The split view; reports when it was laid out.
private final class PhotosView: View {
    private let split: SplitView
    private let didLayout: () -> Void

    init(_ split: SplitView, didLayout: @escaping () -> Void) {
        self.split = split
        self.didLayout = didLayout
        super.init()
        addSubview(split)
    }

    override func layoutSubviews() {
        split.frame = bounds
        split.layoutIfNeeded()
        didLayout()
    }
}

/// A picture with a caption.
private final class PreviewView: View {
    private let image: ImageView
    private let caption: Label

    init(_ image: ImageView, _ caption: Label) {
        self.image = image
        self.caption = caption
        super.init()
        addSubview(image)
        addSubview(caption)
    }

    override func layoutSubviews() {
        var area = bounds
        caption.frame = area.takeBottom(1)
        image.frame = area
    }
}
