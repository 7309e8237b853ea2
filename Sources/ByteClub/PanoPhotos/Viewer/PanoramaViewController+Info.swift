internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TerminalUI

/// The line above the picture.
extension PanoramaViewController {
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

    /// The subject of the line above the picture.
    struct InfoSubject: Equatable {
        var index: Int
        var showsDetails: Bool
        var size: Size
    }

    /// The rows of the line above the picture. They do not decrease for the same picture: its size would
    /// change the zoom, the zoom the line's length, and that the picture's size.
    func infoHeight(in area: Rect) -> Int {
        let size = Size(width: area.width, height: area.height / 3)
        let needed = max(1, infoLabel.sizeThatFits(size).height)
        let subject = InfoSubject(index: index, showsDetails: info.showsDetails, size: area.size)
        info.rows = (
            subject, info.rows?.subject == subject ? max(info.rows?.count ?? 0, needed) : needed
        )
        return info.rows?.count ?? needed
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

    /// Shows the zoom and direction; called for each frame, and redraws only changes.
    func note(_ zoom: ZoomWords, heading: String?) {
        let before = (info.zoom, shownHeading)
        (info.zoom, info.heading) = (zoom, heading)
        if before != (info.zoom, shownHeading) { showInfo() }
    }

    /// The direction, if the minimap does not show it: on a small screen, or when hidden.
    private var shownHeading: String? {
        picture != nil && (minimap.isHidden || info.showsDetails) ? info.heading : nil
    }
}
