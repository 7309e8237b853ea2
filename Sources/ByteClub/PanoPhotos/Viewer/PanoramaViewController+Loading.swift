internal import ClubStore
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

/// Loading the photo's picture, and then those of its neighbors.
extension PanoramaViewController {
    func load() {
        loading?.cancel()
        neighbors.cancel()
        (info.failure, info.fetched, info.waitsForDownload) = (nil, nil, false)
        if let here = neighbors[photo.path], here.isOriginal || downloadedFile(of: photo) == nil {
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

    private func bringNeighbors() {
        guard photos.count > 1 else { return }
        let nearby = [index + 1, index - 1].map { photos[($0 + photos.count) % photos.count] }
        neighbors.bring(nearby, beside: photo, picture)
    }

    /// The number of pixels needed until the user zooms in.
    var screenPixels: PixelSize {
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

    /// The reason comes first; on a small screen it may be the only visible part.
    private func explain(_ failure: PictureFailure) {
        info.failure = failure
        let advice = failure.mayPass ? localized(" r tries again.") : ""
        canvas.imageView.image = nil
        canvas.imageView.placeholder = TextLine(failure.sentence + advice, .warning)
        view.setNeedsDisplay()
    }
}
