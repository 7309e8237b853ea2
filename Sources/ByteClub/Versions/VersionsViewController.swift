internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Messages
internal import TerminalUI
internal import TextEditing

/// A note's versions; each can be compared with what the note is now, and brought back.
final class VersionsViewController: ViewController {
    private let file: RemoteFile
    private let versions: NoteVersions
    private let current: TextBuffer
    private let list = ListView()
    private var rows: [NoteVersion] = []
    /// Called with the text of a version that is to be the note's again.
    private let restore: (TextBuffer) -> Void

    /// - Parameter current: The note's text now.
    init(
        of file: RemoteFile, current: TextBuffer, club: Club,
        restore: @escaping (TextBuffer) -> Void
    ) {
        self.file = file
        self.current = current
        versions = NoteVersions(club: club, path: file.path)
        self.restore = restore
        super.init()
        title = localized("Versions of “\(file.name)”")
    }

    override func makeView() -> View { list }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.activationLabel = localized("compare")
        list.emptyText = TextLine(localized("Looking…"), .secondary)
        list.reloadData()
        _ = startPending { [self] in
            rows = await versions.list()
            list.emptyText = TextLine(localized("No earlier version is known."), .secondary)
            list.reloadData()
            view.superview?.setNeedsLayout()
        }
    }

    override var preferredFirstResponder: View? { list }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(available.width, 60), height: min(available.height, max(3, rows.count)))
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }

    private func compare(_ version: NoteVersion) {
        _ = startPending { [self] in
            do throws(StoreError) {
                let data = try await versions.text(of: version)
                let text = await Self.comparison(of: data, with: current)
                present(
                    VersionViewController(
                        name: file.name, age: Wording.age(of: version.file.modified, at: Date()),
                        text: text
                    ) { [weak self] in
                        guard let self else { return }
                        dismiss { [restore] in restore(TextBuffer(utf8: data)) }
                    })
            } catch {
                let words = versions.club.sentence(for: error)
                present(AlertController(title: words.title, message: TextLine(words.text)))
            }
        }
    }

    @concurrent private nonisolated static func comparison(
        of data: Data, with current: TextBuffer
    ) async -> TextBuffer {
        let now = String(decoding: current.bytes(in: 0..<current.count), as: UTF8.self)
        let comparison = NoteComparison(
            mine: String(decoding: data, as: UTF8.self), theirs: now)
        return TextBuffer(utf8: Data(comparison.text.utf8))
    }
}

extension VersionsViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { rows.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let version = rows[index]
        let place: String =
            switch version.source {
            case .club: localized("in the club")
            case .here: version.isOwn ? localized("written here") : localized("seen here")
            }
        return ListRow(
            TextLine(
                version.file.revision == file.revision
                    ? localized("as it is now") : Wording.age(of: version.file.modified, at: Date())
            ),
            columns: [
                .init(Wording.byteCount(version.file.byteCount), width: 8),
                .init(place, width: 13),
            ])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        rows[index].source
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        guard rows.indices.contains(index) else { return }
        compare(rows[index])
    }
}

/// How one version differs from what the note is now.
final class VersionViewController: TextPageViewController {
    private let restore: () -> Void

    init(name: String, age: String, text: TextBuffer, restore: @escaping () -> Void) {
        self.restore = restore
        super.init(
            title: "“\(name)”, \(age)", text: text,
            footer: TextLine(localized("- old · + new")))
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Version")) {
            KeyCommand.restoreVersion.performs {
                self.dismiss { [restore = self.restore] in restore() }
            }
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }
}

extension KeyCommand {
    static let noteVersions = KeyCommand(
        "notes.versions", keys: ["H"], title: localized("Versions of the note"),
        label: localized("versions"), weight: 40)
    static let restoreVersion = KeyCommand(
        "version.restore", keys: ["r"], title: localized("Restore this version"),
        label: localized("restore"),
        weight: 90)

    static let versionCommands: [KeyCommand] = [.restoreVersion]
}
