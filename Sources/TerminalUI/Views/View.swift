/// A rectangle of the screen that draws itself and may contain others.
///
/// A subclass overrides ``layoutSubviews()`` to place its subviews and ``draw(on:)`` to draw its own
/// contents; both use coordinates relative to the view's upper left corner. Changes are announced with
/// ``setNeedsDisplay()`` or ``setNeedsLayout()``; the application draws one frame for all of them.
@MainActor
open class View: Responder {
    /// The position in the superview, in cells.
    open var frame: Rect = .zero {
        didSet {
            guard frame != oldValue else { return }
            if frame.size != oldValue.size { needsLayout = true }
            setNeedsDisplay()
        }
    }

    /// The view's own rectangle: its origin is (0, 0).
    public final var bounds: Rect { Rect(size: frame.size) }

    /// The view that contains this one; nil if there is none.
    public private(set) final weak var superview: View?
    /// The contained views, topmost last.
    public private(set) final var subviews: [View] = []

    /// The view controller whose root view this is.
    public internal(set) final weak var viewController: ViewController?

    /// Whether it is excluded from drawing, layout, clicks and Tab; a hidden view loses the focus.
    public final var isHidden = false {
        didSet {
            guard isHidden != oldValue else { return }
            if isHidden { giveKeysBack() }
            superview?.setNeedsLayout()
        }
    }

    private var needsLayout = true

    public override init() { super.init() }

    // MARK: - Hierarchy

    /// Adds a view above the others, removing it from its previous superview.
    public final func addSubview(_ view: View) {
        guard view.superview !== self else { return }
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
        setNeedsLayout()
    }

    /// Removes the view from its superview; if it contains the focus, that moves to another view.
    public final func removeFromSuperview() {
        guard let superview else { return }
        giveKeysBack()
        superview.subviews.removeAll { $0 === self }
        superview.setNeedsLayout()
        self.superview = nil
    }

    /// An invisible view must not have the focus.
    private func giveKeysBack() {
        if containsFirstResponder { application?.dropFocus(from: self) }
    }

    /// Moves the view above its siblings.
    public final func bringSubviewToFront(_ view: View) {
        guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
        subviews.append(subviews.remove(at: index))
        setNeedsDisplay()
    }

    /// Whether this is `view` or inside it.
    public final func isDescendant(of view: View) -> Bool {
        var candidate: View? = self
        while let current = candidate {
            if current === view { return true }
            candidate = current.superview
        }
        return false
    }

    open override var next: Responder? { viewController ?? superview }

    // MARK: - Layout and drawing

    /// Places the subviews; the view's size is known.
    open func layoutSubviews() {}

    /// Draws the view itself, below its subviews.
    open func draw(on surface: Surface) {}

    /// The preferred size, at most `available`.
    open func sizeThatFits(_ available: Size) -> Size { available }

    /// Requests a new frame.
    public final func setNeedsDisplay() {
        application?.setNeedsDisplay(of: self)
    }

    /// Requests a layout of the subviews before the next frame.
    public final func setNeedsLayout() {
        needsLayout = true
        setNeedsDisplay()
    }

    /// Requests a layout of all nested views, too.
    final func setNeedsLayoutOfTree() {
        setNeedsLayout()
        for view in subviews { view.setNeedsLayoutOfTree() }
    }

    /// Places the subviews now if necessary.
    public final func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
        }
        for view in subviews where !view.isHidden { view.layoutIfNeeded() }
    }

    final func drawTree(on surface: Surface) {
        draw(on: surface)
        for view in subviews { view.drawInSuperview(on: surface) }
    }

    final func drawInSuperview(on surface: Surface) {
        guard !isHidden, !frame.isEmpty else { return }
        surface.inside(frame) { drawTree(on: surface) }
    }

    /// A point of this view in the coordinates of the screen.
    public final func convertToScreen(_ point: Point) -> Point {
        var point = point
        var view: View? = self
        while let current = view {
            point = point + current.frame.origin
            view = current.superview
        }
        return point
    }

    // MARK: - Focus

    /// Whether the view can get the focus.
    open var canBecomeFirstResponder: Bool { false }

    /// Whether this view itself has the focus.
    public final var isFirstResponder: Bool { application?.firstResponder === self }

    /// Whether this view, or one inside it, has the focus.
    public final var containsFirstResponder: Bool {
        (application?.firstResponder as? View)?.isDescendant(of: self) ?? false
    }

    /// Moves the focus to this view. Returns false if it cannot have it, or is not on screen.
    @discardableResult
    public final func becomeFirstResponder() -> Bool {
        guard canBecomeFirstResponder, let application else { return false }
        return application.focus(self) == .focused
    }

    /// Called after the view has gained or lost the focus.
    open func focusDidChange() {}

    /// A view inside this one has gained the focus.
    func focusDidMoveInside() { superview?.focusDidMoveInside() }

    /// The position of the terminal's cursor while the view has the focus; nil hides it.
    open var cursorPosition: Point? { nil }

    /// The position of its cursor on the screen; nil for none, or if it is clipped.
    var cursorOnScreen: Point? { cursorPosition.flatMap(onScreen) }

    /// The position on the screen of a point of this view; nil if it is clipped.
    func onScreen(_ point: Point) -> Point? {
        var point = point
        var candidate: View? = self
        while let view = candidate {
            guard !view.isHidden, view.bounds.contains(point) else { return nil }
            point = point + view.frame.origin
            candidate = view.superview
        }
        return point
    }

    /// The position of the cursor on a plain screen, if ``cursorPosition`` is nil.
    open var focusPosition: Point? { .zero }

    // MARK: - Mouse

    /// The topmost visible view at a point of this one.
    open func hitTest(_ point: Point) -> View? {
        guard !isHidden, bounds.contains(point) else { return nil }
        for view in subviews.reversed() {
            if let hit = view.hitTest(point - view.frame.origin) { return hit }
        }
        return self
    }

    /// Handles a mouse event, with the location in this view's cells. Returns whether it was handled; if not,
    /// the superview gets it.
    open func mouse(_ event: MouseEvent) -> Bool { false }
}
