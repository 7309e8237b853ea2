internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Pictures
internal import TerminalUI

/// One panorama over the whole screen, to be panned and zoomed.
///
/// Drawn by a ``PicturePainter``: in pixels where the terminal shows them, else in characters.
final class PanoramaViewController: ViewController {
    private let photos: [RemoteFile]
    private let club: Club
    private let transfers: TransferCenter
    private let settings: TransferSettings
    private var index: Int
    /// Whether the picture shown is the downloaded file itself.
    private var showsOriginal = false

    private let imageView = ImageView()
    private let infoLabel = Label("", alignment: .center)
    private var showsInfo = true
    private var image: PictureLevels?
    private lazy var painter = PicturePainter(imageView, owner: self)
    private var viewport = PanoramaViewport()
    private var box = CellSize(columns: 0, rows: 0)
    private var loading: Task<Void, Never>?
    /// How the screen showed pictures when this one was drawn.
    private var terminal: PictureTerminal?

    /// How much of the window's width one key pans.
    private static let step = 0.08

    init(
        _ photos: [RemoteFile], startingAt index: Int, club: Club, transfers: TransferCenter,
        settings: TransferSettings
    ) {
        self.photos = photos
        self.index = index
        self.club = club
        self.transfers = transfers
        self.settings = settings
        super.init()
        title = photos[index].name
    }

    override var presentationStyle: PresentationStyle { .fullScreen }

    override func viewDidLoad() {
        view.addSubview(imageView)
        view.addSubview(infoLabel)
        transfers.addObserver(self)
    }

    override func viewDidAppear() {
        if image == nil { load() }
    }

    override func viewDidDisappear() {
        loading?.cancel()
        painter.stop()
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        if showsInfo { infoLabel.frame = area.takeTop(1) }
        infoLabel.isHidden = !showsInfo
        imageView.frame = area
        let box = CellSize(columns: area.width, rows: area.height)
        let terminal = application?.screen.pictures
        guard box != self.box || terminal != self.terminal else { return }
        let isFirst = self.box.columns == 0
        self.box = box
        self.terminal = terminal
        if isFirst { fit() }
        draw()
    }

    override var keyTable: KeyTable {
        let only = photos.count < 2 ? "There is no other photo in the list." : nil
        let wait = image == nil ? "The picture is not here yet." : nil
        return KeyTable("Panorama") {
            KeyCommand.panLeft.performs(unless: wait) { self.pan(-Self.step) }
            KeyCommand.panRight.performs(unless: wait) { self.pan(Self.step) }
            KeyCommand.tiltUp.performs(unless: wait) { self.move { $0.tilt(by: -0.08) } }
            KeyCommand.tiltDown.performs(unless: wait) { self.move { $0.tilt(by: 0.08) } }
            KeyCommand.turnLeft.performs(unless: wait) { self.move { $0.turn(by: -0.25) } }
            KeyCommand.turnRight.performs(unless: wait) { self.move { $0.turn(by: 0.25) } }
            KeyCommand.zoomIn.performs(unless: wait) { self.move { $0.zoom(by: 1.25) } }
            KeyCommand.zoomOut.performs(unless: wait) { self.move { $0.zoom(by: 0.8) } }
            KeyCommand.fitPicture.performs(unless: wait) {
                self.fit()
                self.draw()
            }
            KeyCommand.nextPicture.performs(unless: only) { self.show(self.index + 1) }
            KeyCommand.previousPicture.performs(unless: only) { self.show(self.index - 1) }
            KeyCommand.downloadPicture.performs(unless: downloadReason) { self.download() }
            KeyCommand.pictureInfo.performs {
                self.showsInfo.toggle()
                self.view.setNeedsLayout()
            }
            KeyCommand.closePicture.performs { self.dismiss() }
        }
    }
}

// MARK: - Fetching

extension PanoramaViewController {
    private func show(_ index: Int) {
        self.index = (index + photos.count) % photos.count
        title = photos[self.index].name
        image = nil
        showsOriginal = false
        imageView.image = nil
        load()
    }

    private func load() {
        let photo = photos[index]
        infoLabel.text = TextLine(photo.name)
        imageView.placeholder = TextLine("Fetching the picture…", .secondary)
        loading?.cancel()
        painter.stop()
        let original = downloadedFile(of: photo)
        loading = startPending { [self] in
            do throws(StoreError) {
                if let original, let decoded = await Self.decode(original) {
                    let levels = await Self.levels(of: decoded)
                    guard !Task.isCancelled else { return }
                    return show(levels, isOriginal: true)
                }
                let data = try await club.perform { store throws(StoreError) in
                    try await Self.picture(of: photo.path, from: store)
                }
                let decoded: DecodedPicture
                do throws(PictureError) {
                    decoded = try await PictureWorkers.shared.decode(
                        PictureFile(data: data, name: photo.name))
                } catch {
                    guard !Task.isCancelled else { return }
                    return explain("It could not be shown because \(error.reason).")
                }
                let levels = await Self.levels(of: decoded)
                guard !Task.isCancelled else { return }
                show(levels, isOriginal: false)
            } catch {
                guard !Task.isCancelled else { return }
                explain(club.sentence(for: error).text)
            }
        }
    }

    private static func levels(of decoded: DecodedPicture) async -> PictureLevels {
        await PictureQueue.previews.run { PictureLevels(decoded.image) }
    }

