internal import ByteClubMessages

/// An action of an alert.
@MainActor
public struct AlertAction {
    /// How an action is chosen by the keys that every alert has.
    public enum Kind: Hashable, Sendable {
        case `default`
        /// Chosen by Esc.
        case cancel
        /// Never chosen by Enter alone: it does not have the initial focus. In an alert with such an action,
        /// a key typed before the alert could be read only chooses `cancel`.
        case destructive
    }

    /// The button's title; with a small first letter it is the footer's label for the key.
    public let title: String
    /// The footer's label for ``key``, and for Enter: by default the title with a small first letter.
    public let label: String
    /// Whether Esc chooses it, and whether Enter may choose it at once.
    public let kind: Kind
    /// A key that chooses it at once, e.g. `d`.
    public let key: KeySequence?
    /// Called on the main actor after the alert was dismissed.
    public let handler: @MainActor () -> Void

    public init(
        _ title: String, label: String? = nil, key: KeySequence? = nil, kind: Kind = .default,
        handler: @escaping @MainActor () -> Void = {}
    ) {
        self.title = title
        self.label = label ?? title.footerLabel
        self.key = key
        self.kind = kind
        self.handler = handler
    }
}

/// Shows a message in the middle of the screen and asks for an action.
public final class AlertController: ViewController {
    /// The message, wrapped, and scrolled if it is too long.
    public let message: TextLine
    /// A shorter message to use if the message is too long; nil for none.
    public let shortMessage: TextLine?
    /// The actions in the order of their buttons; never empty.
    public private(set) var actions: [AlertAction]

    private let label: Label
    private lazy var buttons = ButtonRow(
        actions.map { action in
            Button(action.title, label: action.label) { [weak self] in self?.choose(action) }
        })
    private let preferredIndex: Int
    private weak var subject: View?

    /// - Parameters:
    ///   - message: May have several lines; it is wrapped.
    ///   - actions: In the order of their buttons; a single "OK" if empty.
    ///   - preferred: The action for Enter; by default the first that is not destructive.
    ///   - subject: The view that the question is about: the row of its cursor stays visible if possible.
    public init(
        title: String, message: TextLine, shortMessage: TextLine? = nil,
        actions: [AlertAction] = [], preferred: Int? = nil, about subject: View? = nil
    ) {
        self.subject = subject
        self.shortMessage = shortMessage
        self.message = message
        let all = actions.isEmpty ? [AlertAction("OK", kind: .cancel)] : actions
        self.actions = all
        let safe = all.firstIndex { $0.kind != .destructive } ?? 0
        preferredIndex = preferred.flatMap { all.indices.contains($0) ? $0 : nil } ?? safe
        label = Label(message)
        super.init()
        self.title = title
    }

    /// The title of a button that does nothing.
    public static var cancelTitle: String { localized("Cancel") }

    /// An alert with two actions; Esc and the preferred one do nothing.
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
        // Of the whole message: the box may have become larger since the short one was shown.
        let text = Label(message).sizeThatFits(widest)
        let row = buttons.sizeThatFits(widest)
        let width = max(text.width, row.width, Surface.columnCount(of: title) + 4, 24)
        return Size(
            width: min(width, available.width),
            height: min(available.height, text.height + 1 + row.height))
    }

    public override var screenRowInSight: Int? { subject?.cursorOnScreen?.y }

    public override func layoutView(in bounds: Rect) {
        var area = bounds
        // The buttons scroll where there is no room for all: without a row of the message nobody knows what they are for.
        let rowLimit = max(1, bounds.height - 1)
        buttons.frame = area.takeBottom(min(rowLimit, buttons.sizeThatFits(bounds.size).height))
        if let shortMessage {
            let isTooLong = message.wrapped(columns: max(1, area.width)).count > area.height
            label.text = isTooLong ? shortMessage : message
        }
        if area.height > label.sizeThatFits(area.size).height { _ = area.takeBottom(1) }
        label.frame = area
    }

    /// The number of message rows that do not fit.
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
                    self.dismiss { cancel.handler() }
                }
            }
        }
    }

    private func choose(_ action: AlertAction) {
        // Keys meant for a text or the list must not discard anything here, and who is interrupted must see why.
        let isTooSoon =
            application?.isWritingInterrupted == true
            || hasDestructiveAction && action.kind != .cancel && application?.isTypedAhead == true
        if isTooSoon {
            application?.showMessage(
                localized("That key came too soon for this box. Press it again."), .warning)
            return
        }
        dismiss { action.handler() }
    }

    private var hasDestructiveAction: Bool { actions.contains { $0.kind == .destructive } }
}

extension KeyCommand {
    /// The commands in dialogs: fields, buttons, dismissal.
    public static let boxCommands: [KeyCommand] = [
        .nextField, .previousField, .press, .nextButton, .previousButton, .cancelAlert,
    ]

    /// Chooses the cancel action; only in alerts that have one.
    public static let cancelAlert = KeyCommand(
        "alert.cancel", keys: ["Esc", "^C"], title: localized("Cancel"), label: localized("cancel"),
        weight: 85)
}
