import ClubStore
import FoundationEssentials

/// The folder tree of an ``InMemoryStore``, with a journal of its changes.
struct InMemoryClub {
    private enum Node {
        case file(RemoteFile, Data)
        case folder
    }

    private struct Followed {
        var folder: RemotePath
        var recursive: Bool
        /// The cursor's position in the journal.
        var position: Int
    }

    private var nodes: [RemotePath: Node] = [:]
    /// Every state that a file has had under a path, the latest last.
    private var past: [RemotePath: [(file: RemoteFile, data: Data)]] = [:]
    private var journal: [RemoteEntry] = []
    private var cursors: [Cursor: Followed] = [:]
    /// Cursors of other clubs are not known here.
    private let mark = UUID()
    private var lastNumber = 0
    private let allocatedBytes: Int64?
    private let hasHashes: Bool
    private let hasTagsOfBytes: Bool

    init(allocatedBytes: Int64?, hasHashes: Bool = false, hasTagsOfBytes: Bool = false) {
        self.allocatedBytes = allocatedBytes
        self.hasHashes = hasHashes
        self.hasTagsOfBytes = hasTagsOfBytes
    }

    // MARK: - Reading

    var account: Account {
        Account(displayName: "Test Member", usedBytes: usedBytes, allocatedBytes: allocatedBytes)
    }

    func read(
        _ path: RemotePath, during operation: StoreError.Operation
    ) throws(StoreError) -> (file: RemoteFile, data: Data) {
        switch nodes[path] {
        case .file(let file, let data): return (file, data)
        case .folder: throw StoreError(.wrongKind, during: operation, at: path)
        case nil:
            throw StoreError(path.isRoot ? .wrongKind : .notFound, during: operation, at: path)
        }
    }

    mutating func list(_ folder: RemotePath, recursive: Bool) throws(StoreError) -> Listing {
        try requireFolder(folder, during: .list)
        let entries = nodes.keys.sorted()
            .filter { isListed($0, in: folder, recursive: recursive) }
            .compactMap(entry)
        let followed = Followed(folder: folder, recursive: recursive, position: journal.count)
        return Listing(entries: entries, cursor: makeCursor(followed))
    }

    mutating func changes(since cursor: Cursor) throws(StoreError) -> Listing {
        var followed = try find(cursor, during: .changes)
        let entries = journal[followed.position...].filter {
            isListed($0.path, in: followed.folder, recursive: followed.recursive)
        }
        followed.position = journal.count
        return Listing(entries: Array(entries), cursor: makeCursor(followed))
    }

    func hasChanges(
        since cursor: Cursor, during operation: StoreError.Operation
    ) throws(StoreError) -> Bool {
        let followed = try find(cursor, during: operation)
        return journal[followed.position...].contains {
            isListed($0.path, in: followed.folder, recursive: followed.recursive)
        }
    }

    func search(_ query: String, in folder: RemotePath) throws(StoreError) -> [RemoteFile] {
        try requireFolder(folder, during: .search)
        let needle = query.lowercased()
        return nodes.keys.sorted().compactMap { path in
            guard path.isInside(folder), path.name.lowercased().contains(needle) else {
                return nil
            }
            return entry(at: path)?.file
        }
    }

    func revisions(of path: RemotePath, limit: Int) throws(StoreError) -> RevisionHistory {
        if case .folder = nodes[path] { throw StoreError(.wrongKind, during: .metadata, at: path) }
        guard let past = past[path] else {
            throw StoreError(.notFound, during: .metadata, at: path)
        }
        return RevisionHistory(
            isDeleted: nodes[path] == nil, revisions: past.reversed().prefix(limit).map(\.file))
    }

    func read(
        _ path: RemotePath, revision: Revision, during operation: StoreError.Operation
    ) throws(StoreError) -> (file: RemoteFile, data: Data) {
        guard let found = past[path]?.last(where: { $0.file.revision == revision }) else {
            throw StoreError(.notFound, during: operation, at: path)
        }
        return found
    }

    mutating func forgetCursors() {
        cursors.removeAll()
    }

    mutating func forgetRevisions() {
        past.removeAll()
    }

    // MARK: - Writing

    mutating func write(
        _ data: Data, at path: RemotePath, mode: RemoteWriteMode,
        during operation: StoreError.Operation
    ) throws(StoreError) -> RemoteFile {
        let old = nodes[path]
        switch old {
        case .folder: throw conflict(at: path, during: operation)
        case nil where path.isRoot: throw conflict(at: path, during: operation)
        case .file(let file, let present) where present == data && mode != .create: return file
        case .file(let file, _):
            let mayReplace =
                switch mode {
                case .create, .add: false
                case .overwrite: true
                case .update(let revision, _): revision == file.revision
                }
            guard mayReplace else { throw conflict(at: path, during: operation) }
        case nil: break
        }
        if let allocatedBytes, usedBytes + Int64(data.count) > allocatedBytes {
            throw StoreError(.overQuota, during: operation, at: path)
        }
        try makeParents(of: path, during: operation)
        let file = RemoteFile(
            path: path,
            revision: hasTagsOfBytes
                ? Revision(rawValue: data.base64EncodedString()) : nextRevision(),
            byteCount: Int64(data.count),
            modified: Date(timeIntervalSince1970: TimeInterval(1_700_000_000 + lastNumber)),
            contentHash: hasHashes ? data.base64EncodedString() : nil)
        nodes[path] = .file(file, data)
        past[path, default: []].append((file, data))
        journal.append(.file(file))
        return file
    }

