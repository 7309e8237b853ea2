internal import ClubStore
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

extension PanoramaViewController {
    /// The part of the visible area by which one key pans or tilts.
    static let step = 0.08

    private var cellAspect: Double { application?.screen.pictures.cellAspect ?? 0.5 }

    /// The size in the largest level's pixels, to which positions refer.
    private var size: PixelSize? { picture?.levels.largest.size }

    private func region(of size: PixelSize) -> PixelRegion {
        viewport.region(of: size, in: box, cellAspect: cellAspect)
    }

    func fit() {
        guard let size else { return }
        viewport.fit(size, in: box, cellAspect: cellAspect)
    }

    /// Whether panning has no effect.
    var isAllInSightAcross: Bool {
        guard !viewport.wraps, let size else { return false }
        return region(of: size).width > Double(size.width) - 0.5
    }

    /// Whether tilting has no effect.
    var isAllInSightUpright: Bool {
        guard let size else { return false }
        return region(of: size).height > Double(size.height) - 0.5
    }

    /// Adapts the view to a new window; shows the same part, or the whole picture if it was fitted.
    func refit() {
        guard let size else { return }
        let center = viewport.centerX
        viewport.fit(size, in: box, cellAspect: cellAspect)
        if viewport.wraps { viewport.turn(by: center - viewport.centerX) }
    }

    /// Pans by a part of the visible area, so that a key has the same effect at each zoom.
    func pan(_ part: Double) {
        guard let size else { return }
        let width = region(of: size).width
        move { $0.turn(by: part * width / Double(size.width)) }
    }

    func tilt(_ part: Double) {
        guard let size else { return }
        let height = region(of: size).height
        move { $0.tilt(by: part * height / Double(size.height)) }
    }

    /// Moves the picture while it is dragged.
    func drag(by cells: Point) {
        guard let size, box.columns > 0, box.rows > 0 else { return }
        let region = region(of: size)
        let across = Double(cells.x) / Double(box.columns) * region.width / Double(size.width)
        let down = Double(cells.y) / Double(box.rows) * region.height / Double(size.height)
        move {
            $0.turn(by: -across)
            $0.tilt(by: -down)
        }
    }

    /// Zooms; the point under the mouse stays in place.
    func zoom(by factor: Double, at point: Point) {
        guard let size, box.columns > 0, box.rows > 0 else { return }
        let (across, down) = (
            (Double(point.x) + 0.5) / Double(box.columns),
            (Double(point.y) + 0.5) / Double(box.rows)
        )
        let before = region(of: size)
        move { viewport in
            viewport.zoom(by: factor)
            let after = viewport.region(of: size, in: self.box, cellAspect: self.cellAspect)
            viewport.turn(
                by: (before.x + across * before.width - after.x - across * after.width)
                    / Double(size.width))
            viewport.tilt(
                by: (before.y + down * before.height - after.y - down * after.height)
                    / Double(size.height))
        }
    }

    func move(_ change: (inout PanoramaViewport) -> Void) {
        guard let size else { return }
        stopAutoPan()
        change(&viewport)
        viewport.clamp(in: size, box, cellAspect: cellAspect)
        draw()
    }

    func draw() {
        guard let picture, let size, box.columns > 0, box.rows > 0 else { return }
        painter.draw(
            picture.levels, through: viewport, filling: box, rests: autoPan.timer == nil)
        lookCloser()
        let region = region(of: size)
        let start = region.x / Double(size.width)
        let part = min(1, region.width / Double(size.width))
        let heading = MinimapView.words(
            center: viewport.centerX, wraps: viewport.wraps, heading: picture.details.heading)
        minimap.place = MinimapView.Place(
            visible: viewport.wraps ? start...start + part : max(0, start)...max(0, start) + part,
            words: heading)
        note(zoomWords(of: picture, region), heading: viewport.wraps ? heading : nil)
    }

    /// The width of the screen in pixels; in characters one per column, as with half blocks.
    private var pixelsAcross: Int {
        guard let screen = application?.screen else { return box.columns }
        let renderer = PictureRenderer(screen)
        return renderer.encoder == nil ? box.columns : box.columns * renderer.cell.width
    }

