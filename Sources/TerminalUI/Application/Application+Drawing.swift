extension Application {
    /// Asks for a frame after this turn of the main queue.
    public func setNeedsDisplay() {
        idle.noteWork()
        guard frames.noteChange() else { return }
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
        if surface.size == size {
            surface.clear()
        } else {
            surface = Surface(size: size, theme: surface.theme)
        }
        let cursor: Point?
        if size.width < Window.smallestSize.width || size.height < Window.smallestSize.height {
            window.drawTooSmall(on: surface)
            cursor = nil
        } else {
            window.drawTree(on: surface)
            cursor = cursorOnScreen()
        }
        screen.present(surface, cursor: cursor)
    }

    /// Where the focused view wants the cursor, unless that is cut off.
    private func cursorOnScreen() -> Point? {
        guard let view = firstResponder as? View, var point = view.cursorPosition else {
            return nil
        }
        var candidate: View? = view
        while let current = candidate {
            guard !current.isHidden, current.bounds.contains(point) else { return nil }
            point = point + current.frame.origin
            candidate = current.superview
        }
        return point
    }

    // MARK: - Idle

    /// Says that work has begun whose end will change the screen; ends with ``endActivity()``.
    public func beginActivity() {
        idle.activityCount += 1
    }

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
                || signals?.isPending == true
            guard !isPending else { return }
            idle.report(byteCount: input?.byteCount ?? 0, size: screen.size)
        }
    }
}
