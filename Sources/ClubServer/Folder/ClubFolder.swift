import DropboxAPI
import FoundationEssentials
import Glibc

/// The club's folder and its index. Every change to the folder goes through here, one at a time, so
/// that what is checked before a rename still holds when it happens.
///
/// Slow work (writing uploads, hashing, deleting trees) runs outside, on staged files.
actor ClubFolder {
    nonisolated let access: FolderAccess
    nonisolated let log: ServerLog
    /// Earlier revisions of the files; nil when none can be kept.
    nonisolated let revisions: KeptRevisions?

    private(set) var index: ClubIndex
    private let journal: Journal?
    let watcher: FolderWatcher?

    /// Changes that are not yet in the journal and not yet reported to waiting clients.
    private var changedKeys: Set<String> = []
    private var annotatedKeys: Set<String> = []

    var watchKeys: [Int32: String] = [:]
    var watches: [String: Int32] = [:]
    /// For the parent of the club's folder.
    private var parentWatch: Int32?
    /// For the parent that it had first, in which another folder may get its path.
    private var firstParentWatch: Int32?
    /// Names on disk, with their folder's key, that another program is still writing.
    var incomplete: Set<IncompleteName> = []
    /// Keys that several names on disk map to.
    var contested: Set<String> = []
    /// Entries removed by a batch of events, by inode: they may reappear under another name.
    var orphans: [UInt64: Entry] = [:]
    /// Revisions that are being restored, with their destinations.
    var restoring: Set<Restoration> = []

    private let notifier = ChangeNotifier()

    /// Sent when a request finds that the folder is gone: the server ends then.
    nonisolated let departure = StopSignal()

    struct IncompleteName: Hashable {
        let folder: String
        let name: DiskName
    }

    struct Restoration: Hashable {
        let path: String
        let revision: String
    }

    /// - Parameters:
    ///   - journal: nil keeps everything in memory.
    ///   - revisions: nil keeps no earlier revisions.
    ///   - watcher: nil when the kernel has none left; other programs' changes are then detected on
    ///     access.
    init(
        access: FolderAccess, journal: sending Journal?, revisions: KeptRevisions? = nil,
        watcher: FolderWatcher?, log: ServerLog
    ) throws(SystemError) {
        self.access = access
        self.revisions = revisions
        self.log = log
        self.watcher = watcher
        let inode = try FileStatus.of(access.root).signature.inode
        let boot = Self.boot
        let epoch = RandomText.hexadecimal(byteCount: 8) + boot
        var index = journal?.load() ?? ClubIndex(epoch: epoch)
        // A computer that went down may have lost the journal's last lines, which clients have followed.
        if !index.epoch.hasSuffix(boot) { index.begin(epoch: epoch) }
        index.setRoot(inode: inode)
        self.index = index
        self.journal = journal
    }

    /// Identifies this boot of the computer; empty if the system does not report it.
    private static let boot: String = {
        guard let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
        else {
            return ""
        }
        return "-" + String(decoding: data, as: UTF8.self).filter(\.isHexDigit).prefix(16)
    }()

    /// Updates the index from the disk, and starts watching it.
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

    /// Writes changes to the journal and notifies waiting clients. Called at the end of each
    /// change.
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
                log("the journal cannot be written (\(error)); clients will list the folder again")
                journal.discard()
            }
        }
        notifier.notify(changed)
    }

    private func rewriteJournal() {
        do throws(SystemError) {
            try journal?.rewrite(index)
        } catch {
            log("the journal cannot be written (\(error)); clients will list the folder again")
            journal?.discard()
        }
    }

    // MARK: - Waiting

    /// Returns as soon as there are changes for a cursor, or the task is cancelled.
    func waitForChanges(_ cursor: ListingCursor) async {
        guard !index.hasChanges(for: cursor) else { return }
        await notifier.wait(for: cursor)
    }

    // MARK: - Watching

    func watch(_ key: String, _ folder: borrowing Descriptor) {
        guard let watcher, watches[key] == nil else { return }
        do throws(SystemError) {
            let number = try watcher.watch(folder: folder)
            // A folder that was moved here keeps its number until its old key is removed.
            if let old = watchKeys[number] { watches[old] = nil }
            watchKeys[number] = key
            watches[key] = number
        } catch {
            log("changes in \(index.displayPath(of: key)) cannot be watched: \(error)")
        }
    }

    /// Watches the current parent of the club's folder, to detect its removal, and the first one, to detect another
    /// folder in its place.
    func watchParent() {
        guard let watcher else { return }
        do throws(SystemError) {
            let number = try watcher.watchParent(of: access.root, for: access.names)
            if let old = parentWatch, old != number, old != firstParentWatch {
                watcher.forget(old)
            }
            parentWatch = number
            if firstParentWatch == nil { firstParentWatch = number }
        } catch {
            log("it will be seen late should the club's folder be removed: \(error)")
        }
    }

    func unwatch(_ key: String) {
        guard let number = watches.removeValue(forKey: key) else { return }
        watchKeys[number] = nil
        watcher?.forget(number)
    }

    /// Whether other programs' changes in a folder are detected only on access.
    func isBlind(to key: String) -> Bool { watches[key] == nil }
}