    private func zoomWords(of picture: LoadedPicture, _ region: PixelRegion) -> ZoomWords {
        let size = picture.levels.largest.size
        var fitted = viewport
        fitted.fit(size, in: box, cellAspect: cellAspect)
        // Relative to the photo, not to the loaded levels.
        let scale = Double(picture.details.size.width) / Double(max(1, size.width))
        return ZoomWords(
            viewport, fitted: fitted, shown: region.width * scale, screen: pixelsAcross)
    }

    // MARK: - Close up

    /// The maximum number of pixels loaded for a part.
    private static let closeUpLimit = 6 << 20
    private static let closeUpPause: Duration = .milliseconds(150)

    /// Loads the full resolution of the visible part, if there is more than what is loaded.
    private func lookCloser() {
        guard autoPan.timer == nil, let picture, let file = picture.original,
            let screen = application?.screen
        else {
            closingUp?.cancel()
            return
        }
        let (size, full) = (picture.levels.largest.size, picture.details.size)
        let region = region(of: size)
        let wanted = PictureRenderer(screen).pixelSize(of: box)
        guard full.width > size.width, region.width < Double(wanted.width) else {
            closingUp?.cancel()
            return
        }
        let scale = Double(full.width) / Double(size.width)
        let shown = PixelRegion(
            x: region.x * scale, y: region.y * scale, width: region.width * scale,
            height: region.height * scale)
        if let there = picture.levels.closeUp?.part, there.contains(shown, in: full) { return }
        closingUp?.cancel()
        guard let part = PicturePart(around: shown, in: full, limit: Self.closeUpLimit) else {
            return
        }
        closingUp = startPending { [weak self] in
            try? await Pause.sleep(for: Self.closeUpPause)
            guard !Task.isCancelled else { return }
            // It does not have what is in sight; two of them would be in memory.
            self?.picture?.levels.closeUp = nil
            guard
                let image = try? await PictureWorkers.shared.part(
                    part, of: PictureFile(at: file.url)),
                // A changed file would be a part of another picture.
                await PictureLoader.isUnchanged(file), !Task.isCancelled, let self,
                self.picture?.original == file
            else { return }
            self.picture?.levels.closeUp = PictureLevels.CloseUp(image, part, of: full)
            draw()
        }
    }

    // MARK: - On its own

    /// Automatic panning; has no timer when stopped.
    struct AutoPan {
        var timer: ScheduledAction?
        var lastTick: ContinuousClock.Instant?
        /// 1 is to the right, -1 to the left.
        var direction = 1.0
    }

    /// Parts of the picture's width per second: a full turn takes a minute.
    private static let autoPanSpeed = 1.0 / 60
    private static let tick: Duration = .milliseconds(50)

    func toggleAutoPan() {
        guard autoPan.timer == nil else {
            stopAutoPan()
            return draw()
        }
        guard let scheduler = application?.scheduler else { return }
        autoPan.lastTick = scheduler.now
        autoPan.timer = scheduler.schedule(after: Self.tick, repeats: true) { [weak self] in
            self?.tickAutoPan()
        }
    }

    func stopAutoPan() {
        autoPan.timer?.cancel()
        autoPan.timer = nil
        autoPan.lastTick = nil
    }

    private func tickAutoPan() {
        guard let size, let lastTick = autoPan.lastTick, let now = application?.scheduler.now else {
            return
        }
        autoPan.lastTick = now
        // Continues after a pause without a jump.
        let seconds = min(0.2, lastTick.duration(to: now) / .seconds(1))
        let before = viewport.centerX
        viewport.turn(by: autoPan.direction * Self.autoPanSpeed * seconds)
        viewport.clamp(in: size, box, cellAspect: cellAspect)
        // Reverses at the ends.
        if !viewport.wraps, abs(viewport.centerX - before) < 1e-9 {
            autoPan.direction = -autoPan.direction
        }
        draw()
    }
}
