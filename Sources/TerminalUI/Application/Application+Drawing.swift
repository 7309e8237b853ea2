extension Application {
    /// Asks for a frame after this turn of the main queue.
    public func setNeedsDisplay() {
        layers.isBeneathDirty = true
        setNeedsFrame()
    }

    /// Asks for a frame in which a view has changed.
    func setNeedsDisplay(of view: View) {
        if !layers.isBeneathDirty, !isOnTop(view) { layers.isBeneathDirty = true }
        setNeedsFrame()
    }

    /// Whether a view is in what lies uppermost or in the footer: what is beneath can stay as it was drawn.
    private func isOnTop(_ view: View) -> Bool {
        guard let top = presentations.last else { return false }
        return view.isDescendant(of: top) || view === window.footer
    }

    /// Asks for a frame in which nothing has changed but what lies uppermost and the footer.
    func setNeedsFrame() {
        idle.noteWork()
        guard frames.noteChange() == .schedule else { return }
        scheduler.afterTurn { [weak self] in self?.drawAfterTurn() }
    }

    /// Draws now if something has changed.
    public func drawIfNeeded() {
        guard frames.isDirty, frames.isOpen else { return }
        frames.begin(at: scheduler.now)
        draw()
        checkIdle()
    }

    /// Paints every cell again, for a terminal that something else has written on.
    public func redraw() {
        screen.invalidate()
        setNeedsDisplay()
    }

    /// Changes that did not come from a key share a frame with all that follow soon.
    private func drawAfterTurn() {
        frames.isScheduled = false
        guard let wait = frames.wait(at: scheduler.now) else { return drawIfNeeded() }
        frames.isScheduled = true
        _ = scheduler.schedule(after: wait) { [weak self] in
            self?.frames.isScheduled = false
            self?.drawIfNeeded()
        }
    }

    private func draw() {
        let size = screen.size
        window.frame = Rect(size: size)
        window.layoutIfNeeded()
        if surface.size != size {
            surface = Surface(size: size, theme: surface.theme)
            layers.beneath = nil
        }
        let cursor: Point?
        if size.width < Window.smallestSize.width || size.height < Window.smallestSize.height {
            surface.clear()
            layers.beneath = nil
            window.drawTooSmall(on: surface)
            cursor = nil
        } else {
            drawLayers()
            drawHint()
            if configuration.isPlain { surface.removeLines() }
            cursor = cursorOnScreen()
        }
        switch screen.makeReady(for: surface) {
        case .ready:
            // Before it is written: what comes from then on may be an answer to it.
            typeAhead.willShow(presentations.last, end: input?.endOfQueue ?? 0)
            screen.present(surface, cursor: cursor)
        case .busy: frames.noteBusy()
        }
    }

    /// Shows what has waited for a large picture to be written.
    func screenDidBecomeReady() {
        drawIfNeeded()
        checkIdle()
    }

    /// Draws what lies beneath the uppermost controller only when something in it has changed.
    private func drawLayers() {
        let top = presentations.last
        if let top, !layers.isBeneathDirty, let beneath = layers.beneath,
            beneath.top === top, beneath.isDrawn != top.coversScreen
        {
            surface.restore(beneath.cells)
        } else {
            surface.clear()
            // What is read aloud is one thing at a time.
            if top.map({ !$0.coversScreen && !configuration.isPlain }) ?? true {
                for view in window.subviews where view !== top && view !== window.footer {
                    view.drawInSuperview(on: surface)
                }
            }
            layers.beneath = top.map {
                DrawnLayers.Beneath(
                    top: $0, isDrawn: !$0.coversScreen, cells: surface.copy())
            }
            layers.isBeneathDirty = false
        }
        // What lies beneath a box is seen in characters: pixels could show through.
        if top != nil { surface.placedGraphics = [] }
        top?.drawInSuperview(on: surface)
        window.footer.drawInSuperview(on: surface)
    }

    /// In the lower edge of what is shown.
    private func drawHint() {
        guard !said.hint.isEmpty, presentations.isEmpty, !window.footer.isHidden else { return }
        let room = surface.size.width - 4
        guard let text = said.hint.first(where: { Surface.columnCount(of: $0) + 2 <= room }) else {
            return
        }
        surface.draw(
            TextLine(" \(text) ", .secondary), at: Point(x: 2, y: window.footer.frame.y - 1))
    }

    /// Where the focused view wants the cursor, unless that is cut off.
    private func cursorOnScreen() -> Point? {
        guard let view = firstResponder as? View,
            let point = view.cursorPosition ?? (configuration.isPlain ? view.focusPosition : nil)
        else { return nil }
        return view.onScreen(point)
    }

    // MARK: - Idle

    /// Says that work has begun whose end will change the screen; ends with ``endActivity()``.
    public func beginActivity() {
        idle.activityCount += 1
    }

    /// Says that work begun with ``beginActivity()`` has ended; one call for each of those.
    public func endActivity() {
        precondition(idle.activityCount > 0, "endActivity() without beginActivity()")
        idle.activityCount -= 1
        idle.noteWork()
        checkIdle()
    }

    /// Reports that all is drawn, once what waits in the queue has run and if it brought nothing.
    func checkIdle() {
        guard idle.isWanted, !idle.isChecking else { return }
        idle.isChecking = true
        scheduler.afterTurn { [weak self] in
            guard let self else { return }
            idle.isChecking = false
            let isPending =
                frames.isDirty || !frames.isOpen || input?.isPending == true
                || signals?.isPending == true || screen.isWriting
            guard !isPending else { return }
            idle.report(byteCount: input?.byteCount ?? 0, size: screen.size)
        }
    }
}

/// What was drawn before and can be used again.
@MainActor
struct DrawnLayers {
    /// The cells of all that lies beneath the uppermost controller.
    struct Beneath {
        weak var top: PresentationView?
        /// Left out where the uppermost controller covers all of it.
        var isDrawn: Bool
        var cells: ContiguousArray<Cell>
    }

    var beneath: Beneath?
    /// Whether something there has changed since.
    var isBeneathDirty = true
}
