internal import ByteClubMessages

/// Buttons side by side; the arrow keys move the focus.
public final class ButtonRow: View {
    /// The buttons from left to right, or from top to bottom if the row is too narrow; hidden ones take no
    /// room.
    public let buttons: [Button]
    /// The alignment of the buttons in a wider row.
    public var alignment: TextAlignment {
        didSet { if alignment != oldValue { setNeedsLayout() } }
    }

    public init(_ buttons: [Button], alignment: TextAlignment = .trailing) {
        self.buttons = buttons
        self.alignment = alignment
        super.init()
        for button in buttons { addSubview(button) }
    }

    private var shown: [Button] { buttons.filter { !$0.isHidden } }

    /// The arrangements of the buttons, from spacious to compact.
    private enum Arrangement {
        case row(padding: Int, gap: Int)
        case column
    }

    private func arrangement(in columns: Int) -> Arrangement {
        if width(padding: 2, gap: 2) <= columns { return .row(padding: 2, gap: 2) }
        if width(padding: 1, gap: 1) <= columns { return .row(padding: 1, gap: 1) }
        return .column
    }

    private func width(padding: Int, gap: Int) -> Int {
        shown.reduce(0) { $0 + $1.width(padding: padding) } + gap * max(0, shown.count - 1)
    }

    /// On a narrow screen the buttons are stacked.
    public override func sizeThatFits(_ available: Size) -> Size {
        switch arrangement(in: available.width) {
        case .row(let padding, let gap):
            Size(width: width(padding: padding, gap: gap), height: min(1, available.height))
        case .column:
            Size(width: available.width, height: min(available.height, shown.count))
        }
    }

    public override func layoutSubviews() {
        switch arrangement(in: bounds.width) {
        case .row(let padding, let gap):
            let free = bounds.width - width(padding: padding, gap: gap)
            var x =
                switch alignment {
                case .leading: 0
                case .center: free / 2
                case .trailing: free
                }
            for button in shown {
                let width = button.width(padding: padding)
                button.frame = Rect(x: x, y: 0, width: width, height: 1)
                (button.alignment, button.mark) = (.center, "")
                x += width + gap
            }
        case .column:
            // If not all fit, the focused one is visible.
            let focused = shown.firstIndex(where: \.isFirstResponder) ?? 0
            let first = max(0, focused - bounds.height + 1)
            for (index, button) in shown.enumerated() {
                button.frame = Rect(x: 0, y: index - first, width: bounds.width, height: 1)
                button.alignment = .leading
                let hasMoreAbove = index == first && first > 0
                let hasMoreBelow = index == first + bounds.height - 1 && index < shown.count - 1
                button.mark = hasMoreAbove ? "↑" : hasMoreBelow ? "↓" : ""
            }
        }
    }

    public override var keyTable: KeyTable {
        KeyTable {
            if shown.filter(\.isEnabled).count > 1 {
                KeyCommand.nextButton.performs { self.move(by: 1) }
                KeyCommand.previousButton.performs { self.move(by: -1) }
            }
        }
    }

    private func move(by step: Int) {
        let candidates = shown.filter(\.isEnabled)
        guard let index = candidates.firstIndex(where: \.isFirstResponder) else { return }
        candidates[(index + step + candidates.count) % candidates.count].becomeFirstResponder()
    }
}

extension KeyCommand {
    /// Moves the focus to the next button; after the last to the first.
    public static let nextButton = KeyCommand(
        "buttons.next", keys: ["Right", "Down"], title: localized("Next button"))
    /// Moves the focus to the previous button; before the first to the last.
    public static let previousButton = KeyCommand(
        "buttons.previous", keys: ["Left", "Up"], title: localized("Previous button"))
}
