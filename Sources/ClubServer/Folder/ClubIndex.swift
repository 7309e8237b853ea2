import DropboxAPI

/// Everything in the club, and traces of what was deleted: answers "what has changed since?".
///
/// A value without disk access. Each entry carries the sequence number of its last change, so the
/// changes since any number can be looked up.
struct ClubIndex: Sendable {
    /// Identifies the series of sequence numbers. Cursors of another epoch are invalid.
    private(set) var epoch: String
    private(set) var sequence: UInt64
    /// Changes up to this number may have been dropped.
    private(set) var forgotten: UInt64

    private(set) var entries: [String: Entry] = [:]
    private(set) var tombstones: [String: Tombstone] = [:]
    private var children: [String: Set<String>] = [:]
    private var keysByID: [String: String] = [:]

    /// How many tombstones are kept.
    static let tombstoneLimit = 20_000

    init(epoch: String, sequence: UInt64 = 0, forgotten: UInt64 = 0) {
        self.epoch = epoch
        self.sequence = sequence
        self.forgotten = forgotten
        setRoot(inode: 0)
    }

    /// Numbers go on, cursors do not.
    mutating func begin(epoch: String) { self.epoch = epoch }

    /// Sets the inode of the club's folder.
    mutating func setRoot(inode: UInt64) {
        entries[""] = Entry(
            key: "", name: "", diskName: "", id: "id:root", sequence: 0,
            content: .folder(inode: inode))
    }

    // MARK: - Looking

    subscript(key: String) -> Entry? { entries[key] }

    func entry(id: String) -> Entry? { keysByID[id].flatMap { entries[$0] } }

    func childKeys(of key: String) -> Set<String> { children[key] ?? [] }

    /// The path for display, each component in its own case.
    func displayPath(of key: String) -> String {
        components(of: key, \.name).map { "/" + $0 }.joined()
    }

    /// The names on disk that lead to it from the club's folder.
    func diskNames(of key: String) -> [String] {
        components(of: key, \.diskName)
    }

    /// Everything below a folder, unordered, without the folder itself.
    func descendants(of key: String) -> [Entry] {
        var result: [Entry] = []
        var open = [key]
        while let folder = open.popLast() {
            for child in childKeys(of: folder) {
                guard let entry = entries[child] else { continue }
                result.append(entry)
                if entry.isFolder { open.append(child) }
            }
        }
        return result
    }

    private func components(of key: String, _ part: KeyPath<Entry, String>) -> [String] {
        var result: [String] = []
        var next: String? = key
        while let current = next, !current.isEmpty {
            // An ancestor always exists; its key would be right even if it did not.
            result.append(entries[current]?[keyPath: part] ?? current)
            next = Entry.parentKey(of: current)
        }
        return result.reversed()
    }

    // MARK: - Changing

    /// Inserts or replaces an entry as the latest change.
    @discardableResult
    mutating func put(
        key: String, name: String, diskName: String, id: String, content: Entry.Content
    ) -> Entry {
        sequence += 1
        let entry = Entry(
            key: key, name: name, diskName: diskName, id: id, sequence: sequence, content: content)
        restore(entry)
        return entry
    }

    /// Inserts an entry with its existing sequence number.
    mutating func restore(_ entry: Entry) {
        if let old = entries[entry.key], old.id != entry.id, keysByID[old.id] == entry.key {
            keysByID[old.id] = nil
        }
        sequence = max(sequence, entry.sequence)
        entries[entry.key] = entry
        tombstones[entry.key] = nil
        keysByID[entry.id] = entry.key
        if let parent = entry.parentKey { children[parent, default: []].insert(entry.key) }
    }

    /// Stores facts that are no change for clients, such as a hash.
    mutating func annotate(_ key: String, _ facts: FileFacts) {
        guard let entry = entries[key], !entry.isFolder else { return }
        entries[key] = Entry(
            key: entry.key, name: entry.name, diskName: entry.diskName, id: entry.id,
            sequence: entry.sequence, content: .file(facts))
    }

    /// Removes an entry and everything below it.
    ///
    /// - Returns: The removed entries, outermost first.
    @discardableResult
    mutating func remove(_ key: String) -> [Entry] {
        guard !key.isEmpty, let top = entries[key] else { return [] }
        let removed = [top] + descendants(of: key)
        let paths = removed.map { displayPath(of: $0.key) }
        for (entry, path) in zip(removed, paths) {
            sequence += 1
            restore(
                Tombstone(
                    key: entry.key, name: entry.name, path: path, sequence: sequence,
                    wasFile: !entry.isFolder))
        }
        forgetOldTombstones()
        return removed
    }

    /// Inserts a tombstone with its existing sequence number.
    mutating func restore(_ tombstone: Tombstone) {
        if let entry = entries.removeValue(forKey: tombstone.key), keysByID[entry.id] == entry.key {
            keysByID[entry.id] = nil
        }
        children[tombstone.key] = nil
        if let parent = tombstone.parentKey { children[parent]?.remove(tombstone.key) }
        sequence = max(sequence, tombstone.sequence)
        tombstones[tombstone.key] = tombstone
    }

    private mutating func forgetOldTombstones() {
        guard tombstones.count > Self.tombstoneLimit else { return }
        let oldest = tombstones.values.map(\.sequence).sorted()
            .prefix(tombstones.count - Self.tombstoneLimit * 3 / 4)
        guard let last = oldest.last else { return }
        forgotten = max(forgotten, last)
        tombstones = tombstones.filter { $0.value.sequence > last }
    }
}
