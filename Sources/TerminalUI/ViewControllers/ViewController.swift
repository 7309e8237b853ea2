/// Manages a screen, or a part of one: it owns a view, defines key commands, and presents other controllers.
///
/// Override ``viewDidLoad()`` to build the view, ``keyTable`` to define the key commands, and the
/// `view…Appear` methods to start and stop work that is only needed on screen.
@MainActor
open class ViewController: Responder {
    /// The title in the tab, the dialog's border or the list of contexts.
    open var title = "" {
        didSet { if title != oldValue { application?.setNeedsDisplay() } }
    }

    /// The controller that contains this one as a child; nil for the root and presented ones.
    public private(set) final weak var parent: ViewController?
    /// The controllers added by ``addChild(_:)``, in that order.
    public private(set) final var children: [ViewController] = []

    /// The container of a presented controller; nil otherwise.
    final weak var presentation: PresentationView?

    /// Whether the view is on screen: true in ``viewDidAppear()``, false in ``viewDidDisappear()``.
    public private(set) final var isOnScreen = false

    private var loadedView: View?

    public override init() { super.init() }

    // MARK: - View

    /// The controller's view, created on demand.
    public final var view: View {
        if let loadedView { return loadedView }
        let view = makeView()
        loadedView = view
        view.viewController = self
        viewDidLoad()
        return view
    }

    /// Whether ``view`` was created; does not create it.
    public final var isViewLoaded: Bool { loadedView != nil }

    /// Creates the root view; a plain one unless overridden.
    open func makeView() -> View { ContentView() }

    /// Called once, after the view was created: add subviews here.
    open func viewDidLoad() {}

    /// Places the view's subviews, when the root view is a plain one.
    open func layoutView(in bounds: Rect) {}

    /// Called each time before the view comes onto the screen.
    open func viewWillAppear() {}

    /// Called each time after the view has come onto the screen.
    open func viewDidAppear() {}

    /// Called each time after the view has left the screen.
    open func viewDidDisappear() {}

    // MARK: - Responder

    open override var next: Responder? {
        loadedView?.superview ?? parent
    }

    /// The view that gets the focus when the controller appears; the first that can, unless overridden.
    open var preferredFirstResponder: View? {
        focusableViews.first
    }

    /// The views that Tab visits, in reading order.
    public final var focusableViews: [View] {
        Self.focusable(in: view)
    }

    private static func focusable(in view: View) -> [View] {
        guard !view.isHidden else { return [] }
        if view.canBecomeFirstResponder { return [view] }
        return view.subviews.flatMap(focusable)
    }

    /// Moves the focus to the next view; after the last to the first.
    public final func focusNext() { moveFocus(by: 1) }

    /// Moves the focus to the previous view; before the first to the last.
    public final func focusPrevious() { moveFocus(by: -1) }

    private func moveFocus(by step: Int) {
        let views = focusableViews
        guard !views.isEmpty else { return }
        let current = views.firstIndex { $0.containsFirstResponder }
        let index = current.map { ($0 + step + views.count) % views.count } ?? 0
        views[index].becomeFirstResponder()
    }

    // MARK: - Children

    /// Adds a child controller. The caller adds its view.
    public final func addChild(_ child: ViewController) {
        child.parent = self
        children.append(child)
    }

    /// Removes a child controller and its view.
    public final func removeChild(_ child: ViewController) {
        guard let index = children.firstIndex(where: { $0 === child }) else { return }
        children.remove(at: index)
        child.parent = nil
        child.setOnScreen(false)
        if child.isViewLoaded { child.view.removeFromSuperview() }
    }

    /// The children that are visible when this controller is; all unless overridden.
    open var visibleChildren: [ViewController] { children }

    /// Notifies this controller and its children that they have appeared or disappeared.
    final func setOnScreen(_ isOnScreen: Bool) {
        guard self.isOnScreen != isOnScreen else { return }
        if isOnScreen {
            _ = view
            viewWillAppear()
            self.isOnScreen = true
            for child in visibleChildren { child.setOnScreen(true) }
            viewDidAppear()
        } else {
            for child in children { child.setOnScreen(false) }
            self.isOnScreen = false
            viewDidDisappear()
        }
    }

    /// Replaces one child by another in a view of this controller; for containers such as tab bars.
    public final func transition(
        from old: ViewController?, to new: ViewController, in container: View
    ) {
        guard old !== new else { return }
        if let old {
            old.setOnScreen(false)
            if old.isViewLoaded { old.view.removeFromSuperview() }
        }
        container.addSubview(new.view)
        if isOnScreen { new.setOnScreen(true) }
    }

    // MARK: - Presentation

    /// How the controller is shown when it is presented.
    open var presentationStyle: PresentationStyle { .box }

    /// A row of the screen that a dialog of this controller leaves visible if possible; nil for none.
    open var screenRowInSight: Int? { nil }

    /// The frame for ``PresentationStyle/pane``; all of `bounds` unless overridden.
    ///
    /// - Parameter bounds: The screen without the footer, from (0, 0).
    open func paneFrame(in bounds: Rect) -> Rect { bounds }

    /// Requests a new layout after its preferred size or frame has changed.
    public final func setNeedsPresentationLayout() { presentation?.setNeedsLayout() }

    /// The preferred content size of its box, at most `available`.
    open func preferredSize(in available: Size) -> Size {
        Size(width: min(60, available.width), height: min(16, available.height))
    }

    /// Presents another controller on top; it has the focus until it is dismissed.
    public final func present(_ controller: ViewController) {
        guard let application else { return }
        application.present(controller)
    }

    /// Dismisses this controller, and all presented after it. Does nothing if it was not presented.
    ///
    /// - Parameter completion: Called when the controllers below have the focus again.
    public final func dismiss(completion: (@MainActor () -> Void)? = nil) {
        guard let application, let presentation else {
            parent?.dismiss(completion: completion)
            return
        }
        application.dismiss(presentation)
        completion?()
    }
}

/// How a presented controller covers the others.
public enum PresentationStyle: Hashable, Sendable {
    /// In a framed box in the middle of the screen.
    case box
    /// Covers the screen except the footer.
    case fullScreen
    /// Covers a part of the screen; the rest stays visible without focus.
    case pane
}

/// A root view whose controller places its subviews.
final class ContentView: View {
    override var keyTableSignature: Int? { 0 }

    override func layoutSubviews() {
        viewController?.layoutView(in: bounds)
    }
}
