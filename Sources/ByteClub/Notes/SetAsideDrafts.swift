internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// The drafts that wait for their notes to be opened.
@MainActor final class SetAsideDrafts {
    /// The notes that have one, as `/name.txt`.
    private(set) var paths: Set<String> = []
    /// Whether there is a draft of a new note.
    private(set) var hasNewNote = false
    /// Called when one of these changes.
    var didChange: (() -> Void)?

    private let drafts: DraftStore
    private var looking: Task<Void, Never>?

    init(_ drafts: DraftStore) {
        self.drafts = drafts
    }

    /// Reads the drafts again, off the main actor.
    ///
    /// - Returns: The pending read.
    @discardableResult
    func reload() -> Task<Void, Never> {
        let before = looking
        let task = Task { [weak self, drafts] in
            await before?.value
            let waiting = await Self.waiting(in: drafts)
            self?.show(waiting)
        }
        looking = task
        return task
    }

    /// Adds a new draft at once: the next key may ask for it before it is read from disk.
    func add(_ path: RemotePath?) {
        if let path { paths.insert(path.string) } else { hasNewNote = true }
        didChange?()
    }

    private func show(_ waiting: [Draft]) {
        let paths = Set(waiting.compactMap(\.path))
        let hasNewNote = waiting.contains { $0.path == nil && $0.isSetAside }
        guard paths != self.paths || hasNewNote != self.hasNewNote else { return }
        (self.paths, self.hasNewNote) = (paths, hasNewNote)
        didChange?()
    }

    /// A note's name as shown in the list.
    func mark(_ note: RemoteFile) -> TextLine {
        let name = TextLine(note.name)
        return paths.contains(note.path.string)
            ? name + TextLine(localized(" draft"), .marked) : name
    }

    /// The drafts of a note, or of new ones if `path` is nil, the newest first.
    func drafts(of path: RemotePath?) async -> [Draft] {
        await Self.waiting(in: drafts).filter {
            $0.path == path?.string && ($0.path != nil || $0.isSetAside)
        }
    }

    @concurrent private nonisolated static func waiting(in store: DraftStore) async -> [Draft] {
        // A draft that was just saved or discarded may still be there.
        store.removeAbandoned()
        return store.waitingDrafts()
    }
}
