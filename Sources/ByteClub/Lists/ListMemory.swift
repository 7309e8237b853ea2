internal import ClubAccess
internal import ClubStore
internal import Files
internal import FoundationEssentials

/// What both tabs of a club keep over restarts: the order of their lists, what the person has seen, and
/// what was deleted here.
///
/// In a folder of the club's own, two files that can be lost without harm: a damaged one counts as none. Where
/// several windows show the club, each adds to them what has changed in it.
@MainActor final class ListMemory {
    private(set) var choices = ListChoices()
    private(set) var seen = SeenRevisions()
    /// Whether what was kept has been read; until then nothing is written over it.
    private(set) var isLoaded = false
    /// Called when what was kept has been read, and when all was seen at once.
    var didLoad: [() -> Void] = []
    /// The bytes of what was deleted in this run from a club that keeps no revisions.
    private(set) var deletedBytes: [DeletedFile: Data] = [:]
    private weak var club: Club?
    /// Seen before it was known what had been.
    private var seenEarly: [RemoteFile] = []

    /// Nil to keep nothing.
    private let folder: URL?
    private var writing: Task<Void, Never>?
    private var isChanged = false
    /// What this window has read or written last.
    private var kept = Kept()
    private var isLooking = false

    private struct Kept: Sendable {
        var choices = ListChoices()
        var seen = SeenRevisions()
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

    /// Takes all that is in the club as seen.
    func seeAll(_ contents: ClubContents) async {
        seen = await SeenRevisions.make(of: contents)
        save()
        for action in didLoad { action() }
    }

    // MARK: - What was deleted

    /// - Parameter data: The file's bytes, where they are kept nowhere else.
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

    /// A file is back: `z` does not offer it again.
    func forget(_ item: TrashItem) {
        choices.deleted.filter { $0.isSame(as: item) }.forEach(forget)
    }

    private func forget(_ dropped: [DeletedFile]) {
        for file in dropped { deletedBytes[file] = nil }
    }

    /// What was deleted together, last of all.
    func lastDeleted(_ kind: FileKind) -> [DeletedFile] {
        guard let last = choices.deleted.last(where: { $0.kind == kind }) else { return [] }
        return choices.deleted.filter { $0.kind == kind && $0.group == last.group }
    }
}

extension ListMemory: ClubObserver {
    func clubDidChange(_ club: Club) { takeFirstLook() }
}

// MARK: - On disk

extension ListMemory {
    /// Reads what was kept, once.
    func load() async {
        guard !isLoaded else { return }
        let kept = await Self.read(folder)
        guard !isLoaded else { return }
        isLoaded = true
        if let choices = kept.choices {
            // What was chosen meanwhile counts.
            var merged = choices
            merged.sorts.merge(self.choices.sorts) { _, new in new }
            merged.deleted += self.choices.deleted
            for kind in FileKind.allCases { forget(merged.trimDeleted(of: kind)) }
            self.choices = merged
        }
        if let seen = kept.seen { self.seen = seen }
        self.kept = Kept(choices: kept.choices ?? ListChoices(), seen: seen)
        // In a club that was never here before, all is taken as seen soon.
        if !seen.isEmpty { see(seenEarly) }
        seenEarly = []
        if isChanged { save() }
        takeFirstLook()
        for action in didLoad { action() }
    }

    /// Takes in what other windows have deleted and brought back since.
    func lookAtDeleted() async {
        guard isLoaded, let folder else { return }
        var theirs: ListChoices?
        repeat {
            await writing?.value
            theirs = await Self.choices(in: folder)
            // What is being written now knows nothing of what was read.
        } while writing != nil
        guard let theirs else { return }
        choices.deleted = choices.merged(into: theirs, since: kept.choices).deleted
        kept.choices.deleted = theirs.deleted
    }

    @concurrent private nonisolated static func choices(in folder: URL) async -> ListChoices? {
        readChoices(folder)
    }

    /// Begins with what was kept, and takes a club that was never here before as seen.
    func start(_ club: Club) {
        self.club = club
        club.handlers.didRecognizeOwn = { [weak self] in self?.see($0) }
        club.addObserver(self)
        Task { await load() }
    }

    private func takeFirstLook() {
        guard isLoaded, seen.isEmpty, !isLooking, let club, club.listingCount > 0 else { return }
        isLooking = true
        Task {
            await seeAll(club.contents)
            isLooking = false
        }
    }

    /// Returns when all is on disk.
    func finish() async { await writing?.value }

    private func save() {
        isChanged = true
        guard isLoaded, writing == nil, folder != nil else { return }
        writing = Task {
            while isChanged {
                isChanged = false
                var lasting = choices
                lasting.deleted.removeAll { deletedBytes[$0] != nil }
                let new = Kept(choices: lasting, seen: seen)
                // What could not be written is new the next time, too.
                kept = await Self.write(new, since: kept, to: folder)
            }
            writing = nil
        }
    }

    @concurrent private nonisolated static func read(
        _ folder: URL?
    ) async -> (choices: ListChoices?, seen: SeenRevisions?) {
        guard let folder else { return (nil, nil) }
        return (readChoices(folder), readSeen(folder))
    }

    private nonisolated static func readChoices(_ folder: URL) -> ListChoices? {
        (try? AtomicFile(url: choicesFile(in: folder)).read()).flatMap { $0 }
            .flatMap { try? JSONDecoder().decode(ListChoices.self, from: $0) }
    }

    private nonisolated static func readSeen(_ folder: URL) -> SeenRevisions? {
        let file = seenFile(in: folder)
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int
        guard let size, size <= SeenRevisions.byteLimit, let data = try? Data(contentsOf: file)
        else { return nil }
        return SeenRevisions(data)
    }

    private nonisolated static func isThere(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: file.path)
    }

    /// What cannot be written is not kept: the lists work without it.
    ///
    /// - Returns: What this window has on the disk now.
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
                into: readSeen(folder) ?? SeenRevisions(), since: base.seen)
            if (try? AtomicFile(url: seenFile(in: folder)).write(seen.data)) != nil {
                kept.seen = new.seen
            }
        }
        return kept
    }

    /// Between reading and writing no other window does. Without a lock, or where a stopped window holds it for
    /// long, the last one to write counts, as no list is worth waiting for.
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
