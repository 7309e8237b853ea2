internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// The changes in the outbox; each can be taken back.
final class OutboxViewController: ViewController {
    private let club: Club
    private let list = ListView()
    private var changes: [WaitingChange] = []

    init(club: Club) {
        self.club = club
        super.init()
        title = localized("Waiting for the club")
    }

    override func makeView() -> View { list }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.activationLabel = localized("take back…")
        list.emptyText = TextLine(
            localized("Nothing waits: all your changes are in the club."), .secondary)
        club.addObserver(self)
        club.takeFromShell()
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        Size(
            width: min(available.width, 72), height: min(available.height, max(3, changes.count)))
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }

    /// Asks what to do with a change.
    private func choose(_ change: WaitingChange) {
        let name = change.path.name
        guard !change.isSending || club.isOffline else {
            application?.showMessage(localized("“\(name)” is being sent right now."), .warning)
            return
        }
        let follows = changes.contains { $0.base == .change(change.id) }
        let rest = follows ? localized(" What was done to it afterwards is taken back too.") : ""
        var actions: [AlertAction] = []
        if change.problem != nil {
            actions.append(
                AlertAction(localized("Try again"), key: "t") { [club] in
                    Task { await club.retryRefused() }
                })
        }
        actions += [
            AlertAction(localized("Take back"), key: "b", kind: .destructive) { [weak self] in
                self?.takeBack(change)
            },
            AlertAction(localized("Leave it"), key: "l", kind: .cancel),
        ]
        present(
            AlertController(
                title: "\(change.words)",
                message: TextLine(
                    (change.problem.map { $0 + " " } ?? "")
                        + localized(
                            "Taken back, it never happens in the club. A text stays among the note's "
                                + "versions (H), that of a new note in the trash (Z).\(rest)")),
                actions: actions, preferred: actions.count - 1))
    }

    private func takeBack(_ change: WaitingChange) {
        _ = startPending { [self] in
            do {
                try await club.takeBack(change.id)
                application?.showMessage(localized("Taken back: \(change.words)."), .success)
            } catch {
                application?.showMessage("\(error)", .warning)
            }
        }
    }
}

extension OutboxViewController: ClubObserver, ListViewDataSource, ListViewDelegate {
    func clubDidChange(_ club: Club) {
        guard changes != club.waiting else { return }
        changes = club.waiting
        list.reloadData()
        view.superview?.setNeedsLayout()
    }

    func numberOfRows(in list: ListView) -> Int { changes.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let change = changes[index]
        let state =
            change.problem != nil
            ? localized("refused")
            : change.isSending ? localized("sending") : localized("waiting")
        return ListRow(
            TextLine(change.words),
            columns: [
                .init(state, width: 8),
                .init(Wording.age(of: change.date, at: Date()), width: 8),
            ])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { changes[index].id }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        guard changes.indices.contains(index) else { return }
        choose(changes[index])
    }
}
