internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// The transfers of the club, and their commands.
final class TransfersViewController: ViewController {
    private let center: TransferCenter
    private let viewer: PhotoViewing?
    private let list = ListView()
    private var items: [TransferItem] = []
    private let countdown = AttemptCountdown()

    /// How to view a photo of the club; nil if it is not there any more.
    typealias PhotoViewing = (RemotePath) -> (() -> Void)?

    /// - Parameter viewer: Views what has arrived; nil where a viewer is open already.
    init(_ center: TransferCenter, viewer: PhotoViewing? = nil) {
        self.center = center
        self.viewer = viewer
        super.init()
        title = localized("Transfers")
    }

    override func makeView() -> View { list }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.rowHeight = 2
        list.emptyText = TextLine(
            localized("No transfers. u uploads photos, D downloads them."), .secondary)
        center.addObserver(self)
        transfersDidChange(center)
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        let width = min(available.width, 84)
        list.rowHeight = rowHeight(in: Size(width: width, height: available.height))
        return Size(
            width: width, height: min(available.height, max(3, items.count * list.rowHeight)))
    }

    /// The name and the longest of the reasons, all of it if that fits.
    private func rowHeight(in size: Size) -> Int {
        let rows =
            items.lazy.map { TransferRow(item: $0) }.filter { !$0.showsBar }
            .map { $0.details(columns: size.width).count }
            .max() ?? 1
        return 1 + max(1, min(rows, TransferRow.reasonLimit, size.height - 1))
    }

    override var keyTable: KeyTable {
        let item = selected
        let none = localized("No transfer is selected.")
        return KeyTable(title) {
            KeyCommand.pauseTransfer.performs(
                unless: item.map { $0.canPause ? nil : localized("It does not run.") } ?? none
            ) { self.act { self.center.pause([$0.id]) } }
            KeyCommand.resumeTransfer.performs(
                label: item?.isTriedAgain == true ? localized("try again") : localized("resume"),
                unless: item.map { $0.canContinue ? nil : localized("It is done, or still moves.") }
                    ?? none
            ) { self.act { self.center.resume([$0.id]) } }
            KeyCommand.cancelTransfer.performs(
                unless: item.map { $0.canCancel ? nil : localized("It has ended.") } ?? none
            ) { self.act { self.center.cancel([$0.id]) } }
            KeyCommand.putTransferFirst.performs(
                unless: item.map { $0.canGoFirst ? nil : localized("It does not wait.") } ?? none
            ) { self.act { self.putFirst($0) } }
            KeyCommand.limitTransfer.performs(
                unless: item.map { $0.canCancel ? nil : localized("It has ended.") } ?? none
            ) { self.act { self.askForLimit($0) } }
            KeyCommand.pauseAllTransfers.performs(
                unless: items.contains(where: \.canPause)
                    ? nil : localized("No transfer is running.")
            ) { self.center.pause(self.items.map(\.id)) }
            KeyCommand.resumeAllTransfers.performs(
                unless: items.contains { $0.state == .paused || $0.state == .failed }
                    ? nil : localized("No transfer is paused or has failed.")
            ) { self.resumeAll() }
            KeyCommand.cancelAllTransfers.performs(
                unless: items.contains(where: \.canCancel)
                    ? nil : localized("No transfer is on its way, or paused.")
            ) { self.cancelAll() }
            KeyCommand.clearTransfers.performs(
                unless: items.contains(where: \.isFinished)
                    ? nil : localized("No transfer has ended.")
            ) { self.clear() }
            KeyCommand.closeTransfers.performs { self.dismiss() }
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }

    private var selected: TransferItem? { list.selectedElement(of: items) }

    private func act(_ action: (TransferItem) -> Void) {
        if let selected { action(selected) }
    }

    /// Nil for one that is not done, or whose photo is not in the club any more.
    private func viewing(_ item: TransferItem) -> (() -> Void)? {
        guard item.state == .done, let path = item.pathInClub else { return nil }
        return viewer?(path)
    }

    private func view(_ item: TransferItem) {
        guard let view = viewing(item) else { return }
        dismiss { view() }
    }

    /// Transfers cancelled on purpose stay cancelled.
    private func resumeAll() {
        center.resume(items.filter { $0.state == .paused || $0.state == .failed }.map(\.id))
    }

    private func cancelAll() {
        let ids = items.filter(\.canCancel).map(\.id)
        present(
            AlertController.confirmation(
                title: localized("Cancel all transfers?"),
                message: TextLine(
                    Localization.text(
                        ids.count,
                        one: "\(ids.count) transfer is on its way or paused. "
                            + "It can be resumed until it is cleared.",
                        other: "\(ids.count) transfers are on their way or paused. "
                            + "They can be resumed until they are cleared.")),
                confirm: localized("Cancel them"), key: "c", cancel: localized("Keep")
            ) { [center] in center.cancel(ids) })
    }

    /// Asks where something would be lost that could still be resumed.
    private func clear() {
        let ended = items.filter(\.isFinished)
        let (ids, count) = (ended.map(\.id), ended.count(where: \.canResume))
        guard count > 0 else { return center.clear(ids) }
        let done = ended.filter { !$0.canResume }.map(\.id)
        var actions = [AlertAction(AlertController.cancelTitle, kind: .cancel)]
        if !done.isEmpty {
            actions.append(
                AlertAction(localized("Only what is done"), key: "o") { [center] in
                    center.clear(done)
                })
        }
        actions.append(
            AlertAction(localized("Forget all"), key: "f", kind: .destructive) { [center] in
                center.clear(ids)
            })
        present(
            AlertController(
                title: localized("Forget what has ended?"),
                message: TextLine(
                    Localization.text(
                        count,
                        one: "\(count) transfer failed or was cancelled, and can still be resumed. "
                            + "What has arrived of it here is removed.",
                        other:
                            "\(count) transfers failed or were cancelled, and can still be resumed. "
                            + "What has arrived of them here is removed.")),
                actions: actions))
    }

    private func putFirst(_ item: TransferItem) {
        center.putFirst(item.id)
        application?.showMessage(localized("“\(item.shownName)” is next."))
    }

    private func askForLimit(_ item: TransferItem) {
        present(
            PromptViewController(
                title: localized("Limit “\(item.shownName)”"), label: localized("Bytes a second"),
                text: item.order.bytesPerSecondLimit.map { "\(($0 + 1023) / 1024)K" } ?? "",
                action: localized("Limit"), hint: localized("500K, 4M; nothing for no limit.")
            ) { [center] typed in
                let text = typed.filter { !$0.isWhitespace }
                guard !text.isEmpty, text.lowercased() != "none" else {
                    center.limit([item.id], to: nil)
                    return nil
                }
                guard let rate = ByteRate(text) else {
                    return localized("This is not a valid rate, as 500K or 4M is.")
                }
                center.limit([item.id], to: rate.bytesPerSecond)
                return nil
            })
    }
}

