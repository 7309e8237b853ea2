internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

// Thumbnails and the preview.

extension PhotosViewController {
    /// Chooses the thumbnails' size for the width; called for each layout.
    func sizeDidChange() {
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
    func showPreview() {
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

extension FullSizeComment {
    var words: String { "\(width)×\(height)" }
}
