internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
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
    private let infoLabel = Label("", alignment: .center)
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
    private var bringing: Task<Void, Never>?
    /// Pictures of other photos, by their position in the list.
    private var brought: [Int: LoadedPicture] = [:]
    var closingUp: Task<Void, Never>?
    var autoPan = AutoPan()

    /// The line above the picture, and the message in place of a picture.
    struct Info {
        /// Why there is no picture.
        var failure: PictureFailure?
        var showsDetails = false
        /// How much of the picture has been fetched, if that takes a while.
        var fetched: FetchProgress?
        /// Whether it is not fetched for a preview because its download is running.
        var waitsForDownload = false
        /// The zoom and the direction.
        var zoom: ZoomWords?
        var heading: String?
        var isNarrow = false
        /// Whether the photo was ever in the club's listing, and has left it.
        var (isListed, isGone) = (false, false)
        var rows: (subject: InfoSubject, count: Int)?
    }

    /// Automatic panning; has no timer when stopped.
    struct AutoPan {
        var timer: ScheduledAction?
        var lastTick: ContinuousClock.Instant?
        /// 1 is to the right, -1 to the left.
        var direction = 1.0
    }

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
        bringing?.cancel()
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

    /// The rows of the line above the picture. They do not decrease for the same picture: its size would
    /// change the zoom, the zoom the line's length, and that the picture's size.
    private func infoHeight(in area: Rect) -> Int {
        let size = Size(width: area.width, height: area.height / 3)
        let needed = max(1, infoLabel.sizeThatFits(size).height)
        let subject = InfoSubject(index: index, showsDetails: info.showsDetails, size: area.size)
        info.rows = (
            subject, info.rows?.subject == subject ? max(info.rows?.count ?? 0, needed) : needed
        )
        return info.rows?.count ?? needed
    }

    /// The subject of the line above the picture.
    struct InfoSubject: Equatable {
        var index: Int
        var showsDetails: Bool
        var size: Size
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

// MARK: - Bringing pictures

extension PanoramaViewController {
    private func show(_ index: Int) {
        self.index = (index + photos.count) % photos.count
        let now = club.contents[photo.path]
        // It may have been replaced since the viewer was opened.
        if let now, now.revision != photo.revision {
            photos[self.index] = now
            brought[self.index] = nil
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
        brought[index] = nil
        closingUp?.cancel()
        load()
    }

    func load() {
        loading?.cancel()
        bringing?.cancel()
        (info.failure, info.fetched, info.waitsForDownload) = (nil, nil, false)
        if let here = brought[index], here.isOriginal || downloadedFile(of: photo) == nil {
            show(here)
            if here.isWhole { return bringNeighbors() }
        }
        if picture == nil {
            canvas.imageView.image = nil
            showPlaceholder(localized("Fetching the picture…"))
        }
        showInfo()
        let photo = photo
        loading = startPending { [self] in
            do {
                let (reports, report) = AsyncStream.makeStream(
                    of: FetchProgress.self, bufferingPolicy: .bufferingNewest(1))
                let showing = Task { [weak self] in
                    for await progress in reports {
                        // The next photo may be shown by now.
                        guard !Task.isCancelled, let self, self.photo.path == photo.path else {
                            return
                        }
                        show(progress)
                    }
                }
                defer { showing.cancel() }
                let loaded = try await loader.load(
                    photo, original: downloadedFile(of: photo), screen: screenPixels
                ) {
                    if !Task.isCancelled, isBetter($0) { show($0) }
                } progress: {
                    report.yield($0)
                }
                guard !Task.isCancelled else { return }
                info.fetched = nil
                show(loaded)
                bringNeighbors()
            } catch {
                guard !Task.isCancelled else { return }
                // Also replaces a sketch.
                picture = nil
                minimap.show(nil)
                minimap.place = nil
                explain(
                    error as? PictureFailure
                        ?? PictureFailure(sentence: "\(error)", mayPass: true))
            }
        }
    }

    /// The bytes of a picture that is fetched whole because the club makes no previews.
    private func show(_ progress: FetchProgress) {
        info.fetched = progress
        if waitForDownload() == .waiting { return }
        if picture == nil { showPlaceholder(progress.sentence) } else { showInfo() }
    }

    func showPlaceholder(_ text: String) {
        canvas.imageView.placeholder = TextLine(text, .secondary)
        view.setNeedsDisplay()
    }

    /// Loads the next and the previous picture, the more likely one first, and releases others.
    private func bringNeighbors() {
        guard photos.count > 1 else { return }
        let neighbors = [index + 1, index - 1].map { ($0 + photos.count) % photos.count }
        brought = brought.filter { neighbors.contains($0.key) || $0.key == index }
        if let picture { brought[index] = picture }
        bringing?.cancel()
        bringing = startPending { [self] in
            for neighbor in neighbors where brought[neighbor] == nil {
                let photo = photos[neighbor]
                guard !Task.isCancelled,
                    let loaded = try? await loader.load(
                        photo, original: downloadedFile(of: photo), .screen, screen: screenPixels)
                else { continue }
                if !Task.isCancelled { brought[neighbor] = loaded }
            }
        }
    }

    /// The number of pixels needed until the user zooms in.
    private var screenPixels: PixelSize {
        guard let screen = application?.screen else { return PixelSize(width: 0, height: 0) }
        return PictureRenderer(screen).pixelSize(of: box)
    }

    /// Whether it has more detail than the displayed one.
    private func isBetter(_ loaded: LoadedPicture) -> Bool {
        guard let picture else { return true }
        return loaded.levels.largest.size.pixelCount > picture.levels.largest.size.pixelCount
    }

    private func show(_ loaded: LoadedPicture) {
        // The visible part stays when a better picture replaces the current one.
        let isNew = picture == nil
        picture = loaded
        minimap.show(loaded.levels)
        if isNew {
            viewport = PanoramaViewport(wraps: loaded.details.wraps)
            fit()
        } else {
            viewport.wraps = loaded.details.wraps
            if info.zoom?.isFit == true { refit() }
        }
        draw()
        showInfo()
    }

    /// The direction, if the minimap does not show it: on a small screen, or when hidden.
    private var shownHeading: String? {
        picture != nil && (minimap.isHidden || info.showsDetails) ? info.heading : nil
    }

    /// Shows the zoom and direction; called for each frame, and redraws only changes.
    func note(_ zoom: ZoomWords, heading: String?) {
        let before = (info.zoom, shownHeading)
        (info.zoom, info.heading) = (zoom, heading)
        if before != (info.zoom, shownHeading) { showInfo() }
    }

    /// The reason comes first; on a small screen it may be the only visible part.
    private func explain(_ failure: PictureFailure) {
        info.failure = failure
        let advice = failure.mayPass ? localized(" r tries again.") : ""
        canvas.imageView.image = nil
        canvas.imageView.placeholder = TextLine(failure.sentence + advice, .warning)
        view.setNeedsDisplay()
    }

    func showInfo() {
        let now = Date()
        let item = transfer(of: photo).flatMap { $0.isWanted || $0.state == .paused ? $0 : nil }
        let caption = ViewerCaption(
            photo: photo, isGone: info.isGone, picture: picture.map(ViewerCaption.Picture.init),
            details: info.showsDetails ? picture?.details : nil, zoom: info.zoom,
            heading: shownHeading, fetched: info.fetched?.words,
            transfer: item.map { "\($0.arrow) \($0.words(at: now))" })
        infoLabel.text = caption.line(isNarrow: info.isNarrow, at: now)
        view.setNeedsLayout()
    }
}
