internal import ClubAccess
internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials

/// What both tabs of a club keep between runs: sort orders, seen files, and deletions.
///
/// Two files in the club's own state folder. They can be lost without harm; a damaged one is ignored. If
/// several windows show the club, each adds its changes.
@MainActor final class ListMemory {
    private(set) var choices = ListChoices()
    private(set) var seen = UnreadMarks()
    /// Whether the stored state has been read; nothing is written before that.
    private(set) var isLoaded = false
    /// Called when the stored state has been read, and when everything was marked as seen.
    var didLoad: [() -> Void] = []
    /// The bytes of files deleted in this run from a club that keeps no revisions.
    private(set) var deletedBytes: [DeletedFile: Data] = [:]
    private weak var club: Club?
    /// The seen files of folders that were moved here, by their new paths, as they were before.
    private var arrivals: [RemotePath: RemoteFile] = [:]
    /// Files seen before the stored state was read.
    private var seenEarly: [RemoteFile] = []

    /// Nil to store nothing.
    private let folder: URL?
    private var writing: Task<Void, Never>?
    private var isChanged = false
    /// The state last read or written by this window.
    private var kept = Kept()
    private var isMarkingSeen = false
    private var beginning = Beginning()

    private struct Kept: Sendable {
        var choices = ListChoices()
        var seen = UnreadMarks()
    }

    init(folder: URL?) {
        self.folder = folder
    }

    func sort(of kind: FileKind) -> ListSort { choices.sorts[kind.rawValue] ?? .name }

    func setSort(_ sort: ListSort, of kind: FileKind) {
        choices.sorts[kind.rawValue] = sort
        save()
    }

    // MARK: - What was seen

    func see(_ files: [RemoteFile]) {
        guard isLoaded else {
            seenEarly += files
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
            arrivals[file.path.moved(from: folder, to: target)] = file
        }
    }

    /// Some clubs give a moved file another revision.
    private func seeArrivals(in contents: ClubContents) {
        let arrived = arrivals.compactMap { path, before in
            contents[path].map { (file: $0, before: before) }
        }
        guard !arrived.isEmpty else { return }
        for (file, _) in arrived { arrivals[file.path] = nil }
        see(arrived.filter { $0.file.isSameText(as: $0.before) }.map(\.file))
        for action in didLoad { action() }
    }

    /// Marks the whole club as seen.
    func seeAll(_ contents: ClubContents) async {
        seen = await UnreadMarks.make(of: contents)
        save()
        for action in didLoad { action() }
    }

    // MARK: - The first rows of the notes

    /// The first rows on disk, and those of this run.
    private struct Beginning {
        var kept: FirstRows?
        /// Nil for a list that is small.
        var now: FirstRows?
        var isKnown = false
        var writing: Task<Void, Never>?
    }

    func readFirstRows() async -> FirstRows? {
        guard let folder, !beginning.isKnown else { return nil }
        beginning.kept = await FirstRows.read(in: folder)
        if beginning.isKnown { keep(beginning.now) }
        return beginning.kept
    }

    /// Written at the end, and at once if there are none on disk; nil removes them.
    func keep(_ rows: FirstRows?) {
        (beginning.now, beginning.isKnown) = (rows, true)
        guard folder != nil, (rows == nil) != (beginning.kept == nil) else { return }
        writeFirstRows()
    }

    private func writeFirstRows() {
        guard let folder else { return }
        let (rows, before) = (beginning.now, beginning.writing)
        beginning.kept = rows
        beginning.writing = Task {
            await before?.value
            if let rows { await rows.write(in: folder) } else { await FirstRows.remove(in: folder) }
        }
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
        guard !isLoaded else { return }
        let kept = await Self.read(folder)
        guard !isLoaded else { return }
        isLoaded = true
        if let choices = kept.choices {
            // Choices made meanwhile take precedence.
            var merged = choices
            merged.sorts.merge(self.choices.sorts) { _, new in new }
            merged.deleted += self.choices.deleted
            for kind in FileKind.allCases { forget(merged.trimDeleted(of: kind)) }
            self.choices = merged
        }
        if let seen = kept.seen { self.seen = seen }
        self.kept = Kept(choices: kept.choices ?? ListChoices(), seen: seen)
        // In a club opened for the first time, everything is marked as seen soon.
        if !seen.isEmpty { see(seenEarly) }
        seenEarly = []
        if isChanged { save() }
        takeFirstLook()
        for action in didLoad { action() }
    }

