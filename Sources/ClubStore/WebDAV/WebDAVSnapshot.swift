import Synchronization

/// The state of a folder at one moment, to compute later changes.
struct WebDAVSnapshot: Hashable, Sendable {
    var folder: RemotePath
    var recursive: Bool

    /// Folders before their contents, names in order.
    var entries: [RemoteEntry]

    /// See ``Listing/skipped``.
    var skipped: [String] = []

    /// The folder's own tag.
    var tag: EntityTag?

    /// The sync token (RFC 6578), if the server supports it.
    var syncToken: String?

    /// The total of all files.
    var byteCount: Int64 {
        entries.reduce(0) { $0 &+ ($1.file?.byteCount ?? 0) }
    }

    /// The changes that turn this into another snapshot: removals first, then folders before their
    /// contents.
    func changes(to other: WebDAVSnapshot) -> [RemoteEntry] {
        let old = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        let new = Dictionary(other.entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        var removed: [RemoteEntry] = []
        var removedFolders: Set<RemotePath> = []
        for entry in entries {
            let now = new[entry.path]
            let isGone = now == nil || (entry.file != nil && now?.file == nil)
            guard isGone else { continue }
            // What was in a removed folder is removed with it.
            if now == nil, let parent = entry.path.parent, removedFolders.contains(parent) {
                removedFolders.insert(entry.path)
                continue
            }
            removed.append(.deleted(entry.path))
            if now == nil { removedFolders.insert(entry.path) }
        }
        return removed + other.entries.filter { old[$0.path] != $0 }
    }
}

/// The snapshots behind issued cursors.
///
/// They live as long as the program: a cursor of an earlier run is unknown.
final class WebDAVSnapshots: Sendable {
    private struct State {
        var snapshots: [Cursor: WebDAVSnapshot] = [:]
        /// Oldest first.
        var order: [Cursor] = []
        var count = 0
    }

    private let state = Mutex(State())
    private let mark = String(UInt64.random(in: .min ... .max), radix: 36)

    /// Notes, photos, and a few earlier states of each.
    private static let limit = 12

    func keep(_ snapshot: WebDAVSnapshot) -> Cursor {
        state.withLock { state in
            state.count += 1
            let cursor = Cursor(rawValue: "\(mark)-\(state.count)")
            state.snapshots[cursor] = snapshot
            state.order.append(cursor)
            if state.order.count > Self.limit {
                state.snapshots[state.order.removeFirst()] = nil
            }
            return cursor
        }
    }

    /// - Throws: `.cursorReset`.
    func find(
        _ cursor: Cursor, during operation: StoreError.Operation
    ) throws(StoreError) -> WebDAVSnapshot {
        guard
            let snapshot = state.withLock({ state in
                // A requested snapshot counts as recently used.
                if let index = state.order.firstIndex(of: cursor) {
                    state.order.append(state.order.remove(at: index))
                }
                return state.snapshots[cursor]
            })
        else { throw StoreError(.cursorReset, during: operation) }
        return snapshot
    }

    func replace(_ cursor: Cursor, with snapshot: WebDAVSnapshot) {
        state.withLock { state in
            if state.snapshots[cursor] != nil { state.snapshots[cursor] = snapshot }
        }
    }
}
