internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI

/// The drafts that wait for their notes to be opened: which notes have one, for the list, and the drafts themselves.
@MainActor final class SetAsideDrafts {
    /// The notes that have one, as `/name.txt`.
    private(set) var paths: Set<String> = []
    /// Whether a new note waits that has no file yet.
    private(set) var hasNewNote = false
    /// Called when one of these has changed.
    var didChange: (() -> Void)?

    private let drafts: DraftStore
    private var looking: Task<Void, Never>?

    init(_ drafts: DraftStore) {
        self.drafts = drafts
    }

    /// Looks again, off the main actor.
    ///
    /// - Returns: The look under way.
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

    /// A draft was set aside just now: the next key may ask for it, before the next look has ended.
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

    /// A note's name as the list shows it.
    func mark(_ note: RemoteFile) -> TextLine {
        let name = TextLine(note.name)
        return paths.contains(note.path.string)
            ? name + TextLine(localized(" draft"), .marked) : name
    }

    /// The newest draft of a note, or of a new one when `path` is nil.
    func draft(of path: RemotePath?) async -> Draft? {
        await Self.waiting(in: drafts).first {
            $0.path == path?.string && ($0.path != nil || $0.isSetAside)
        }
    }

    @concurrent private nonisolated static func waiting(in store: DraftStore) async -> [Draft] {
        // One that was saved or given up just now may be there still.
        store.removeAbandoned()
        return store.waitingDrafts()
    }
}
