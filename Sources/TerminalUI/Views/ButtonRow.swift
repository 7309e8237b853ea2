/// Buttons side by side; the arrow keys move between them.
public final class ButtonRow: View {
    public let buttons: [Button]
    public var alignment: TextAlignment {
        didSet { if alignment != oldValue { setNeedsLayout() } }
    }

    private static let gap = 2

    public init(_ buttons: [Button], alignment: TextAlignment = .trailing) {
        self.buttons = buttons
        self.alignment = alignment
        super.init()
        for button in buttons { addSubview(button) }
    }

    private var shown: [Button] { buttons.filter { !$0.isHidden } }

    /// On a narrow screen the buttons stand one below the other.
    public override func sizeThatFits(_ available: Size) -> Size {
        let width = naturalWidth
        if width <= available.width { return Size(width: width, height: 1) }
        return Size(width: available.width, height: min(available.height, max(1, shown.count)))
    }

    private var naturalWidth: Int {
        let widths = shown.map { $0.sizeThatFits(Size(width: 1000, height: 1)).width }
        return widths.reduce(0, +) + Self.gap * max(0, widths.count - 1)
    }

    public override func layoutSubviews() {
        let shown = shown
        let isStacked = naturalWidth > bounds.width && bounds.height >= shown.count
        let free = max(0, bounds.width - naturalWidth)
        var x =
            switch alignment {
            case .leading: 0
            case .center: free / 2
            case .trailing: free
            }
        for (index, button) in shown.enumerated() {
            if isStacked {
                button.frame = Rect(x: 0, y: index, width: bounds.width, height: 1)
            } else {
                let wanted = button.sizeThatFits(bounds.size).width
                let width =
                    free > 0 || naturalWidth == bounds.width
                    ? wanted : bounds.width / max(1, shown.count) - 1
                button.frame = Rect(x: x, y: 0, width: max(1, width), height: 1)
                x += width + (free > 0 || naturalWidth == bounds.width ? Self.gap : 1)
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
    public static let nextButton = KeyCommand(
        "buttons.next", keys: ["Right", "Down"], title: "Next button")
    public static let previousButton = KeyCommand(
        "buttons.previous", keys: ["Left", "Up"], title: "Previous button")
}
