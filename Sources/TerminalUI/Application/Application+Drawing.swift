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

    /// Whether a view belongs to the topmost layer or the footer: lower layers need not be redrawn then.
    private func isOnTop(_ view: View) -> Bool {
        guard let top = presentations.last else { return false }
        return view.isDescendant(of: top) || view === window.footer
    }

    /// Requests a frame in which only the topmost layer and the footer have changed.
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

    /// Changes that were not caused by a key share a frame with those that follow soon.
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
            drawMessage()
            if configuration.isPlain { surface.removeLines() }
            cursor = cursorOnScreen()
        }
        switch screen.makeReady(for: surface) {
        case .ready:
            // Before it is written: later input may be an answer to it.
            typeAhead.willShow(presentations.last, end: input?.endOfQueue ?? 0)
            screen.present(surface, cursor: cursor)
        case .busy: frames.noteBusy()
        }
    }

    /// Draws the frame that was delayed by writing a large picture.
    func screenDidBecomeReady() {
        drawIfNeeded()
        checkIdle()
    }

    /// Redraws lower layers only if they have changed.
    private func drawLayers() {
        let top = presentations.last
        if let top, !layers.isBeneathDirty, let beneath = layers.beneath,
            beneath.top === top, beneath.isDrawn != top.coversScreen
        {
            surface.restore(beneath.cells)
        } else {
            surface.clear()
            // A screen reader presents one thing at a time.
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
        // Pictures below a dialog are drawn in characters: pixels could show through.
        if top != nil { surface.placedGraphics = [] }
        top?.drawInSuperview(on: surface)
        window.footer.drawInSuperview(on: surface)
    }

    /// At the bottom edge of the topmost layer.
    private func drawHint() {
        guard !said.hint.isEmpty, presentations.isEmpty, !window.footer.isHidden else { return }
        let room = surface.size.width - 4
        guard let text = said.hint.first(where: { Surface.columnCount(of: $0) + 2 <= room }) else {
            return
        }
        surface.draw(
            TextLine(" \(text) ", .secondary), at: Point(x: 2, y: window.footer.frame.y - 1))
    }

    /// The cursor position of the focused view, if visible.
    private func cursorOnScreen() -> Point? {
        guard let view = firstResponder as? View,
            let point = view.cursorPosition ?? (configuration.isPlain ? view.focusPosition : nil)
        else { return nil }
        return view.onScreen(point)
    }

    // MARK: - Idle

    /// Notes the start of work that will change the screen; ends with ``endActivity()``.
    public func beginActivity() {
        idle.activityCount += 1
    }

    /// Notes the end of work started with ``beginActivity()``; call it once for each of those.
    public func endActivity() {
        precondition(idle.activityCount > 0, "endActivity() without beginActivity()")
        idle.activityCount -= 1
        idle.noteWork()
        checkIdle()
    }

    /// Reports idleness once the queue has run without further changes.
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

/// The results of earlier drawing that can be reused.
@MainActor
struct DrawnLayers {
    /// The cells of all layers below the topmost one.
    struct Beneath {
        weak var top: PresentationView?
        /// False if the topmost controller covers them.
        var isDrawn: Bool
        var cells: ContiguousArray<Cell>
    }

    var beneath: Beneath?
    /// Whether a lower layer has changed since.
    var isBeneathDirty = true
}
