internal import ClubStore
internal import Pictures
internal import TerminalPictures
internal import TerminalUI

/// Draws a picture that moves: quickly while it does, as well as can be when it rests.
///
/// Characters are drawn at once, between two keys. Pixels are drawn beside the main actor, one frame at a
/// time: what is wanted meanwhile is in the next one, and what was there before stays in sight.
@MainActor final class PicturePainter {
    private let imageView: ImageView
    private weak var owner: ViewController?

    private var picture: PictureLevels?
    private var viewport = PanoramaViewport()
    private var box = CellSize(columns: 0, rows: 0)
    private var rests = true
    /// Counts what was wanted.
    private var wish = 0
    private var painting: Task<Void, Never>?
    private var refining: Task<Void, Never>?

    /// The view counts as at rest after this long without a change.
    private static let restingTime: Duration = .milliseconds(30)
    /// Until the terminal is looked at again that has not taken a picture yet.
    private static let writingPause: Duration = .milliseconds(5)
    /// Not behind a picture at rest, which may take many times as long.
    private static let movingPictures = PictureQueue(label: "byteclub.pictures.moving")

    init(_ imageView: ImageView, owner: ViewController) {
        self.imageView = imageView
        self.owner = owner
    }

    func stop() {
        painting?.cancel()
        refining?.cancel()
        painting = nil
        refining = nil
        picture = nil
    }

    /// Draws a part of a picture.
    ///
    /// - Parameter rests: Whether the next change comes when a person wants it, not on its own.
    func draw(
        _ picture: PictureLevels, through viewport: PanoramaViewport, filling box: CellSize,
        rests: Bool = true
    ) {
        self.rests = rests
        self.picture = picture
        self.viewport = viewport
        self.box = box
        wish += 1
        refining?.cancel()
        guard let screen = owner?.application?.screen else { return }
        let renderer = PictureRenderer(screen)
        if renderer.encoder == nil {
            painting?.cancel()
            painting = nil
            let frame = renderer.frame(
                of: picture, through: viewport, filling: box, for: .moving, id: 0)
            imageView.show(frame, on: screen.pictures)
            refine()
        } else if painting == nil {
            painting = owner?.startPending { [weak self] in await self?.paint() }
        }
    }

    /// Draws until what is shown is what is wanted.
    private func paint() async {
        var drawn = -1
        while drawn != wish, !Task.isCancelled {
            // One that is on its way is not overtaken; what is wanted meanwhile is in the next one.
            while drawn >= 0, owner?.application?.screen.isWriting == true, !Task.isCancelled {
                try? await Pause.sleep(for: Self.writingPause)
            }
            drawn = wish
            await paint(.moving, on: Self.movingPictures)
        }
        guard !Task.isCancelled else { return }
        painting = nil
        refine()
    }

    private func refine() {
        guard rests else { return }
        refining = owner?.startPending { [weak self] in
            try? await Pause.sleep(for: Self.restingTime)
            guard !Task.isCancelled else { return }
            await self?.paint(.resting, on: .previews)
        }
    }

    private func paint(_ motion: PictureMotion, on queue: PictureQueue) async {
        guard let picture, let screen = owner?.application?.screen else { return }
        let (renderer, terminal) = (PictureRenderer(screen), screen.pictures)
        let scale = renderer.scale(
            for: motion, filling: box, bytesPerSecond: screen.pictureRate)
        let (viewport, box, id) = (viewport, box, Graphic.makeID())
        let frame = await queue.run {
            renderer.frame(
                of: picture, through: viewport, filling: box, for: motion, id: id, scale: scale)
        }
        // For another terminal, or another size, it is of no use.
        guard !Task.isCancelled, self.picture != nil, box == self.box, terminal == screen.pictures
        else { return }
        imageView.show(frame, on: terminal)
    }
}
