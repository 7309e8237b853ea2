internal import ClubStore
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

/// Draws a moving picture: fast while it moves, in full quality when it rests.
///
/// Characters are drawn immediately, between two keys. Pixels are rendered off the main actor, one frame at a
/// time: requests made meanwhile are combined in the next frame, and the previous frame stays visible.
@MainActor final class PicturePainter {
    private let imageView: ImageView
    private weak var owner: ViewController?

    private var picture: PictureLevels?
    private var viewport = PanoramaViewport()
    private var box = CellSize(columns: 0, rows: 0)
    private var rests = true
    /// Counts requests.
    private var requestCount = 0
    private var painting: Task<Void, Never>?
    private var refining: Task<Void, Never>?

    /// The view counts as at rest after this long without a change.
    private static let restingTime: Duration = .milliseconds(30)
    /// The pause before checking again whether the terminal has accepted a picture.
    private static let writingPause: Duration = .milliseconds(5)
    /// Separate from pictures at rest, which may take many times as long.
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
    /// - Parameter rests: Whether the next change is made by the user, not by a timer.
    func draw(
        _ picture: PictureLevels, through viewport: PanoramaViewport, filling box: CellSize,
        rests: Bool = true
    ) {
        self.rests = rests
        self.picture = picture
        self.viewport = viewport
        self.box = box
        requestCount += 1
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

    /// Draws until the latest request is shown.
    private func paint() async {
        var drawnCount = -1
        while drawnCount != requestCount, !Task.isCancelled {
            // A frame being written is not overtaken; requests made meanwhile are combined in the next one.
            while drawnCount >= 0, owner?.application?.screen.isWriting == true, !Task.isCancelled {
                try? await Pause.sleep(for: Self.writingPause)
            }
            drawnCount = requestCount
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
        // The terminal or the size has changed: the frame is obsolete.
        guard !Task.isCancelled, self.picture != nil, box == self.box, terminal == screen.pictures
        else { return }
        imageView.show(frame, on: terminal)
    }
}
