internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials

/// What both tabs of a club keep between runs: sort orders, seen files, and deletions.
///
/// Two files in the club's own state folder. They can be lost without harm; a damaged one is ignored. If
/// several windows show the club, each adds its changes.
@MainActor final class ListMemory {
    private(set) var choices = ListChoices()
    private(set) var seen = UnreadMarks()
    /// Called when the stored state has been read, and when everything was marked as seen.
    var didLoad: [() -> Void] = []
    /// The bytes of files deleted in this run from a club that keeps no revisions.
    private(set) var deletedBytes: [DeletedFile: Data] = [:]
    /// The first rows of the notes.
    let firstRows: StoredFirstRows
    private weak var club: Club?
    private var moved = MovedFiles()
    private var stage = Stage.unread(seenEarly: [])

    /// Nil to store nothing.
    private let listFiles: ListFiles?
    private var writing: Task<Void, Never>?
    private var isChanged = false
    /// The state last read or written by this window.
    private var kept = ListFiles.Contents()

    private enum Stage {
        /// The stored state has not been read; nothing is written before that.
        case unread(seenEarly: [RemoteFile])
        case loaded
        /// The club was opened for the first time, and is being marked as seen.
        case markingSeen
    }

    init(folder: URL?) {
        listFiles = folder.map { ListFiles(folder: $0) }
        firstRows = StoredFirstRows(in: folder)
    }

    func sort(of kind: FileKind) -> ListSort { choices.sorts[kind.rawValue] ?? .name }

    func setSort(_ sort: ListSort, of kind: FileKind) {
        choices.sorts[kind.rawValue] = sort
        save()
    }

    // MARK: - What was seen

    func see(_ files: [RemoteFile]) {
        if case .unread(let early) = stage {
            stage = .unread(seenEarly: early + files)
            return
        }
        var isChanged = false
        for file in files where seen.isUnread(file) {
            seen.see(file)
            isChanged = true
        }
        if isChanged { save() }
    }

    /// The seen files in a folder that was moved or renamed here stay seen at their new places.
    func noteMove(of folder: RemotePath, to target: RemotePath, in contents: ClubContents) {
        guard !seen.isEmpty else { return }
        for file in contents.allFiles where file.path.isInside(folder) && !seen.isUnread(file) {
            moved.add(file, movedTo: file.path.moved(from: folder, to: target))
        }
    }

    private func seeArrivals(in contents: ClubContents) {
        let arrived = moved.takeArrivals(in: contents)
        guard !arrived.isEmpty else { return }
        see(arrived.filter(\.isUnchanged).map(\.file))
        for action in didLoad { action() }
    }

    /// Marks the whole club as seen.
    func seeAll(_ contents: ClubContents) async {
        seen = await UnreadMarks.make(of: contents)
        save()
        for action in didLoad { action() }
    }

    // MARK: - What was deleted

    /// - Parameter data: The file's bytes, if they are stored nowhere else.
    func remember(_ file: DeletedFile, _ data: Data? = nil) {
        choices.deleted.append(file)
        deletedBytes[file] = data
        forget(choices.trimDeleted(of: file.kind))
        save()
    }

    func forget(_ file: DeletedFile) {
        choices.deleted.removeAll { $0 == file }
        forget([file])
        save()
    }

    /// Removes a restored file from the deletions: `z` does not offer it again.
    func forget(_ item: TrashItem) {
        choices.deleted.filter { $0.isSame(as: item) }.forEach(forget)
    }

    private func forget(_ dropped: [DeletedFile]) {
        for file in dropped { deletedBytes[file] = nil }
    }

    /// The last group of deletions.
    func lastDeleted(_ kind: FileKind) -> [DeletedFile] {
        guard let last = choices.deleted.last(where: { $0.kind == kind }) else { return [] }
        return choices.deleted.filter { $0.kind == kind && $0.group == last.group }
    }
}

extension ListMemory: ClubObserver {
    func clubDidChange(_ club: Club) {
        takeFirstLook()
        seeArrivals(in: club.contents)
    }
}

// MARK: - On disk

extension ListMemory {
    /// Reads the stored state, once.
    func load() async {
        guard case .unread = stage else { return }
        let kept = await listFiles?.read() ?? ListFiles.Stored()
        guard case .unread(let seenEarly) = stage else { return }
        stage = .loaded
        if let choices = kept.choices {
            // Choices made meanwhile take precedence.
            var merged = choices
            merged.sorts.merge(self.choices.sorts) { _, new in new }
            merged.deleted += self.choices.deleted
            for kind in FileKind.allCases { forget(merged.trimDeleted(of: kind)) }
            self.choices = merged
        }
        if let seen = kept.seen { self.seen = seen }
        self.kept = ListFiles.Contents(choices: kept.choices ?? ListChoices(), seen: seen)
        // In a club opened for the first time, everything is marked as seen soon.
        if !seen.isEmpty { see(seenEarly) }
        if isChanged { save() }
        takeFirstLook()
        for action in didLoad { action() }
    }

    /// Adds deletions and restorations of other windows.
    func readDeleted() async {
        guard isLoaded, let listFiles else { return }
        var theirs: ListChoices?
        repeat {
            await writing?.value
            theirs = await listFiles.readChoices()
            // The write in progress does not include what was read.
        } while writing != nil
        guard let theirs else { return }
        choices.deleted = choices.merged(into: theirs, since: kept.choices).deleted
        kept.choices.deleted = theirs.deleted
    }

    /// Reads the stored state, and marks a club opened for the first time as seen.
    func start(_ club: Club) {
        self.club = club
        club.handlers.didRecognizeOwn = { [weak self] in self?.see($0) }
        club.addObserver(self)
        Task { await load() }
    }

    private func takeFirstLook() {
        guard case .loaded = stage, seen.isEmpty, let club, club.listingCount > 0 else { return }
        stage = .markingSeen
        Task {
            await seeAll(club.contents)
            stage = .loaded
        }
    }

    /// Returns when everything is on disk.
    func finish() async {
        await writing?.value
        await firstRows.finish()
    }

    private func save() {
        isChanged = true
        guard isLoaded, writing == nil, let listFiles else { return }
        writing = Task {
            while isChanged {
                isChanged = false
                var lasting = choices
                lasting.deleted.removeAll { deletedBytes[$0] != nil }
                let new = ListFiles.Contents(choices: lasting, seen: seen)
                // If writing failed, it is still different next time.
                kept = await listFiles.write(new, since: kept)
            }
            writing = nil
        }
    }

    private var isLoaded: Bool { if case .unread = stage { false } else { true } }
}
