internal import TerminalUI

/// The picture under the mouse: the wheel zooms at the pointer, dragging moves the picture.
final class PanoramaCanvas: View {
    let imageView = ImageView()
    /// Called with the distance in cells by which the picture was dragged.
    var didDrag: ((Point) -> Void)?
    /// Called with the wheel's direction (up enlarges) and the cell under the pointer.
    var didScroll: ((_ isUp: Bool, Point) -> Void)?

    private var dragPlace: Point?

    override init() {
        super.init()
        addSubview(imageView)
    }

    override func layoutSubviews() { imageView.frame = bounds }

    override func mouse(_ event: MouseEvent) -> Bool {
        switch event.action {
        case .press where event.button == .left: dragPlace = event.location
        case .drag where event.button == .left:
            if let dragPlace { didDrag?(event.location - dragPlace) }
            dragPlace = event.location
        case .release: dragPlace = nil
        case .scrollUp: didScroll?(true, event.location)
        case .scrollDown: didScroll?(false, event.location)
        default: return false
        }
        return true
    }

    /// The picture covers the view but does not handle the mouse.
    override func hitTest(_ point: Point) -> View? {
        isHidden || !bounds.contains(point) ? nil : self
    }
}
