internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

/// A modal dialog shown while work is pending that will change the screen below.
///
/// No other command can be started meanwhile. Esc gives the work up: its result then changes nothing on the
/// screen.
final class WaitingViewController: ViewController {
    /// The result of the work, once the dialog is dismissed.
    ///
    /// - Parameter wasGivenUp: The user has left and may be elsewhere.
    typealias Ending = @MainActor (_ wasGivenUp: Bool) -> Void

    private let work: @MainActor () async -> Ending
    private let didGiveUp: () -> Void
    private var task: Task<Void, Never>?
    private var isOver = false

    private let wheel = ActivityIndicatorView()
    private let words: Label
    private lazy var cancelButton = Button(localized("Cancel")) { [weak self] in self?.cancel() }
    private lazy var buttons = ButtonRow([cancelButton])

    /// - Parameters:
    ///   - didGiveUp: Called after the user gave up and the dialog was dismissed.
    ///   - work: Starts when the dialog is on the screen; cancelled when it is given up.
    init(
        title: String, sentence: String, didGiveUp: @escaping () -> Void = {},
        work: @escaping @MainActor () async -> Ending
    ) {
        self.work = work
        self.didGiveUp = didGiveUp
        words = Label(TextLine(sentence))
        super.init()
        self.title = title
    }

    override func viewDidLoad() {
        for part in [wheel, words, buttons] { view.addSubview(part) }
        wheel.start()
    }

    override func viewDidAppear() {
        guard task == nil else { return }
        task = startPending { [self] in
            let end = await work()
            guard !isOver else { return end(true) }
            isOver = true
            dismiss { end(false) }
        }
    }

    /// If something else dismisses the dialog, the work is given up, too.
    override func viewDidDisappear() {
        guard !isOver else { return }
        isOver = true
        task?.cancel()
    }

    override var preferredFirstResponder: View? { cancelButton }

    override func preferredSize(in available: Size) -> Size {
        let width = min(56, available.width)
        let rows = words.sizeThatFits(Size(width: max(1, width - 2), height: 40)).height
        return Size(width: width, height: min(available.height, rows + 2))
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        buttons.frame = area.takeBottom(1)
        if area.height > 1 { _ = area.takeBottom(1) }
        wheel.frame = Rect(x: 0, y: 0, width: 1, height: min(1, area.height))
        words.frame = Rect(x: 2, y: 0, width: max(0, area.width - 2), height: area.height)
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.cancelAlert.performs { self.cancel() }
        }
    }

    private func cancel() {
        guard !isOver else { return }
        isOver = true
        task?.cancel()
        dismiss { [didGiveUp] in didGiveUp() }
    }
}
