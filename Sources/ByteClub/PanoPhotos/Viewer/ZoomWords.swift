internal import Messages
internal import Pictures

/// How large a picture is shown, in a word: `fit`, `1:1`, `250 %`.
struct ZoomWords: Equatable {
    /// Whether the whole picture is in sight, as large as it can be.
    var isFit: Bool
    /// Pixels of the screen for one of the photo, each way; nil before anything is shown.
    var scale: Double?

    /// - Parameters:
    ///   - viewport: What is looked at.
    ///   - fitted: The same with the whole picture in sight.
    ///   - shown: How many of the photo's own pixels the window is wide.
    ///   - screen: How many pixels of the screen it is wide.
    init(_ viewport: PanoramaViewport, fitted: PanoramaViewport, shown: Double, screen: Int) {
        isFit = abs(viewport.zoom - fitted.zoom) < 0.005 * fitted.zoom
        scale = shown > 0 ? Double(screen) / shown : nil
    }

    /// In the line above the picture.
    var short: String { isFit ? localized("fit", context: "zoom") : figure }

    /// Among the details: what share of the photo's pixels is seen when it fits.
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