    mutating func createFolder(_ path: RemotePath) throws(StoreError) {
        guard !path.isRoot, nodes[path] == nil else {
            throw conflict(at: path, during: .createFolder)
        }
        try makeParents(of: path, during: .createFolder)
        nodes[path] = .folder
        journal.append(.folder(path))
    }

    mutating func delete(
        _ path: RemotePath, ifRevision revision: Revision? = nil
    ) throws(StoreError) {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .delete, at: path) }
        guard nodes[path] != nil else { throw StoreError(.notFound, during: .delete, at: path) }
        if let revision, entry(at: path)?.file?.revision != revision {
            throw StoreError(.conflict(serverRevision: nil), during: .delete, at: path)
        }
        for inside in nodes.keys where inside.isInside(path) { nodes[inside] = nil }
        journal.append(.deleted(path))
    }

    mutating func move(
        _ path: RemotePath, to destination: RemotePath
    ) throws(StoreError) -> RemoteEntry {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .move, at: path) }
        guard nodes[path] != nil else { throw StoreError(.notFound, during: .move, at: path) }
        guard !destination.isInside(path) || destination == path else {
            throw StoreError(.nameNotAllowed, during: .move, at: destination)
        }
        guard !destination.isRoot, nodes[destination] == nil else {
            throw conflict(at: destination, during: .move)
        }
        try makeParents(of: destination, during: .move)
        for old in nodes.keys.sorted() where old.isInside(path) {
            let names = old.components.dropFirst(path.components.count)
            var new = destination
            for name in names { new = try new.appending(name) }
            if case .file(var file, let data) = nodes[old] {
                file.path = new
                file.revision = nextRevision()
                nodes[new] = .file(file, data)
                past[new, default: []].append((file, data))
            } else {
                nodes[new] = .folder
            }
            nodes[old] = nil
            journal.append(contentsOf: entry(at: new).map { [$0] } ?? [])
        }
        journal.append(.deleted(path))
        return entry(at: destination) ?? .folder(destination)
    }
}

extension InMemoryClub {
    private var usedBytes: Int64 {
        nodes.values.reduce(0) { sum, node in
            if case .file(let file, _) = node { sum + file.byteCount } else { sum }
        }
    }

    private func entry(at path: RemotePath) -> RemoteEntry? {
        switch nodes[path] {
        case .file(let file, _): .file(file)
        case .folder: .folder(path)
        case nil: nil
        }
    }

    private func isListed(_ path: RemotePath, in folder: RemotePath, recursive: Bool) -> Bool {
        recursive ? path != folder && path.isInside(folder) : path.parent == folder
    }

    private func requireFolder(
        _ path: RemotePath, during operation: StoreError.Operation
    ) throws(StoreError) {
        switch nodes[path] {
        case .folder: return
        case .file: throw StoreError(.wrongKind, during: operation, at: path)
        case nil:
            guard path.isRoot else { throw StoreError(.notFound, during: operation, at: path) }
        }
    }

    private func conflict(
        at path: RemotePath, during operation: StoreError.Operation
    ) -> StoreError {
        let revision = entry(at: path)?.file?.revision
        return StoreError(.conflict(serverRevision: revision), during: operation, at: path)
    }

    private mutating func makeParents(
        of path: RemotePath, during operation: StoreError.Operation
    ) throws(StoreError) {
        guard let parent = path.parent, !parent.isRoot else { return }
        switch nodes[parent] {
        case .folder: return
        case .file: throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
        case nil:
            try makeParents(of: parent, during: operation)
            nodes[parent] = .folder
            journal.append(.folder(parent))
        }
    }

    private mutating func nextRevision() -> Revision {
        lastNumber += 1
        return Revision(rawValue: "rev\(lastNumber)")
    }

    private mutating func makeCursor(_ followed: Followed) -> Cursor {
        lastNumber += 1
        let cursor = Cursor(rawValue: "\(mark)-\(lastNumber)")
        cursors[cursor] = followed
        return cursor
    }

    private func find(
        _ cursor: Cursor, during operation: StoreError.Operation
    ) throws(StoreError) -> Followed {
        guard let followed = cursors[cursor] else {
            throw StoreError(.cursorReset, during: operation)
        }
        return followed
    }
}