extension TransfersViewController: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {
        // What moves, then the latest: the user has just started it.
        let latest = center.items.reversed()
        items = latest.filter(\.isMoving) + latest.filter { !$0.isMoving }
        list.reloadData()
        nameActivation()
        view.superview?.setNeedsLayout()
        tick()
        // Failures while the list is open count as viewed.
        center.seeFailures()
    }

    /// Shows in the footer what Enter does to the selected transfer.
    private func nameActivation() {
        list.activationLabel = selected.flatMap { item in
            if item.canPause { return localized("pause") }
            if viewing(item) != nil { return localized("view") }
            guard item.canContinue else { return nil }
            return item.isTriedAgain ? localized("try again") : localized("resume")
        }
    }

    private func tick() {
        guard isViewLoaded else { return }
        countdown.follow(items, of: application) { [weak self] in
            self?.list.setNeedsDisplay()
            self?.tick()
        }
    }
}

extension TransfersViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { items.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        TransferRow(item: items[index])
            .listRow(columns: list.bounds.width, height: list.rowHeight)
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { items[index].id }

    func listViewDidChangeSelection(_ list: ListView) { nameActivation() }

    /// Enter does what is most likely intended.
    func listView(_ list: ListView, didActivateRowAt index: Int) {
        guard items.indices.contains(index) else { return }
        let item = items[index]
        if item.canPause {
            center.pause([item.id])
        } else if item.state == .done {
            view(item)
        } else {
            center.resume([item.id])
        }
    }
}

extension TransferItem {
    /// The name of an upload may have been taken: then it has another one.
    fileprivate var pathInClub: RemotePath? {
        try? RemotePath(validating: status.path ?? order.path)
    }

    /// Whether resuming has an effect: one that would try again later tries at once.
    fileprivate var canContinue: Bool { canTryAgain }

    fileprivate var isMoving: Bool { [.running, .preparing].contains(state) }
}
