/// A rectangle of the screen that draws itself and may hold others.
///
/// A subclass overrides ``layoutSubviews()`` to place its subviews and ``draw(on:)`` to draw what is
/// its own; both see coordinates that begin at the view's upper left corner. Changes announce
/// themselves with ``setNeedsDisplay()`` or ``setNeedsLayout()``; the application draws one frame
/// for all of them.
@MainActor
open class View: Responder {
    /// The place in the superview, in cells.
    open var frame: Rect = .zero {
        didSet {
            guard frame != oldValue else { return }
            if frame.size != oldValue.size { needsLayout = true }
            setNeedsDisplay()
        }
    }

    /// The view's own rectangle: its origin is (0, 0).
    public final var bounds: Rect { Rect(size: frame.size) }

    /// The view this one lies in; nil when it was not added to any.
    public private(set) final weak var superview: View?
    /// The views in this one, the uppermost last.
    public private(set) final var subviews: [View] = []

    /// The view controller whose root view this is.
    public internal(set) final weak var viewController: ViewController?

    /// Whether it is left out of drawing, layout, clicks and Tab; a hidden view gives its keys
    /// back.
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

    /// Puts a view above the others in this one, taking it out of the view it was in.
    public final func addSubview(_ view: View) {
        guard view.superview !== self else { return }
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
        setNeedsLayout()
    }

    /// Takes the view out of its superview; if the keys were in it, they go to another view.
    public final func removeFromSuperview() {
        guard let superview else { return }
        giveKeysBack()
        superview.subviews.removeAll { $0 === self }
        superview.setNeedsLayout()
        self.superview = nil
    }

    /// A view that cannot be seen must not take keys.
    private func giveKeysBack() {
        if containsFirstResponder { application?.dropFocus(from: self) }
    }

    /// Puts the view above its siblings.
    public final func bringSubviewToFront(_ view: View) {
        guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
        subviews.append(subviews.remove(at: index))
        setNeedsDisplay()
    }

    /// Whether this is `view` or lies in it.
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

    /// Draws the view itself, beneath its subviews.
    open func draw(on surface: Surface) {}

    /// The size the view would like, at most `available`.
    open func sizeThatFits(_ available: Size) -> Size { available }

    /// Asks for a new frame.
    public final func setNeedsDisplay() {
        application?.setNeedsDisplay(of: self)
    }

    /// Asks for the subviews to be placed again before the next frame.
    public final func setNeedsLayout() {
        needsLayout = true
        setNeedsDisplay()
    }

    /// Asks for all that is inside to be placed again, too.
    final func setNeedsLayoutOfTree() {
        setNeedsLayout()
        for view in subviews { view.setNeedsLayoutOfTree() }
    }

    /// Places the subviews now if they have to be.
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

    /// Whether the view can take the keys.
    open var canBecomeFirstResponder: Bool { false }

    /// Whether this very view gets keys first.
    public final var isFirstResponder: Bool { application?.firstResponder === self }

    /// Whether this view, or one in it, takes the keys.
    public final var containsFirstResponder: Bool {
        (application?.firstResponder as? View)?.isDescendant(of: self) ?? false
    }

    /// Takes the keys. Returns false when the view may not, or is not on the screen.
    @discardableResult
    public final func becomeFirstResponder() -> Bool {
        guard canBecomeFirstResponder, let application else { return false }
        return application.focus(self) == .focused
    }

    /// Told after the view has begun or ceased to take the keys.
    open func focusDidChange() {}

    /// A view inside this one has begun to take the keys.
    func focusDidMoveInside() { superview?.focusDidMoveInside() }

    /// Where the terminal's cursor stands while the view has the keys; nil hides it.
    open var cursorPosition: Point? { nil }

    /// Where on the screen its cursor is; nil for none, or where that is cut off.
    var cursorOnScreen: Point? { cursorPosition.flatMap(onScreen) }

    /// Where on the screen a point of this view is; nil where it is cut off.
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

    /// Where the cursor stands then on a plain screen, if ``cursorPosition`` says nothing.
    open var focusPosition: Point? { .zero }

    // MARK: - Mouse

    /// The uppermost visible view at a point of this one.
    open func hitTest(_ point: Point) -> View? {
        guard !isHidden, bounds.contains(point) else { return nil }
        for view in subviews.reversed() {
            if let hit = view.hitTest(point - view.frame.origin) { return hit }
        }
        return self
    }

    /// Takes what the mouse did here; the location is in this view's cells. Returns whether it was
    /// used; if not, the superview is asked.
    open func mouse(_ event: MouseEvent) -> Bool { false }
}
