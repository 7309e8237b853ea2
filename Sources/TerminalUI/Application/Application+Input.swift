internal import ByteClubMessages

extension Application {
    /// The responders for a key, in order: from the focused view, or the topmost controller.
    public var responderChain: [Responder] {
        let first: Responder? = firstResponder ?? topViewController
        return first?.chain ?? [self]
    }

    /// Handles an event of the terminal, and draws.
    public func handle(_ event: InputEvent) {
        idle.noteWork()
        switch event {
        case .key(let press): handle(press)
        case .paste(let text):
            matcher.forget()
            _ = responderChain.contains { $0.paste(text) }
        case .mouse(let event):
            matcher.forget()
            handle(event)
        case .reply(let reply):
            switch screen.receive(reply) {
            case .none: break
            case .changed: terminalDidChange()
            case .changedBackground: backgroundDidChange()
            }
        }
    }

    /// Redraws everything with the terminal's current properties.
    private func terminalDidChange() {
        adoptTheme()
        layers.beneath = nil
        screen.invalidate()
        window.setNeedsLayoutOfTree()
        setNeedsDisplay()
    }

    /// Redraws what depends on the background, without clearing cells first, so that nothing flickers.
    private func backgroundDidChange() {
        adoptTheme()
        layers.beneath = nil
    }

    /// Presses keys by name, e.g. `press("g g")`; for tests.
    public func press(_ sequence: KeySequence) {
        for press in sequence.presses { handle(.key(press)) }
    }

    /// Writes text as if it were typed, a key for each character; for tests.
    public func type(_ text: String) {
        for scalar in text.unicodeScalars {
            handle(.key(scalar == "\n" ? KeyPress(.enter) : .character(scalar)))
        }
    }

    private func handle(_ press: KeyPress) {
        let hadPending = !matcher.pending.isEmpty
        dismissMessage()
        // A view that takes the key may move the focus, which clears the matcher.
        var matcher = matcher
        let outcome = matcher.press(
            press, along: responderChain, bindings: configuration.bindings)
        self.matcher = matcher
        switch outcome {
        case .found(let entry): perform(entry)
        case .incomplete: setNeedsFrame()
        case .taken: break
        case .unknown(let presses):
            guard hadPending else { break }
            setNeedsFrame()
            if press.key != .escape {
                showMessage(localized("\(KeySequence(presses).displayName) does nothing here."))
            }
        }
    }

    /// Performs an entry of a key table, or shows why it is not available.
    public func perform(_ entry: KeyTable.Entry) {
        setNeedsDisplay()
        configuration.logHandler?("command \(entry.command.id)")
        if let reason = entry.reason {
            showMessage(reason, .warning)
        } else {
            entry.action()
        }
    }

    /// The view that takes a press gets the drags and the release, too, wherever they are.
    private func handle(_ event: MouseEvent) {
        if event.action == .drag || event.action == .release, let view = window.mouseView {
            if event.action == .release { window.mouseView = nil }
            // What was presented meanwhile has the mouse.
            guard view.application != nil, window.mouseLayer === presentations.last else { return }
            _ = view.mouse(event.moved(into: view))
            return
        }
        if event.action == .press { window.mouseView = nil }
        guard let hit = window.hitTest(event.location) else { return }
        if event.action == .press, event.button == .left {
            var candidate: View? = hit
            while let view = candidate, !view.becomeFirstResponder() { candidate = view.superview }
        }
        var candidate: View? = hit
        while let view = candidate {
            if view.mouse(event.moved(into: view)) {
                if event.action == .press {
                    (window.mouseView, window.mouseLayer) = (view, presentations.last)
                }
                return
            }
            candidate = view.superview
        }
    }
}

extension MouseEvent {
    /// The event in a view's cells.
    @MainActor fileprivate func moved(into view: View) -> MouseEvent {
        var event = self
        event.location = location - view.convertToScreen(.zero)
        return event
    }
}
