internal import ByteClubMessages

/// The root of all views: contains the root controller's view, the presented ones and the footer.
final class Window: View {
    weak var owner: Application?
    /// The view that took the last press, until the button is released.
    weak var mouseView: View?
    /// What was in front then; nil for the root.
    weak var mouseLayer: PresentationView?

    /// The minimum size to work in.
    static let smallestSize = Size(width: 20, height: 6)

    let footer = FooterBar()

    override init() {
        super.init()
        addSubview(footer)
    }

    override var application: Application? { owner }

    override var next: Responder? { owner }

    override var keyTableSignature: Int? { 0 }

    override func layoutSubviews() {
        var area = bounds
        footer.isHidden = owner?.configuration.showsFooter == false
        if !footer.isHidden { footer.frame = area.takeBottom(1) }
        for view in subviews where view !== footer { view.frame = area }
    }

    func drawTooSmall(on surface: Surface) {
        let size = Self.smallestSize
        let text = TextLine(localized("Too small: needs \(size.width)×\(size.height)"), .warning)
        let lines = text.wrapped(columns: bounds.width)
        let top = max(0, (bounds.height - lines.count) / 2)
        for (index, line) in lines.enumerated() {
            surface.draw(
                line, in: Rect(x: 0, y: top + index, width: bounds.width, height: 1),
                alignment: .center)
        }
    }
}
