internal import ByteClubMessages
internal import ByteClubPictures

/// A picture's zoom in one word: `fit`, `1:1`, `250 %`.
struct ZoomWords: Equatable {
    /// Whether the whole picture is visible at the largest possible size.
    var isFit: Bool
    /// Screen pixels per photo pixel; nil before anything is shown.
    var scale: Double?

    /// - Parameters:
    ///   - viewport: The current view.
    ///   - fitted: The same, fitted to the window.
    ///   - shown: The width of the window in the photo's own pixels.
    ///   - screen: The width of the window in screen pixels.
    init(_ viewport: PanoramaViewport, fitted: PanoramaViewport, shown: Double, screen: Int) {
        isFit = abs(viewport.zoom - fitted.zoom) < 0.005 * fitted.zoom
        scale = shown > 0 ? Double(screen) / shown : nil
    }

    /// For the line above the picture.
    var short: String { isFit ? localized("fit", context: "zoom") : figure }

    /// For the details: which part of the photo's pixels is visible when it fits.
    var long: String {
        isFit
            ? localized("zoom \(figure), the whole picture") : localized("zoom \(figure)")
    }

    private var figure: String {
        guard let scale else { return "…" }
        let percent = scale * 100
        if abs(percent - 100) < 0.5 { return "1:1" }
        guard percent < 9.95 else { return "\(Int(min(percent, 1e9).rounded()))%" }
        let tenths = max(1, Int((percent * 10).rounded()))
        return "\(tenths / 10).\(tenths % 10)%"
    }
}
