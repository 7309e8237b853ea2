internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// The drafts that wait for their notes to be opened.
///
/// They follow a note that is renamed, here or by another member. One whose note is no longer in the club is among
/// those of new notes.
@MainActor final class SetAsideDrafts {
    /// The notes that have one, as `/name.txt`.
    private(set) var paths: Set<String> = []
    /// Those of ``paths`` that are not in the club.
    private var missing: Set<String> = []
    /// The hashes of the texts that the drafts of notes are based on.
    private var hashes: [String: String] = [:]
    /// The club as it was before its last change.
    private var contents = ClubContents()
    /// Whether there is a draft of a new note.
    private var hasNewNote = false
    /// Called when one of these changes.
    var didChange: (() -> Void)?

    private let drafts: DraftStore
    private let club: Club
    private var looking: Task<Void, Never>?

    init(_ drafts: DraftStore, club: Club) {
        self.drafts = drafts
        self.club = club
    }

    /// Starts to follow the club, until it is released.
    func start() {
        club.handlers.didMove = { [weak self] before, after in
            _ = self?.perform { $0.moveDrafts(of: before, to: after) }
        }
        club.addObserver(self)
    }

    /// Whether there is a draft of a new note, or of one that is no longer in the club.
    var hasOneWithoutNote: Bool { hasNewNote || !missing.isEmpty }

    /// Reads the drafts again, off the main actor.
    ///
    /// - Returns: The pending read.
    @discardableResult
    func reload() -> Task<Void, Never> {
        perform { _ in }
    }

    /// Adds a new draft at once, and releases it: the next key may ask for it before it is read from disk.
    func add(_ draft: Draft.ID, of path: RemotePath?) {
        if let path { paths.insert(path.string) } else { hasNewNote = true }
        didChange?()
        _ = perform { $0.release(draft) }
    }

    /// How many of these notes, or notes in these folders, have one.
    func count(in deleted: [RemotePath]) -> Int {
        paths.count { path in
            deleted.contains { path == $0.string || path.hasPrefix($0.string + "/") }
        }
    }

    /// Calls run in order.
    private func perform(_ body: @escaping @Sendable (DraftStore) -> Void) -> Task<Void, Never> {
        let before = looking
        let task = Task { [weak self, drafts] in
            await before?.value
            let waiting = await Self.waiting(in: drafts, after: body)
            self?.show(waiting)
        }
        looking = task
        return task
    }

    private func show(_ waiting: [Draft]) {
        let paths = Set(waiting.compactMap(\.path))
        let hasNewNote = waiting.contains { $0.path == nil && $0.isSetAside }
        // Of several drafts of a note the newest counts.
        hashes = [:]
        for draft in waiting.reversed() {
            if let path = draft.path { hashes[path] = draft.baseContentHash }
        }
        let missing = missingPaths(among: paths)
        guard paths != self.paths || hasNewNote != self.hasNewNote || missing != self.missing
        else { return }
        (self.paths, self.hasNewNote, self.missing) = (paths, hasNewNote, missing)
        didChange?()
    }

    /// What the list shows behind a note's name, if there is a draft of it.
    func mark(of note: RemoteFile) -> TextLine? {
        paths.contains(note.path.string) ? TextLine(localized(" draft"), .marked) : nil
    }

    /// The drafts of a note, or of new ones and those without a note if `path` is nil, the newest first.
    func drafts(of path: RemotePath?) async -> [Draft] {
        // One that was just set aside is released first.
        await looking?.value
        return await Self.waiting(in: drafts).filter { draft in
            guard let path else { return isWithoutNote(draft) }
            return draft.path == path.string
        }
    }

    @concurrent private nonisolated static func waiting(
        in store: DraftStore, after change: @Sendable (DraftStore) -> Void = { _ in }
    ) async -> [Draft] {
        change(store)
        // A draft that was just saved or discarded may still be there.
        store.removeAbandoned()
        return store.waitingDrafts()
    }
}

// MARK: - Renamed and deleted notes

extension SetAsideDrafts: ClubObserver {
    func clubDidChange(_ club: Club) {
        let before = contents
        contents = club.contents
        let now = missingPaths(among: paths)
        guard now != missing else { return }
        let moved = now.subtracting(missing).compactMap { rename(of: $0, since: before) }
        missing = now
        // Commands rename drafts as well: the disk knows.
        _ = perform { drafts in
            for (old, new) in moved { drafts.moveDrafts(of: .file(old), to: .file(new)) }
        }
        didChange?()
    }

    /// Whether a draft was set aside for a new note, or its note is no longer in the club.
    func isWithoutNote(_ draft: Draft) -> Bool {
        guard let path = draft.path else { return draft.isSetAside }
        return !missingPaths(among: [path]).isEmpty
    }

    /// A note that has just gone from its path, and where it is: the only one with its bytes that was not there before.
    private func rename(
        of path: String, since before: ClubContents
    ) -> (old: RemoteFile, new: RemoteFile)? {
        guard let hash = hashes[path], let path = try? RemotePath(validating: path),
            let old = before[path], old.contentHash == hash
        else { return nil }
        let new = club.contents.notes(withHash: hash).filter {
            before[$0.path]?.contentHash != hash
        }
        return new.count == 1 ? new.first.map { (old, $0) } : nil
    }

    /// Empty while the club was not listed: then nothing is known.
    private func missingPaths(among paths: Set<String>) -> Set<String> {
        guard case .connected = club.connection else { return [] }
        return paths.filter { path in
            (try? RemotePath(validating: path)).map { club.contents[$0] == nil } ?? false
        }
    }
}
