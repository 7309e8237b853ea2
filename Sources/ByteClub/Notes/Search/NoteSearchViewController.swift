internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// Searches the texts of all notes while words are typed; Enter opens a note at the match.
final class NoteSearchViewController: ViewController {
    private let searcher: NoteSearcher
    private let club: Club
    private let open: (NoteHit) -> Void
    private let list = ListView()
    private var query = ""
    private var hits: [NoteHit] = []
    private var searching: Task<Void, Never>?
    private var includesLarge = false
    private var largeCount = 0

    /// - Parameter open: Called with the chosen match after the dialog was dismissed.
    init(_ searcher: NoteSearcher, in club: Club, open: @escaping (NoteHit) -> Void) {
        self.searcher = searcher
        self.club = club
        self.open = open
        super.init()
        title = localized("Search all notes")
    }

    override func makeView() -> View {
        FilteredList(
            list: list, hint: localized("words to find in the texts"),
            actionLabel: localized("open")
        ) { [weak self] in
            self?.includesLarge = false
            self?.search($0)
        }
    }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.isFocusable = false
        list.looksFocused = true
        list.emptyText = TextLine(localized("Lines that have all the words are found."), .secondary)
    }

    override func viewDidDisappear() { searching?.cancel() }

    override func preferredSize(in available: Size) -> Size {
        Size(
            width: min(available.width, max(60, available.width * 4 / 5)),
            height: min(available.height, max(16, available.height * 3 / 4)))
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.closeMenu.performs { self.dismiss() }
            if largeCount > 0, !includesLarge {
                KeyCommand.searchLargeNotes.performs {
                    self.includesLarge = true
                    self.search(self.query)
                }
            }
        }
    }

    private func search(_ query: String) {
        self.query = query
        searching?.cancel()
        guard query.contains(where: { !$0.isWhitespace }) else {
            show(NoteSearchProgress())
            list.emptyText = TextLine(
                localized("Lines that have all the words are found."), .secondary)
            return
        }
        searching = startPending { [weak self, searcher, includesLarge] in
            do throws(StoreError) {
                try await searcher.search(query, includesLarge: includesLarge) { progress in
                    guard let self, self.query == query, !Task.isCancelled else { return }
                    self.show(progress)
                }
            } catch {
                guard let self, !Task.isCancelled else { return }
                application?.showMessage(club.sentence(for: error).text, .warning)
            }
        }
    }

    private func show(_ progress: NoteSearchProgress) {
        hits = progress.hits
        largeCount = progress.largeCount
        list.emptyText = TextLine(
            progress.remainingCount.map { localized("Looking through \($0) more notes…") }
                ?? localized("No note has a line with all these words."), .secondary)
        list.rowHeight = list.bounds.height >= 8 ? 2 : 1
        list.reloadData()
        title = heading(progress)
    }

    private func heading(_ progress: NoteSearchProgress) -> String {
        var heading = localized("Search all notes")
        if hits.count >= NoteSearchProgress.hitLimit {
            heading += localized(": the first \(hits.count)")
        } else if !hits.isEmpty {
            heading += ": \(hits.count)"
        }
        let skippedCount = progress.skippedCount + progress.largeCount
        guard skippedCount > 0 else { return heading }
        return heading + localized(" · \(FileKind.notes.count(skippedCount)) not searched")
    }
}

extension KeyCommand {
    static let searchLargeNotes = KeyCommand(
        "search.large", keys: ["M-l"],
        title: localized("Search the notes above 1 MiB, too (fetches them)"),
        label: localized("large notes too"), weight: 90)
}

extension NoteSearchViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { hits.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let hit = hits[index]
        let text = hit.text.drop(while: \.isWhitespace)
        let place = "\(hit.file.path.relativeString):\(hit.line)"
        return ListRow(
            TextLine(String(text)), details: [TextLine(place, .secondary)],
            matches: NameFilter(query: query).matchedRanges(in: String(text)))
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { hits[index] }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        guard hits.indices.contains(index) else { return }
        let hit = hits[index]
        dismiss { [open] in open(hit) }
    }
}
