internal import ClubAccess
internal import ClubLibrary
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// The progress view of an upload: name, bar, bytes, Cancel. The upload does not depend on it: it continues
/// when the view is left with `b`, by switching tabs, or by quitting.
final class UploadViewController: ViewController {
    enum Outcome {
        case uploaded(TransferItem)
        case cancelled
        case failed(TransferItem)
        /// The view was left; the tab to switch to, if one was chosen.
        case background(tab: Int?)
    }

    private let center: TransferCenter
    private let id: TransferItem.ID
    private let completion: (Outcome) -> Void
    private var hasEnded = false
    private let countdown = AttemptCountdown()

    private let nameLabel = Label("")
    private let progressView = ProgressView()
    private let bytesLabel = Label("")
    private let speedLabel = Label("")
    private lazy var cancelButton = Button(localized("Cancel")) { [weak self] in self?.cancel() }
    private lazy var backgroundButton = Button(
        localized("In the background"), label: localized("background")
    ) { [weak self] in self?.end(.background(tab: nil)) }
    private lazy var buttons = ButtonRow([cancelButton, backgroundButton])

    /// - Parameter completion: Called once, after the view was dismissed.
    init(
        _ id: TransferItem.ID, in center: TransferCenter, completion: @escaping (Outcome) -> Void
    ) {
        self.id = id
        self.center = center
        self.completion = completion
        super.init()
        title = localized("Upload")
    }

    override func viewDidLoad() {
        for part in [nameLabel, progressView, bytesLabel, speedLabel, buttons] {
            view.addSubview(part)
        }
        center.addObserver(self)
        transfersDidChange(center)
    }

    /// Before that, there is no clock for the countdown.
    override func viewDidAppear() {
        super.viewDidAppear()
        transfersDidChange(center)
    }

    /// The picker is confirmed with Enter: pressing it once more must not cancel the upload.
    override var preferredFirstResponder: View? { backgroundButton }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(56, available.width), height: min(7, available.height))
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        let wanted = buttons.sizeThatFits(bounds.size).height
        buttons.frame = area.takeBottom(max(1, min(wanted, bounds.height - 5)))
        if area.height > 4 { _ = area.takeBottom(1) }
        nameLabel.frame = area.takeTop(1)
        if area.height > 3 { _ = area.takeTop(1) }
        progressView.frame = area.takeTop(1)
        bytesLabel.frame = area.takeTop(1)
        speedLabel.frame = area.takeTop(1)
        if let item = center.item(id) { showName(of: item) }
    }

    /// Where no row is left for what it does, the name's row says so, unless the bar shows that it moves.
    private func showName(of item: TransferItem) {
        let name = TextLine(name: item.shownName)
        let isMoving = item.state == .running && !item.isRetrying
        nameLabel.text =
            bytesLabel.frame.height > 0 || isMoving
            ? name : TextLine(item.stateWord, .warning) + TextLine(" ") + name
    }

    override var keyTable: KeyTable {
        let isPaused = center.item(id)?.state == .paused
        return KeyTable(localized("Upload")) {
            KeyCommand.cancelUpload.performs { self.cancel() }
            KeyCommand.pauseUpload.performs(
                label: isPaused ? localized("resume") : localized("pause")
            ) {
                if isPaused { self.center.resume([self.id]) } else { self.center.pause([self.id]) }
            }
            KeyCommand.uploadInBackground.performs { self.end(.background(tab: nil)) }
            KeyCommand.tab(1, title: localized("Notes")).performs { self.end(.background(tab: 0)) }
            KeyCommand.tab(2, title: localized("PanoPhotos")).performs {
                self.end(.background(tab: 1))
            }
            KeyCommand.quit.performs { self.application?.requestTermination() }
        }
    }

    private func cancel() {
        center.cancel([id])
        end(.cancelled)
    }

    private func end(_ outcome: Outcome) {
        guard !hasEnded else { return }
        hasEnded = true
        dismiss { [completion] in completion(outcome) }
    }

    private func show(_ item: TransferItem) {
        showName(of: item)
        progressView.fraction = item.fraction
        speedLabel.text = ""
        switch item.state {
        case .running where item.status.totalByteCount > 0 && !item.isRetrying:
            bytesLabel.text = TextLine(item.byteWords)
            speedLabel.text = TextLine(
                item.isConfirming
                    ? localized("Waiting for the club's confirmation…") : item.speedWords,
                .secondary)
        case .waiting, .running, .preparing, .paused:
            bytesLabel.text = TextLine(item.words(at: Date()), .secondary)
        case .done, .failed, .cancelled: break
        }
    }
}

extension UploadViewController: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {
        guard !hasEnded, let item = center.item(id) else { return }
        show(item)
        countdown.follow([item], of: application) { [weak self] in
            if let self { transfersDidChange(self.center) }
        }
        switch item.state {
        case .done: end(.uploaded(item))
        case .failed: end(.failed(item))
        // Cancelled by a command.
        case .cancelled: end(.cancelled)
        case .waiting, .preparing, .running, .paused: break
        }
    }
}

extension KeyCommand {
    static let cancelUpload = KeyCommand(
        "transfer.cancel", keys: ["Esc", "c", "^C"], title: localized("Cancel the upload"),
        label: localized("Cancel"),
        weight: 99)
    static let pauseUpload = KeyCommand(
        "transfer.pause", keys: ["p"], title: localized("Pause or resume the upload"),
        label: localized("pause"),
        weight: 80)
    static let uploadInBackground = KeyCommand(
        "transfer.background", keys: ["b"], title: localized("Continue in the background"),
        label: localized("background"), weight: 85)

    static let transferCommands: [KeyCommand] = [
        .cancelUpload, .pauseUpload, .uploadInBackground,
    ]
}
