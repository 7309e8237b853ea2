internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalUI

/// Shows a panorama on the whole screen, to pan, tilt and zoom.
///
/// Drawn by a ``PicturePainter``: in pixels if the terminal shows them, else in characters. The next and the
/// previous picture are loaded in advance.
final class PanoramaViewController: ViewController {
    private(set) var photos: [RemoteFile]
    /// Those that were in the club when the viewer was opened.
    private let listed: Set<RemotePath>
    let club: Club
    let transfers: TransferCenter
    let settings: TransferSettings
    let loader: PictureLoader
    /// Called with the last photo shown when the viewer is closed.
    private let didLeave: (RemoteFile) -> Void
    private(set) var index: Int

    let canvas = PanoramaCanvas()
    let minimap = MinimapView()
    let infoLabel = Label("", alignment: .center)
    private(set) lazy var painter = PicturePainter(canvas.imageView, owner: self)

    /// The displayed picture.
    var picture: LoadedPicture?
    var viewport = PanoramaViewport()
    var box = CellSize(columns: 0, rows: 0)
    var info = Info()
    private var showsMinimap = true
    /// The terminal's picture support when this picture was drawn.
    private var terminal: PictureTerminal?
    var loading: Task<Void, Never>?
    /// The pictures of this photo and of those next to it.
    private(set) lazy var neighbors = NeighborPictures(owner: self) { [weak self] photo in
        guard let self else { throw CancellationError() }
        return try await loader.load(
            photo, original: downloadedFile(of: photo), .screen, screen: screenPixels)
    }
    var closingUp: Task<Void, Never>?
    var autoPan = AutoPan()

    init(
        _ photos: [RemoteFile], startingAt index: Int, club: Club, transfers: TransferCenter,
        settings: TransferSettings, loader: PictureLoader,
        didLeave: @escaping (RemoteFile) -> Void = { _ in }
    ) {
        self.didLeave = didLeave
        self.photos = photos
        listed = Set(photos.map(\.path).filter { club.contents[$0] != nil })
        self.index = index
        self.club = club
        self.transfers = transfers
        self.settings = settings
        self.loader = loader
        super.init()
        title = photos[index].name
    }

    var photo: RemoteFile { photos[index] }

    override var presentationStyle: PresentationStyle { .fullScreen }

    override func viewDidLoad() {
        view.addSubview(canvas)
        view.addSubview(infoLabel)
        view.addSubview(minimap)
        canvas.didDrag = { [weak self] in self?.drag(by: $0) }
        canvas.didScroll = { [weak self] isUp, point in
            self?.zoom(by: isUp ? 1.25 : 0.8, at: point)
        }
        transfers.addObserver(self)
        club.addObserver(self)
        // What a screen reader cannot see is told.
        if application?.configuration.isPlain == true { info.showsDetails = true }
    }

    override func viewDidAppear() {
        if picture == nil { load() }
    }

    override func viewDidDisappear() {
        loading?.cancel()
        neighbors.cancel()
        closingUp?.cancel()
        stopAutoPan()
        painter.stop()
        didLeave(photo)
        ProcessMemory.didShowScreen()
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        if info.isNarrow != (bounds.width < 40) {
            info.isNarrow.toggle()
            showInfo()
        }
        infoLabel.frame = area.takeTop(infoHeight(in: area))
        minimap.isHidden = !showsMinimap || area.height < 8
        if !minimap.isHidden { minimap.frame = area.takeBottom(1) }
        canvas.frame = area
        let box = CellSize(columns: area.width, rows: area.height)
        let terminal = application?.screen.pictures
        guard box != self.box || terminal != self.terminal else { return }
        // A fitted picture stays fitted.
        let wasFitted = self.box.columns == 0 || info.zoom?.isFit == true
        if terminal != self.terminal { minimap.show(picture?.levels) }
        self.box = box
        self.terminal = terminal
        if wasFitted { refit() }
        draw()
    }

    override var keyTable: KeyTable {
        let only = photos.count < 2 ? localized("There is no other photo in the list.") : nil
        let wait = picture == nil ? localized("The picture is not here yet.") : nil
        let across = isAllInSightAcross ? localized("The whole width is in sight.") : nil
        let upright = isAllInSightUpright ? localized("The whole height is in sight.") : nil
        return KeyTable(localized("Panorama")) {
            KeyCommand.panLeft.performs(unless: wait ?? across) { self.pan(-Self.step) }
            KeyCommand.panRight.performs(unless: wait ?? across) { self.pan(Self.step) }
            KeyCommand.tiltUp.performs(unless: wait ?? upright) { self.tilt(-Self.step) }
            KeyCommand.tiltDown.performs(unless: wait ?? upright) { self.tilt(Self.step) }
            KeyCommand.turnLeft.performs(unless: wait ?? across) {
                self.move { $0.turn(by: -0.25) }
            }
            KeyCommand.turnRight.performs(unless: wait ?? across) {
                self.move { $0.turn(by: 0.25) }
            }
            KeyCommand.zoomIn.performs(unless: wait) { self.move { $0.zoom(by: 1.25) } }
            KeyCommand.zoomOut.performs(unless: wait) { self.move { $0.zoom(by: 0.8) } }
            KeyCommand.fitPicture.performs(unless: wait) {
                self.fit()
                self.draw()
            }
            KeyCommand.autoPan.performs(unless: autoPan.timer == nil ? wait ?? across : wait) {
                self.toggleAutoPan()
            }
            KeyCommand.nextPicture.performs(unless: only) { self.show(self.index + 1) }
            KeyCommand.previousPicture.performs(unless: only) { self.show(self.index - 1) }
            if info.failure != nil {
                KeyCommand.retryPicture.performs { self.load() }
            }
            KeyCommand.downloadPicture.performs(unless: downloadReason) { self.download() }
            KeyCommand.showTransfers.performs {
                self.present(TransfersViewController(self.transfers))
            }
            KeyCommand.pictureInfo.performs {
                self.info.showsDetails.toggle()
                self.showInfo()
            }
            KeyCommand.showMinimap.performs {
                self.showsMinimap.toggle()
                self.view.setNeedsLayout()
                self.view.layoutIfNeeded()
                self.showInfo()
            }
            KeyCommand.closePicture.performs { self.dismiss() }
        }
    }
}

// MARK: - Another photo

extension PanoramaViewController {
    private func show(_ index: Int) {
        self.index = (index + photos.count) % photos.count
        let now = club.contents[photo.path]
        // It may have been replaced since the viewer was opened.
        if let now, now.revision != photo.revision {
            photos[self.index] = now
            neighbors.forget(now.path)
        }
        title = photo.name
        picture = nil
        info.zoom = nil
        info.isListed = now != nil || listed.contains(photo.path)
        info.isGone = now == nil && info.isListed
        closingUp?.cancel()
        stopAutoPan()
        painter.stop()
        minimap.show(nil)
        load()
    }

    /// Shows the photo's new state; the old picture stays until it is loaded.
    func replacePhoto(with now: RemoteFile) {
        photos[index] = now
        neighbors.forget(now.path)
        closingUp?.cancel()
        load()
    }
}
