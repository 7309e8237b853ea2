/// A sentence in the last row that disappears automatically. A long one takes rows above it as well.
public struct StatusMessage: Hashable, Sendable {
    /// What a message means, which decides its color.
    public enum Kind: Hashable, Sendable {
        case information
        case success
        case warning
        case error

        var role: Role {
            switch self {
            case .information: .text
            case .success: .success
            case .warning: .warning
            case .error: .error
            }
        }
    }

    /// The sentence; control characters in it are shown in a visible form.
    public var text: String
    /// What it means, and so its color.
    public var kind: Kind

    public init(_ text: String, _ kind: Kind = .information) {
        self.text = text
        self.kind = kind
    }
}

extension Application {
    /// The messages in the last rows.
    struct Said {
        var message: StatusMessage?
        var messageTimer: ScheduledAction?
        /// The hint in several lengths, longest first; empty if there is none.
        var hint: [String] = []
        var hintTimer: ScheduledAction?
    }

    /// Shows a message in the last row, until the next key or for a while.
    ///
    /// - Parameter lifetime: Nil keeps it until a key is pressed.
    public func showMessage(
        _ text: String, _ kind: StatusMessage.Kind = .information,
        for lifetime: Duration? = .seconds(5)
    ) {
        said.messageTimer?.cancel()
        said.messageTimer = nil
        message = StatusMessage(text, kind)
        configuration.logHandler?("message \(kind): \(text)")
        if let lifetime {
            said.messageTimer = scheduler.schedule(after: lifetime) { [weak self] in
                self?.dismissMessage()
            }
        }
        setNeedsFrame()
    }

    /// Whether this text is the message in the last row.
    public func isShowing(_ text: String) -> Bool { message?.text == text }

    /// Removes the message.
    public func dismissMessage() {
        guard message != nil else { return }
        message = nil
        said.messageTimer?.cancel()
        said.messageTimer = nil
        setNeedsFrame()
    }

    /// Draws the message over the last row, and over as many rows above as it needs, up to half the screen.
    /// Over a picture in pixels, which would vanish, it is cut to one row.
    func drawMessage() {
        guard let message, !window.footer.isHidden else { return }
        let row = window.footer.frame
        let line = TextLine(message.text.replacing("\n", with: " "), message.kind.role)
        var lines = surface.placedGraphics.isEmpty ? line.wrapped(columns: row.width - 2) : [line]
        let most = max(1, surface.size.height / 2)
        if lines.count > most {
            lines.removeSubrange(most...)
            lines[most - 1] = lines[most - 1] + TextLine("…", message.kind.role)
        }
        for (index, line) in lines.enumerated() {
            let y = row.y + 1 - lines.count + index
            surface.fill(Rect(x: 0, y: y, width: row.width, height: 1))
            surface.draw(line, at: Point(x: 1, y: y), columns: row.width - 2)
        }
    }

    /// Shows a hint above the keys of the last row, which stay visible, while nothing covers the lists.
    ///
    /// - Parameter texts: The variants of the hint, longest first; the first one that fits is shown.
    public func showHint(_ texts: [String], for lifetime: Duration) {
        said.hintTimer?.cancel()
        said.hint = texts
        said.hintTimer = scheduler.schedule(after: lifetime) { [weak self] in self?.dismissHint() }
        setNeedsDisplay()
    }

    /// Removes the hint.
    public func dismissHint() {
        guard !said.hint.isEmpty else { return }
        said.hint = []
        said.hintTimer?.cancel()
        said.hintTimer = nil
        setNeedsDisplay()
    }
}
