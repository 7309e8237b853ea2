internal import ByteClubMessages

/// The container of a presented controller's view: dims the background, draws the box, moves the focus.
final class PresentationView: View {
    let controller: ViewController

    /// The previous first responder, which gets the focus back.
    weak var previousResponder: Responder?

    private var boxFrame: Rect = .zero

    init(_ controller: ViewController) {
        self.controller = controller
        super.init()
        addSubview(controller.view)
    }

    /// Unhandled keys go to the application, not to the views below.
    override var next: Responder? { superview }

    override func layoutSubviews() {
        switch controller.presentationStyle {
        case .fullScreen:
            boxFrame = bounds
            controller.view.frame = bounds
        case .pane:
            boxFrame = controller.paneFrame(in: bounds).intersection(bounds)
            controller.view.frame = boxFrame
        case .box:
            // The border, and an empty column on both sides if there is room.
            let air = bounds.width >= 40 ? 1 : 0
            let available = Size(
                width: max(1, bounds.width - 2 - 2 * air), height: max(1, bounds.height - 2))
            let wanted = controller.preferredSize(in: available)
            let inner = Size(
                width: min(max(1, wanted.width), available.width),
                height: min(max(1, wanted.height), available.height))
            boxFrame = placed(
                bounds.centered(Size(width: inner.width + 2 + 2 * air, height: inner.height + 2)))
            controller.view.frame = boxFrame.inset(dx: 1 + air, dy: 1)
        }
    }

    /// Places the box below the row that should stay visible, else above it, else in its usual place.
    private func placed(_ box: Rect) -> Rect {
        guard let row = controller.screenRowInSight, box.y...box.maxY ~= row else { return box }
        var moved = box
        if row + 2 + box.height <= bounds.maxY {
            moved.y = row + 2
        } else if row - 1 - box.height >= bounds.y {
            moved.y = row - 1 - box.height
        }
        return moved
    }

    override func draw(on surface: Surface) {
        guard controller.presentationStyle == .box else {
            surface.fill(boxFrame)
            return
        }
        let backdrop = surface.theme[.backdrop]
        surface.restyle(bounds) { $0.behind(backdrop) }
        surface.fill(boxFrame)
        surface.drawBorder(
            boxFrame, style: surface.theme[.focusedBorder],
            title: TextLine(controller.title, .heading))
    }

    override var keyTableSignature: Int? { controller.presentationStyle == .box ? nil : 0 }

    override var keyTable: KeyTable {
        KeyTable {
            if controller.presentationStyle == .box, controller.focusableViews.count > 1 {
                KeyCommand.nextField.performs { self.controller.focusNext() }
                KeyCommand.previousField.performs { self.controller.focusPrevious() }
            }
        }
    }

    /// Whether it covers everything below.
    var coversScreen: Bool { controller.presentationStyle != .box && boxFrame == bounds }

    /// Blocks mouse events for everything below a dialog.
    override func hitTest(_ point: Point) -> View? {
        guard !isHidden, bounds.contains(point) else { return nil }
        return super.hitTest(point) ?? self
    }
}

extension KeyCommand {
    /// Moves the focus to the next view in a dialog; after the last to the first.
    public static let nextField = KeyCommand(
        "focus.next", keys: ["Tab"], title: localized("Next field"), label: localized("next"),
        weight: 40)
    /// Moves the focus to the previous view in a dialog; before the first to the last.
    public static let previousField = KeyCommand(
        "focus.previous", keys: ["S-Tab"], title: localized("Previous field"))
}
