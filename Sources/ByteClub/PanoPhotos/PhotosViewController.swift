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
    let memory: ListMemory
    private(set) lazy var files = FileList(.photos, of: club, memory: memory, owner: self)
    var list: ListView { files.list }
    let preview = ImageView()
    let caption = Label("", alignment: .center)
    private(set) lazy var previewPanel = Panel("", content: PreviewView(preview, caption))
    private(set) lazy var split = SplitView(files.panel, previewPanel)

    /// The cache of decoded pictures, and the club's name in it; nil for no cache.
    var pictureCache: PictureCache?
    var pictureCacheName = ""
    /// The club's own folder if it is on this computer.
    var localFolder: URL?

    var thumbnails: ThumbnailLoader?
    var previews: ThumbnailLoader?
    var previewPause: Task<Void, Never>?
    var seeing: ScheduledAction?
    private var wasFailed = false
    /// The picker's initial folder: the working directory, then the last folder used.
    var pickerFolder = FileManager.default.currentDirectoryPath
    /// The upload shown in the progress view, or whose failure is shown.
    var uploadInSight: TransferItem.ID?

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

    var selected: RemoteFile? { files.selected }
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
