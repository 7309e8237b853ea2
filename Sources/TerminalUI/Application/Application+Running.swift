import Dispatch
import Glibc

extension Application {
    /// Takes over the terminal, shows the root controller, and returns when the program ends.
    ///
    /// - Returns: The exit status: the argument of ``terminate(_:)``, or 128 plus the signal's number.
    /// - Throws: ``TerminalError`` if there is no terminal to draw on.
    public func run(root: ViewController) async throws -> Int32 {
        try start(root: root)
        return await wait()
    }

    /// Returns the exit status when the program ends.
    public func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            if let status = ending.status {
                continuation.resume(returning: status)
            } else {
                ending.continuation = continuation
            }
        }
    }

    /// Takes over the terminal and shows the root controller; the main queue does the rest.
    public func start(root: ViewController) throws(TerminalError) {
        signals = screen.inputDescriptor == nil ? nil : SignalLoop(application: self)
        do {
            try screen.open()
        } catch {
            signals?.stop()
            signals = nil
            throw error
        }
        screen.didBecomeReady = { [weak self] in self?.screenDidBecomeReady() }
        frames.isOpen = true
        adoptTheme()
        if let descriptor = screen.inputDescriptor {
            input = InputLoop(
                descriptor: descriptor, decoder: InputDecoder(keys: screen.keySequences),
                application: self)
        }
        rootViewController = root
        window.frame = Rect(size: screen.size)
        window.addSubview(root.view)
        window.layoutIfNeeded()
        root.setOnScreen(true)
        if firstResponder == nil { focus(in: root) }
        setNeedsDisplay()
        drawIfNeeded()
    }

    /// Applies the styles of the current configuration.
    public func adoptTheme() {
        surface.theme = Theme(
            depth: configuration.isPlain ? .monochrome : screen.colorDepth,
            scheme: configuration.scheme.resolved(on: screen.background),
            choices: configuration.styles, isPlain: configuration.isPlain)
        setNeedsDisplay()
    }

    /// Restores the terminal and ends ``run(root:)``.
    public func terminate(_ status: Int32 = 0) {
        guard ending.status == nil else { return }
        ending.status = status
        dismissMessage()
        frames.isOpen = false
        input?.stop()
        input = nil
        screen.close()
        signals?.stop()
        signals = nil
        ending.continuation?.resume(returning: status)
        ending.continuation = nil
    }

    /// Stops the program until it is continued (`fg`).
    public func suspend() {
        guard frames.isOpen, signals != nil else { return }
        leaveScreen()
        stopProcess()
        enterScreen()
    }

    private func stopProcess() {
        guard let signals else { return }
        guard let handler = configuration.stopHandler else { return signals.stopProcess() }
        handler { signals.stopProcess() }
    }

    /// Lends the terminal to another program, e.g. `$EDITOR`, while `body` runs.
    ///
    /// The main queue continues meanwhile: transfers continue, but nothing is drawn and no keys are read.
    public func lendScreen<Result>(
        _ body: @MainActor () async throws -> Result
    ) async rethrows -> Result {
        leaveScreen()
        defer { enterScreen() }
        return try await body()
    }

    /// Copies text to the terminal's clipboard (OSC 52), over SSH too.
    public func copyToClipboard(_ text: String) {
        let encoded = Base64.encode(Array(text.utf8))
        screen.send(Array("\u{1B}]52;c;".utf8) + encoded + [0x07])
    }

    private func leaveScreen() {
        guard frames.isOpen else { return }
        frames.isOpen = false
        input?.pause()
        screen.close()
    }

    private func enterScreen() {
        guard ending.status == nil, !frames.isOpen else { return }
        do {
            try screen.open()
        } catch {
            terminate(1)
            return
        }
        frames.isOpen = true
        input?.resume()
        typeAhead.resume(at: input?.byteCount ?? 0)
        screen.invalidate()
        sizeMayHaveChanged()
        setNeedsDisplay()
        delegate?.applicationDidResume(self)
    }

    /// Lays out everything for the terminal's current size.
    func sizeMayHaveChanged() {
        guard frames.isOpen else { return }
        _ = screen.updateSize()
        // Even if the size is unchanged: it may have been smaller in between, and the terminal has cut its
        // contents.
        screen.invalidate()
        idle.noteWork()
        setNeedsDisplay()
    }

    /// Handles a signal.
    func handle(signal: Int32) {
        switch signal {
        case SIGWINCH: sizeMayHaveChanged()
        case SIGTSTP where frames.isOpen: suspend()
        // The program in the foreground was stopped, and the shell waits for this one, too.
        case SIGTSTP: stopProcess()
        // ^C is meant for the program in the foreground.
        case SIGINT where !frames.isOpen: break
        case SIGCONT:
            // After a stop by a signal that cannot be caught, the shell has used the terminal.
            guard frames.isOpen else { return }
            leaveScreen()
            enterScreen()
        case SIGTERM, SIGHUP, SIGINT:
            delegate?.applicationWillTerminate(self)
            terminate(128 + signal)
        default: break
        }
    }
}
