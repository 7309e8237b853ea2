extension Application {
    /// The controller that is uppermost on the screen.
    public var topViewController: ViewController? {
        presentations.last?.controller ?? rootViewController
    }

    /// The controller that commands apply to: the topmost one, or the one below the palette.
    public var contextViewController: ViewController? {
        guard topViewController is CommandPaletteController else { return topViewController }
        return presentations.dropLast().last?.controller ?? rootViewController
    }

    enum FocusResult {
        case focused
        /// A dialog covers it.
        case covered
    }

    /// Makes a responder the first to get keys.
    func focus(_ responder: Responder) -> FocusResult {
        if let top = presentations.last, let view = responder as? View, !view.isDescendant(of: top)
        {
            // It gets the focus when the dialog is dismissed.
            top.previousResponder = responder
            return .covered
        }
        guard firstResponder !== responder else { return .focused }
        let old = firstResponder
        firstResponder = responder
        matcher.forget()
        (old as? View)?.focusDidChange()
        (responder as? View)?.focusDidChange()
        (responder as? View)?.superview?.focusDidMoveInside()
        setNeedsDisplay()
        return .focused
    }

    /// Moves the focus from a view that leaves the screen to the preferred view of the topmost controller,
    /// else to the controller itself.
    func dropFocus(from leaving: View) {
        let old = firstResponder
        firstResponder = topViewController
        if let successor = topViewController?.preferredFirstResponder,
            !successor.isDescendant(of: leaving),
            successor.becomeFirstResponder()
        {
            return
        }
        (old as? View)?.focusDidChange()
        setNeedsDisplay()
    }

    /// Moves the focus to a controller's preferred view.
    func focus(in controller: ViewController) {
        if let view = controller.preferredFirstResponder, view.becomeFirstResponder() { return }
        _ = focus(controller as Responder)
    }

    // MARK: - Presentation

    func present(_ controller: ViewController) {
        guard controller.presentation == nil, controller.parent == nil else { return }
        let presentation = PresentationView(controller)
        presentation.previousResponder = firstResponder
        controller.presentation = presentation
        configuration.logHandler?("presents \(Swift.type(of: controller))")
        presentations.append(presentation)
        typeAhead.didPresent(presentation, scheduler.now)
        window.addSubview(presentation)
        controller.setOnScreen(true)
        focus(in: controller)
        setNeedsDisplay()
    }

    /// Dismisses a controller, with all that were presented after it.
    func dismiss(_ presentation: PresentationView) {
        guard let index = presentations.firstIndex(where: { $0 === presentation }) else { return }
        let leaving = presentations[index...].reversed()
        let successor = presentation.previousResponder
        presentations.removeSubrange(index...)
        for presentation in leaving {
            presentation.controller.setOnScreen(false)
            presentation.controller.presentation = nil
            presentation.removeFromSuperview()
        }
        if let view = successor as? View, view.isDescendant(of: window), !view.isHidden,
            view.becomeFirstResponder()
        {
            return
        }
        if let top = topViewController { focus(in: top) }
        setNeedsDisplay()
    }
}
