internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

/// The dialog of `:login`: the clubs to open, and ways to join another.
final class ClubChooserViewController: ViewController {
    /// What a row represents.
    enum Choice: Hashable {
        case club(ClubSettings)
        case joinDropbox
        case joinWebDAV
    }

    private struct Row {
        let choice: Choice
        let name: String
        let details: String
    }

    private var rows: [Row] = []
    private let current: ClubSettings
    private let list = ListView()
    private let choose: (Choice) -> Void

    /// - Parameters:
    ///   - current: The open club; selected at first.
    ///   - choose: Called after the dialog was dismissed.
    init(_ clubs: ClubList, current: ClubSettings, choose: @escaping (Choice) -> Void) {
        self.current = current
        self.choose = choose
        super.init()
        title = localized("Clubs")
        rows = rows(of: clubs)
    }

    /// Shows an updated list; the selection stays.
    func show(_ clubs: ClubList) {
        rows = rows(of: clubs)
        guard isViewLoaded else { return }
        list.reloadData()
        view.superview?.setNeedsLayout()
    }

    private func rows(of clubs: ClubList) -> [Row] {
        clubs.clubs.map { club in
            let state =
                club == current
                ? localized("open now")
                : !club.needsSignIn
                    ? localized("no account needed")
                    : clubs.isSignedIn(to: club) ? localized("signed in") : localized("sign in")
            return Row(
                choice: .club(club), name: club.title,
                details: localized("\(club.placeName), \(state)"))
        } + [
            Row(
                choice: .joinDropbox, name: localized("Join a club on Dropbox…"),
                details: localized("with an app key of yours")),
            Row(
                choice: .joinWebDAV, name: localized("Join a club on WebDAV…"),
                details: "Nextcloud, Synology, Apache"),
        ]
    }

    override func makeView() -> View { list }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.activationLabel = localized("choose")
        list.reloadData()
        list.select(rows.firstIndex { $0.choice == .club(current) } ?? 0)
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        // A list drops its other columns before titles get narrower than this.
        let widest = rows.map {
            max(24, TextLine($0.name).columnCount) + TextLine($0.details).columnCount
        }
        return Size(
            width: min(available.width, max(44, (widest.max() ?? 0) + 6)),
            height: min(available.height, rows.count))
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }
}

extension ClubChooserViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { rows.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let row = rows[index]
        return ListRow(
            TextLine(row.name),
            columns: [.init(row.details, width: TextLine(row.details).columnCount)])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        rows[index].choice
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        let choice = rows[index].choice
        dismiss { [choose] in choose(choice) }
    }
}
