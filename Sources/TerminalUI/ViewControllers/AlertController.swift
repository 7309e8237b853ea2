internal import Messages

/// One answer of an alert.
@MainActor
public struct AlertAction {
    /// How an answer is chosen by the keys every alert has.
    public enum Kind: Hashable, Sendable {
        case `default`
        /// What Esc chooses.
        case cancel
        /// Never chosen by Enter alone: the focus begins elsewhere. In an alert that has one, a key that was
        /// struck before the alert was on the screen chooses nothing but `cancel`.
        case destructive
    }

    /// The button's words; in small letters they are the footer's word for the key.
    public let title: String
    /// The footer's word for ``key``, and for Enter: the title in small letters unless it says otherwise.
    public let label: String
    /// Whether Esc chooses it, and whether Enter may at once.
    public let kind: Kind
    /// A key that chooses it at once, e.g. `d`.
    public let key: KeySequence?
    /// Called on the main actor when the answer was chosen, after the alert has left the screen.
    public let handler: @MainActor () -> Void

    public init(
        _ title: String, label: String? = nil, key: KeySequence? = nil, kind: Kind = .default,
        handler: @escaping @MainActor () -> Void = {}
    ) {
        self.title = title
        self.label = label ?? title.lowercased()
        self.key = key
        self.kind = kind
        self.handler = handler
    }
}

/// Says something in the middle of the screen and asks for one of a few answers.
public final class AlertController: ViewController {
    /// What the alert says, wrapped in the box and scrolled where it is longer than that.
    public let message: TextLine
    /// The answers, in the order of their buttons; never empty.
    public private(set) var actions: [AlertAction]

    private let label: Label
    private lazy var buttons = ButtonRow(
        actions.map { action in
            Button(action.title, label: action.label) { [weak self] in self?.choose(action) }
        })
    private let preferredIndex: Int
    private weak var subject: View?

    /// - Parameters:
    ///   - message: May be several lines; it is wrapped.
    ///   - actions: In the order of their buttons; a lone "OK" when there are none.
    ///   - preferred: The answer that Enter gives at once; the first that is not destructive unless
    ///     chosen here.
    ///   - subject: What is asked about, if it is a place in a text: the row of this view's cursor stays in sight
    ///     where there is room for it.
    public init(
        title: String, message: TextLine, actions: [AlertAction] = [], preferred: Int? = nil,
        about subject: View? = nil
    ) {
        self.subject = subject
        self.message = message
        let all = actions.isEmpty ? [AlertAction("OK", kind: .cancel)] : actions
        self.actions = all
        let safe = all.firstIndex { $0.kind != .destructive } ?? 0
        preferredIndex = preferred.flatMap { all.indices.contains($0) ? $0 : nil } ?? safe
        label = Label(message)
        super.init()
        self.title = title
    }

    /// The word on a button that does nothing.
    public static var cancelTitle: String { localized("Cancel") }

    /// An alert with two answers; Esc and the preferred one do nothing.
    public static func confirmation(
        title: String, message: TextLine, confirm: String, key: KeySequence? = nil,
        cancel: String = AlertController.cancelTitle, isDestructive: Bool = true,
        handler: @escaping @MainActor () -> Void
    ) -> AlertController {
        AlertController(
            title: title, message: message,
            actions: [
                AlertAction(cancel, kind: .cancel),
                AlertAction(
                    confirm, key: key, kind: isDestructive ? .destructive : .default,
                    handler: handler),
            ])
    }

    public override func viewDidLoad() {
        view.addSubview(label)
        view.addSubview(buttons)
    }

    public override var preferredFirstResponder: View? { buttons.buttons[preferredIndex] }

    public override func preferredSize(in available: Size) -> Size {
        let widest = Size(width: min(58, available.width), height: available.height)
        let text = label.sizeThatFits(widest)
        let row = buttons.sizeThatFits(widest)
        let width = max(text.width, row.width, Surface.columnCount(of: title) + 4, 24)
        return Size(
            width: min(width, available.width),
            height: min(available.height, text.height + 1 + row.height))
    }

    public override var screenRowInSight: Int? { subject?.cursorOnScreen?.y }

    public override func layoutView(in bounds: Rect) {
        var area = bounds
        buttons.frame = area.takeBottom(buttons.sizeThatFits(bounds.size).height)
        if area.height > label.sizeThatFits(area.size).height { _ = area.takeBottom(1) }
        label.frame = area
    }

    /// How many rows of the message do not fit.
    private var hiddenRowCount: Int {
        let rows = label.text.wrapped(columns: max(1, label.frame.size.width)).count
        return max(0, rows - label.frame.size.height)
    }

    private func scroll(by rows: Int) {
        let row = label.firstVisibleRow + rows
        label.firstVisibleRow = max(0, min(row, hiddenRowCount))
    }

    public override var keyTable: KeyTable {
        let page = max(1, label.frame.size.height - 1)
        return KeyTable(title) {
            if hiddenRowCount > 0 {
                KeyCommand.pageDown.performs(label: localized("more")) { self.scroll(by: page) }
                KeyCommand.pageUp.performs { self.scroll(by: -page) }
            }
            for action in actions {
                if let key = action.key {
                    KeyCommand(
                        "alert." + action.title.lowercased(), keys: [key], title: action.title,
                        label: action.label, weight: 70
                    ).performs { self.choose(action) }
                }
            }
            if let cancel = actions.first(where: { $0.kind == .cancel }) {
                KeyCommand.cancelAlert.performs(label: cancel.label) {
                    self.choose(cancel)
                }
            }
        }
    }

    private func choose(_ action: AlertAction) {
        // Words meant for a text, or for the list, must not discard anything here.
        if hasDestructiveAction, action.kind != .cancel, application?.isTypedAhead == true {
            application?.showMessage(
                localized("That key came before this box was shown. Press it again."), .warning)
            return
        }
        dismiss { action.handler() }
    }

    private var hasDestructiveAction: Bool { actions.contains { $0.kind == .destructive } }
}

extension KeyCommand {
    /// What works in boxes: fields, buttons, the way out.
    public static let boxCommands: [KeyCommand] = [
        .nextField, .previousField, .press, .nextButton, .previousButton, .cancelAlert,
    ]

    /// Chooses the answer that cancels; only in alerts that have one.
    public static let cancelAlert = KeyCommand(
        "alert.cancel", keys: ["Esc", "^C"], title: localized("Cancel"), label: localized("cancel"),
        weight: 85)
}
