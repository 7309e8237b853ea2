import DropboxAPI
import Glibc

/// The club's folder and all that is known about it. Every change of the folder goes through here,
/// one at a time, so that what is checked before a rename still holds when it happens.
///
/// Slow work (writing uploads, hashing, removing trees) is done outside, on staged files.
actor Club {
    nonisolated let access: FolderAccess
    nonisolated let log: ServerLog
    /// What the files were before; nil when nothing can be kept.
    nonisolated let revisions: RevisionStore?

    private(set) var index: ClubIndex
    private let journal: Journal?
    private let watcher: FolderWatcher?

    /// Changes not yet written to the journal and not yet told to those who wait.
    private var changedKeys: Set<String> = []
    private var annotatedKeys: Set<String> = []

    var watchKeys: [Int32: String] = [:]
    var watches: [String: Int32] = [:]
    /// Of the folder that the club's own lies in.
    private var parentWatch: Int32?
    /// Names on the disk, with their folder's key, that somebody is still writing.
    var unsettled: Set<UnsettledName> = []
    /// Keys that several names on the disk lay claim to.
    var contested: Set<String> = []
    /// What a batch of events took out, by inode: it may turn up again under another name.
    var orphans: [UInt64: Entry] = [:]
    /// Revisions that are being brought back, with where to.
    var restoring: Set<Restoration> = []

    private let board = NewsBoard()

    struct UnsettledName: Hashable {
        let folder: String
        let name: String
    }

    struct Restoration: Hashable {
        let path: String
        let revision: String
    }

    /// - Parameters:
    ///   - journal: nil keeps everything in memory.
    ///   - revisions: nil keeps nothing of what is replaced or deleted.
    ///   - watcher: nil when the kernel has none left; changes by others are then seen whenever
    ///     somebody looks.
    init(
        access: FolderAccess, journal: sending Journal?, revisions: RevisionStore? = nil,
        watcher: FolderWatcher?, log: ServerLog
    ) throws(SystemError) {
        self.access = access
        self.revisions = revisions
        self.log = log
        self.watcher = watcher
        let inode = try FileStatus.of(access.root).signature.inode
        var index = journal?.load() ?? ClubIndex(epoch: RandomText.hexadecimal(byteCount: 8))
        index.setRoot(inode: inode)
        self.index = index
        self.journal = journal
    }

    /// Brings the index up to what is on the disk, and begins to watch it.
    func start() throws(SystemError) {
        syncFolder("", recursively: true)
        orphans = [:]
        changedKeys = []
        annotatedKeys = []
        rewriteJournal()
        watchParent()
        try watcher?.start()
    }

    // MARK: - Changing the index

    func put(
        key: String, name: String, diskName: String, id: String, content: Entry.Content
    ) -> Entry {
        changedKeys.insert(key)
        return index.put(key: key, name: name, diskName: diskName, id: id, content: content)
    }

    func annotate(_ key: String, _ facts: FileFacts) {
        annotatedKeys.insert(key)
        index.annotate(key, facts)
    }

    @discardableResult
    func remove(_ key: String) -> [Entry] {
        let removed = index.remove(key)
        for entry in removed {
            changedKeys.insert(entry.key)
            if entry.isFolder { unwatch(entry.key) }
        }
        return removed
    }

    /// Writes down what changed and wakes those who wait for it. Called at the end of each change.
    func publish() {
        let keys = changedKeys.union(annotatedKeys)
        guard !keys.isEmpty else { return }
        let changed = changedKeys
        changedKeys = []
        annotatedKeys = []
        var lines = keys.compactMap { index[$0] }.sorted { $0.sequence < $1.sequence }
            .map(JournalLine.entry)
        lines += keys.compactMap { index.tombstones[$0] }.map(JournalLine.gone)
        if let journal {
            do throws(SystemError) {
                try journal.append(lines)
                if journal.isLong(for: index) { try journal.rewrite(index) }
            } catch {
                log("the journal cannot be written (\(error)); clients will list anew next time")
                journal.discard()
            }
        }
        board.tell(changed)
    }

    private func rewriteJournal() {
        do throws(SystemError) {
            try journal?.rewrite(index)
        } catch {
            log("the journal cannot be written (\(error)); clients will list anew next time")
            journal?.discard()
        }
    }

    // MARK: - Waiting

    /// Returns as soon as something happens in a cursor's folder, or has happened, or the task is
    /// cancelled.
    func waitForNews(_ cursor: ListingCursor) async {
        guard !index.hasNews(for: cursor) else { return }
        await board.wait(for: cursor)
    }

    // MARK: - Watching

    func watch(_ key: String, _ folder: borrowing Descriptor) {
        guard let watcher, watches[key] == nil else { return }
        do throws(SystemError) {
            let number = try watcher.watch(folder: folder)
            // A folder that was moved here keeps its number until its old key is forgotten.
            if let old = watchKeys[number] { watches[old] = nil }
            watchKeys[number] = key
            watches[key] = number
        } catch {
            log("changes in \(index.displayPath(of: key)) cannot be watched: \(error)")
        }
    }

    /// Watches the folder that the club's own lies in now, to hear when that is removed.
    func watchParent() {
        guard let watcher else { return }
        do throws(SystemError) {
            let number = try watcher.watchParent(of: access.root)
            if let old = parentWatch, old != number { watcher.forget(old) }
            parentWatch = number
        } catch {
            log("it will be seen late should the club's folder be removed: \(error)")
        }
    }

    func unwatch(_ key: String) {
        guard let number = watches.removeValue(forKey: key) else { return }
        watchKeys[number] = nil
        watcher?.forget(number)
    }

    /// Whether changes that others make in a folder go unnoticed until somebody looks.
    func isBlind(to key: String) -> Bool { watches[key] == nil }
}
