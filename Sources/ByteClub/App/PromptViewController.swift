internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// A dialog with one field, such as a new name.
final class PromptViewController: ViewController {
    private let field = TextField()
    private let form = FormView()
    private let reason = Label("")
    private let label: String
    private let accept: (String) -> String?
    private let actionTitle: String
    private var checking: Task<Void, Never>?
    /// Small print that says what to type; may depend on the text.
    var hint: String {
        didSet { if hint != oldValue { showHint() } }
    }
    /// Called with the text after each change.
    var didEdit: ((String) -> Void)?
    /// Checks the accepted text off the main actor, may prepare what it names, and returns why it is refused; the dialog
    /// stays until then.
    var check: ((String) async -> String?)?
    /// The completion of the typed text for Tab; nil if there is none.
    var completion: ((String) -> String?)?
    /// An address in the hint that can be copied.
    var address: String?
    /// Called with the accepted text after the dialog was dismissed.
    var didAccept: ((String) -> Void)?
    /// Called when the dialog was dismissed without an answer.
    var didCancel: (() -> Void)?
    /// Whether ``didCancel`` shows the previous dialog: the key's and the button's labels say so.
    var leadsBack = false

    /// - Parameters:
    ///   - hint: Small print that says what to type.
    ///   - accept: Gets the text and returns why it is not accepted; nil closes the dialog.
    init(
        title: String, label: String, text: String, action: String, hint: String = "",
        isSecure: Bool = false,
        accept: @escaping (String) -> String?
    ) {
        self.label = label
        self.accept = accept
        actionTitle = action
        self.hint = hint
        super.init()
        self.title = title
        field.text = text
        field.isSecure = isSecure
    }

    override func viewDidLoad() {
        form.add(label, field)
        form.add(reason, height: 2)
        form.add(
            ButtonRow([
                Button(leadsBack ? localized("Back") : localized("Cancel")) { [weak self] in
                    self?.cancel()
                },
                Button(actionTitle) { [weak self] in self?.submit() },
            ]))
        field.didSubmit = { [weak self] in self?.submit() }
        field.didChange = { [weak self] in
            guard let self else { return }
            showHint()
            didEdit?(field.text)
        }
        if completion != nil {
            field.completion = { [weak self] in self?.completion?($0) }
        }
        showHint()
        view.addSubview(form)
    }

    override func layoutView(in bounds: Rect) { form.frame = bounds }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(56, available.width), height: min(8, available.height))
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            if let address {
                KeyCommand.copyAddress.performs {
                    self.application?.copyToClipboard(address)
                    self.application?.showMessage(
                        localized("The address is in the clipboard, if the terminal allows it."))
                }
            }
            if leadsBack {
                KeyCommand.cancelAlert.performs(label: localized("back")) { self.cancel() }
            } else {
                KeyCommand.cancelAlert.performs { self.cancel() }
            }
        }
    }

    /// The text of the field.
    var text: String { field.text }

    /// Selects the text, so that typing replaces it.
    func selectText() { field.selectAll() }

    /// Puts the caret at a byte of the text.
    func placeCaret(at offset: Int) { field.moveCaret(toOffset: offset) }

    private func showHint() { reason.text = TextLine(hint, .secondary) }

    private func cancel() {
        dismiss { [didCancel] in didCancel?() }
    }

    private func submit() {
        let text = field.text
        if let refusal = accept(text) { return refuse(refusal) }
        guard let check else { return close(text) }
        checking?.cancel()
        reason.text = TextLine(localized("Looking…"), .secondary)
        checking = startPending { [self] in
            let refusal = await check(text)
            // Enter was pressed again, or the text has changed.
            guard !Task.isCancelled, isOnScreen, field.text == text else { return }
            if let refusal { refuse(refusal) } else { close(text) }
        }
    }

    private func refuse(_ refusal: String) { reason.text = TextLine(refusal, .warning) }

    private func close(_ text: String) {
        dismiss { [didAccept] in didAccept?(text) }
    }
}