    /// Adds deletions and restorations of other windows.
    func readDeleted() async {
        guard isLoaded, let folder else { return }
        var theirs: ListChoices?
        repeat {
            await writing?.value
            theirs = await Self.choices(in: folder)
            // The write in progress does not include what was read.
        } while writing != nil
        guard let theirs else { return }
        choices.deleted = choices.merged(into: theirs, since: kept.choices).deleted
        kept.choices.deleted = theirs.deleted
    }

    @concurrent private nonisolated static func choices(in folder: URL) async -> ListChoices? {
        readChoices(folder)
    }

    /// Reads the stored state, and marks a club opened for the first time as seen.
    func start(_ club: Club) {
        self.club = club
        club.handlers.didRecognizeOwn = { [weak self] in self?.see($0) }
        club.addObserver(self)
        Task { await load() }
    }

    private func takeFirstLook() {
        guard isLoaded, seen.isEmpty, !isMarkingSeen, let club, club.listingCount > 0 else {
            return
        }
        isMarkingSeen = true
        Task {
            await seeAll(club.contents)
            isMarkingSeen = false
        }
    }

    /// Returns when everything is on disk.
    func finish() async {
        await writing?.value
        if beginning.isKnown, beginning.now != beginning.kept { writeFirstRows() }
        await beginning.writing?.value
    }

    private func save() {
        isChanged = true
        guard isLoaded, writing == nil, folder != nil else { return }
        writing = Task {
            while isChanged {
                isChanged = false
                var lasting = choices
                lasting.deleted.removeAll { deletedBytes[$0] != nil }
                let new = Kept(choices: lasting, seen: seen)
                // If writing failed, it is still different next time.
                kept = await Self.write(new, since: kept, to: folder)
            }
            writing = nil
        }
    }

    @concurrent private nonisolated static func read(
        _ folder: URL?
    ) async -> (choices: ListChoices?, seen: UnreadMarks?) {
        guard let folder else { return (nil, nil) }
        return (readChoices(folder), readSeen(folder))
    }

    private nonisolated static func readChoices(_ folder: URL) -> ListChoices? {
        (try? AtomicFile(url: choicesFile(in: folder)).read()).flatMap { $0 }
            .flatMap { try? JSONDecoder().decode(ListChoices.self, from: $0) }
    }

    private nonisolated static func readSeen(_ folder: URL) -> UnreadMarks? {
        let file = AtomicFile(url: seenFile(in: folder))
        guard let data = try? file.read(atMost: UnreadMarks.byteLimit) else { return nil }
        return UnreadMarks(data)
    }

    private nonisolated static func isThere(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: file.path)
    }

    /// Ignores errors: the lists work without stored state.
    ///
    /// - Returns: The state of this window on disk.
    @concurrent private nonisolated static func write(
        _ new: Kept, since base: Kept, to folder: URL?
    ) async -> Kept {
        guard let folder else { return base }
        var kept = base
        let lock = await lock(folder)
        defer { lock?.release() }
        if new.choices != base.choices || !isThere(choicesFile(in: folder)) {
            let theirs = readChoices(folder)
            let choices = new.choices.merged(
                into: theirs ?? ListChoices(), since: theirs == nil ? ListChoices() : base.choices)
            if let data = choices.encoded(atMost: AtomicFile.byteLimit),
                (try? AtomicFile(url: choicesFile(in: folder)).write(data)) != nil
            {
                kept.choices = new.choices
            }
        }
        if new.seen != base.seen || !isThere(seenFile(in: folder)), !new.seen.isEmpty {
            let seen = new.seen.merged(
                into: readSeen(folder) ?? UnreadMarks(), since: base.seen)
            if (try? AtomicFile(url: seenFile(in: folder)).write(seen.data)) != nil {
                kept.seen = new.seen
            }
        }
        return kept
    }

    /// Excludes other windows between reading and writing. If the lock is unavailable, or held for long by a
    /// stopped window, the last writer wins: lists are not worth waiting for.
    @concurrent private nonisolated static func lock(_ folder: URL) async -> FileLock? {
        guard let lock = try? FileLock(folder.appending(path: "lists.lock")) else { return nil }
        for _ in 0..<50 {
            guard lock.attempt() == .busy else { break }
            try? await Pause.sleep(for: .milliseconds(10))
        }
        return lock
    }

    private nonisolated static func choicesFile(in folder: URL) -> URL {
        folder.appending(path: "lists.json")
    }

    private nonisolated static func seenFile(in folder: URL) -> URL {
        folder.appending(path: "seen")
    }
}

extension RemoteFile {
    /// Whether a moved file has the bytes it had before, as far as a listing tells.
    fileprivate func isSameText(as other: RemoteFile) -> Bool {
        if revision == other.revision { return true }
        if let contentHash, let hash = other.contentHash { return contentHash == hash }
        return byteCount == other.byteCount && modified == other.modified
    }
}
