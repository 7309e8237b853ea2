internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// The club's deleted files; each can be read and restored.
final class TrashViewController: ViewController {
    private let club: Club
    private let memory: ListMemory
    private let list = ListView()
    private var items: [TrashItem] = []

    init(club: Club, memory: ListMemory) {
        self.club = club
        self.memory = memory
        super.init()
        title = localized("Trash")
    }

    override func makeView() -> View { list }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.activationLabel = localized("bring back…")
        list.emptyText = TextLine(localized("Looking…"), .secondary)
        // Called at once, and again after deletions by other members or in other windows.
        club.addObserver(self)
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(available.width, 72), height: min(available.height, max(3, items.count)))
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.bringBack.performs(
                unless: selected == nil ? localized("The trash is empty.") : nil
            ) { if let item = self.selected { self.bringBack(item) } }
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }

    private var selected: TrashItem? { list.selectedElement(of: items) }

    private func look() {
        _ = startPending { [self] in
            items = await club.trash()
            list.emptyText = TextLine(
                localized("The trash is empty."), .secondary)
            list.reloadData()
            view.superview?.setNeedsLayout()
        }
    }

    private func choose(_ item: TrashItem) {
        let age = Wording.timeAgo(item.deleted, at: Date())
        let who =
            switch item.isOwn {
            case true?: localized("Deleted here (\(age)).")
            case false?: localized("Deleted by someone else (\(age)).")
            case nil: localized("Deleted (\(age)).")
            }
        var actions = [
            AlertAction(localized("Bring it back"), key: "b") { [weak self] in
                self?.bringBack(item)
            }
        ]
        if item.kind == .notes {
            actions.append(
                AlertAction(localized("Read it"), key: "r") { [weak self] in self?.read(item) })
        }
        actions.append(AlertAction(localized("Leave it"), key: "l", kind: .cancel))
        present(
            AlertController(
                title: item.file.name,
                message: TextLine(
                    localized(
                        "\(who) \(Wording.byteCount(item.file.byteCount)). It comes back as “\(item.place)”."
                    )),
                actions: actions, preferred: 0))
    }

    private func bringBack(_ item: TrashItem) {
        _ = startPending { [self] in
            do throws(StoreError) {
                let file = try await club.bringBack(item)
                memory.forget(item)
                memory.see([file])
                items.removeAll { $0 == item }
                list.reloadData()
                application?.showMessage(localized("“\(file.name)” is back."), .success)
            } catch {
                show(error)
            }
        }
    }

    private func read(_ item: TrashItem) {
        _ = startPending { [self] in
            do throws(StoreError) {
                let text = TextBuffer(utf8: try await club.text(of: item))
                present(
                    DeletedTextViewController(name: item.file.name, text: text) { [weak self] in
                        self?.bringBack(item)
                    })
            } catch {
                show(error)
            }
        }
    }

    private func show(_ error: StoreError) {
        let words = club.sentence(for: error)
        present(AlertController(title: words.title, message: TextLine(words.text)))
    }
}

extension TrashViewController: ClubObserver {
    func clubDidChange(_ club: Club) { look() }
}

extension TrashItem {
    /// The path it is restored to, without the leading slash.
    fileprivate var place: String { file.path.relativeString }
}

extension TrashViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { items.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let item = items[index]
        let who =
            switch item.isOwn {
            case true?: localized("here")
            case false?: localized("by someone else")
            case nil: ""
            }
        return ListRow(
            TextLine(item.place),
            columns: [
                .init(who, width: 15),
                .init(Wording.byteCount(item.file.byteCount), width: 7),
                .init(Wording.age(of: item.deleted, at: Date()), width: 8),
            ])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { items[index] }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        guard items.indices.contains(index) else { return }
        choose(items[index])
    }
}

/// The text of a deleted note, read-only.
final class DeletedTextViewController: TextPageViewController {
    private let bringBack: () -> Void

    init(name: String, text: TextBuffer, bringBack: @escaping () -> Void) {
        self.bringBack = bringBack
        super.init(
            title: name, page: TextPage(text: text),
            footer: TextLine(localized("in the trash · read only"), .warning))
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Trash")) {
            KeyCommand.bringBack.performs {
                self.dismiss { [bringBack = self.bringBack] in bringBack() }
            }
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }
}

extension KeyCommand {
    static let showTrash = KeyCommand(
        "list.trash", keys: ["Z"], title: localized("Deleted notes and photos"),
        label: localized("trash"), weight: 28)
    static let bringBack = KeyCommand(
        "trash.restore", keys: ["b"], title: localized("Bring it back"),
        label: localized("bring back"), weight: 90)

    static let trashCommands: [KeyCommand] = [.bringBack]
}
