import Synchronization

/// A folder as it was at one moment, to tell later what has changed.
struct WebDAVSnapshot: Hashable, Sendable {
    var folder: RemotePath
    var recursive: Bool

    /// Folders before what is in them, names in order.
    var entries: [RemoteEntry]

    /// See ``Listing/skipped``.
    var skipped: [String] = []

    /// The folder's own tag.
    var tag: EntityTag?

    /// The moment in the server's own count (RFC 6578), where it counts.
    var syncToken: String?

    /// Of all files together.
    var byteCount: Int64 {
        entries.reduce(0) { $0 &+ ($1.file?.byteCount ?? 0) }
    }

    /// What must be done to this to arrive at another: removals first, then folders before what is
    /// in them.
    func changes(to other: WebDAVSnapshot) -> [RemoteEntry] {
        let old = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        let new = Dictionary(other.entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        var removed: [RemoteEntry] = []
        var removedFolders: Set<RemotePath> = []
        for entry in entries {
            let now = new[entry.path]
            let isGone = now == nil || (entry.file != nil && now?.file == nil)
            guard isGone else { continue }
            // What lay in a folder that is gone is gone with it.
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

/// The snapshots behind the cursors that were given out.
///
/// They live as long as the program: the cursor of an earlier run is one that is not known.
final class WebDAVSnapshots: Sendable {
    private struct State {
        var snapshots: [Cursor: WebDAVSnapshot] = [:]
        /// Oldest first.
        var order: [Cursor] = []
        var count = 0
    }

    private let state = Mutex(State())
    private let mark = String(UInt64.random(in: .min ... .max), radix: 36)

    /// Notes, photos, and what each of them was a few moments ago.
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
                // What is asked for is still of use.
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
