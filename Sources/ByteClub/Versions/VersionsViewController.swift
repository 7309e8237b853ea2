internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// A note's versions; each can be compared with the current text and restored.
final class VersionsViewController: ViewController {
    private let file: RemoteFile
    private let versions: NoteVersions
    private let current: TextBuffer
    private let list = ListView()
    private var rows: [NoteVersion] = []
    /// Called with the text of the version to restore.
    private let restore: (TextBuffer) -> Void

    /// - Parameter current: The note's current text.
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
            KeyCommand.restoreVersion.performs(
                unless: selected == nil
                    ? localized("No earlier version is known.")
                    : selected?.file.revision == file.revision
                        ? localized("The note is like this now.") : nil
            ) { if let version = self.selected { self.restore(version) } }
            KeyCommand.closePage.performs { self.dismiss() }
        }
    }

    private var selected: NoteVersion? { list.selectedElement(of: rows) }

    private func restore(_ version: NoteVersion) {
        withText(of: version) { [self] in restore($0) }
    }

    private func restore(_ data: Data) {
        dismiss { [restore] in restore(TextBuffer(utf8: data)) }
    }

    private func compare(_ version: NoteVersion) {
        withText(of: version) { [self] data in
            let comparison = await Self.comparison(of: data, with: current)
            present(
                VersionViewController(
                    name: file.name, age: Wording.age(of: version.file.modified, at: Date()),
                    page: comparison.page, isSame: comparison.isSame
                ) { [weak self] in self?.restore(data) })
        }
    }

    /// Fetches a version's text; tells why that was not possible.
    private func withText(
        of version: NoteVersion, _ body: @escaping (Data) async -> Void
    ) {
        _ = startPending { [self] in
            do throws(StoreError) {
                let data = try await versions.text(of: version)
                await body(data)
            } catch {
                let words = versions.club.sentence(for: error)
                present(AlertController(title: words.title, message: TextLine(words.text)))
            }
        }
    }

    /// Texts in other encodings are compared decoded; restoring uses the version's own bytes.
    @concurrent private nonisolated static func comparison(
        of data: Data, with current: TextBuffer
    ) async -> (page: TextPage, isSame: Bool) {
        let now = current.data
        let comparison = NoteComparison(mine: readable(data), theirs: readable(now))
        return (comparison.page, data == now)
    }

    private nonisolated static func readable(_ data: Data) -> String {
        let text = TextBuffer(utf8: data)
        guard !text.isValidUTF8, let decoded = TextEncoding.detected(in: text)?.decoded(text) else {
            return String(decoding: data, as: UTF8.self)
        }
        return decoded.string(in: 0..<decoded.count)
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
                    ? localized("as it is now")
                    : Wording.age(of: version.file.modified, at: Date()) + " · "
                        + Wording.time(of: version.file.modified)),
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

/// The differences between a version and the current text.
final class VersionViewController: TextPageViewController {
    private let isSame: Bool
    private let restore: () -> Void

    /// - Parameter isSame: Whether the version is the current text.
    init(
        name: String, age: String, page: TextPage, isSame: Bool, restore: @escaping () -> Void
    ) {
        self.isSame = isSame
        self.restore = restore
        super.init(
            title: "“\(name)”, \(age)", page: page,
            footer: TextLine(
                isSame ? localized("the note is like this now") : localized("- old · + new")))
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Version")) {
            KeyCommand.restoreVersion.performs(
                unless: isSame ? localized("The note is like this now.") : nil
            ) {
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