    private func show(_ levels: PictureLevels, isOriginal: Bool) {
        // What the person looks at stays in sight when the file itself takes the preview's place.
        if image == nil || !isOriginal {
            viewport = PanoramaViewport()
            image = levels
            fit()
        }
        image = levels
        showsOriginal = isOriginal
        draw()
        showInfo()
    }

    private func showInfo() {
        let photo = photos[index]
        var words = " · \(Wording.byteCount(photo.byteCount))"
        if showsOriginal { words += " · the file itself" }
        if let item = transfer(of: photo), item.isWanted || item.state == .paused {
            words += " · \(item.arrow) \(item.words(at: Date()))"
        }
        infoLabel.text = TextLine(photo.name) + TextLine(words, .secondary)
    }

    private static func picture(
        of path: RemotePath, from store: any RemoteStore
    ) async throws(StoreError) -> Data {
        for await (_, result) in store.thumbnails(of: [path], size: .w2048h1536) {
            return try result.get()
        }
        throw StoreError(.cancelled, during: .thumbnail, at: path)
    }

    private func explain(_ sentence: String) {
        imageView.image = nil
        imageView.placeholder = TextLine(sentence, .warning)
    }
}

// MARK: - The file itself

extension PanoramaViewController: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {
        if image != nil { showInfo() }
    }

    func transferDidEnd(_ item: TransferItem, in center: TransferCenter) {
        guard item.state == .done, item.order.path == photos[index].path.string, !showsOriginal
        else { return }
        load()
    }

    private func transfer(of photo: RemoteFile) -> TransferItem? {
        transfers.items.last {
            $0.order.direction == .download && $0.order.path == photo.path.string
        }
    }

    /// Where the photo was downloaded to in the state that the club has.
    private func downloadedFile(of photo: RemoteFile) -> URL? {
        let item = transfers.items.last {
            $0.order.direction == .download && $0.state == .done
                && $0.order.path == photo.path.string
                && $0.status.revision == photo.revision.rawValue
        }
        return item.map { URL(filePath: $0.order.file) }
    }

    private var downloadReason: String? {
        guard let item = transfer(of: photos[index]) else { return nil }
        if item.isWanted { return "It is being downloaded." }
        return nil
    }

    private func download() {
        PhotoDownloads(center: transfers, settings: settings, owner: self).begin([photos[index]])
    }

    /// More pixels are of no use: the largest window shows a part of them.
    private static let pixelLimit = PixelSize(width: 4096, height: 4096)

    /// Nil when it is not there any more, or no picture: the preview is shown then.
    private static func decode(_ file: URL) async -> DecodedPicture? {
        try? await PictureWorkers.shared.decode(PictureFile(at: file), scaledToFit: pixelLimit)
    }
}

// MARK: - Moving

extension PanoramaViewController {

    private var cellAspect: Double { application?.screen.pictures.cellAspect ?? 0.5 }

    private func fit() {
        guard let image else { return }
        viewport.fit(image.largest.size, in: box, cellAspect: cellAspect)
    }

    /// Pans by a part of what is visible, so that a key feels the same at every zoom.
    private func pan(_ part: Double) {
        guard let size = image?.largest.size else { return }
        let region = viewport.region(of: size, in: box, cellAspect: cellAspect)
        move { $0.turn(by: part * region.width / Double(size.width)) }
    }

    private func move(_ change: (inout PanoramaViewport) -> Void) {
        change(&viewport)
        draw()
    }

    private func draw() {
        guard let image, box.columns > 0 else { return }
        painter.draw(image, through: viewport, filling: box)
    }
}

extension KeyCommand {
    static let panLeft = KeyCommand(
        "viewer.left", keys: ["h", "Left"], title: "Pan left", label: "left", weight: 70)
    static let panRight = KeyCommand(
        "viewer.right", keys: ["l", "Right"], title: "Pan right", label: "right", weight: 70)
    static let tiltUp = KeyCommand("viewer.up", keys: ["k", "Up"], title: "Tilt up")
    static let tiltDown = KeyCommand("viewer.down", keys: ["j", "Down"], title: "Tilt down")
    static let turnLeft = KeyCommand(
        "viewer.turn-left", keys: ["H"], title: "A quarter to the left")
    static let turnRight = KeyCommand(
        "viewer.turn-right", keys: ["L"], title: "A quarter to the right")
    static let zoomIn = KeyCommand(
        "viewer.zoom-in", keys: ["+", "="], title: "Larger", label: "zoom", weight: 65)
    static let zoomOut = KeyCommand("viewer.zoom-out", keys: ["-"], title: "Smaller")
    static let fitPicture = KeyCommand(
        "viewer.fit", keys: ["0"], title: "The whole picture", label: "fit", weight: 60)
    static let nextPicture = KeyCommand(
        "viewer.next", keys: ["n"], title: "Next picture", label: "next", weight: 62)
    static let previousPicture = KeyCommand(
        "viewer.previous", keys: ["p"], title: "Previous picture")
    static let downloadPicture = KeyCommand(
        "viewer.download", keys: ["D"], title: "Download the photo", label: "download", weight: 68)
    static let pictureInfo = KeyCommand("viewer.info", keys: ["i"], title: "Show or hide the name")
    static let closePicture = KeyCommand(
        "viewer.close", keys: ["q", "Esc"], title: "Back to the list", label: "back", weight: 98)

    static let viewerCommands: [KeyCommand] = [
        .panLeft, .panRight, .tiltUp, .tiltDown, .turnLeft, .turnRight, .zoomIn, .zoomOut,
        .fitPicture, .nextPicture, .previousPicture, .downloadPicture, .pictureInfo,
        .closePicture,
    ]
}
