import DropboxAPI
import FoundationEssentials
import Synchronization

/// A write by this member that may have arrived, completely or in part, without a confirmation.
struct UnconfirmedWrite: Codable, Hashable, Sendable {
    let byteCount: Int64

    /// In Dropbox's form.
    let hash: String

    /// The bytes, if they were written directly to the file: most WebDAV servers keep the part that
    /// arrived.
    let data: Data?

    /// How many bytes at its beginning the text that it replaces has, too. Nil if that is not known, or if it replaces
    /// nothing.
    var sharedByteCount: Int64?

    /// The kind of change if no bytes were sent. Nil for a write.
    var change: Change?

    /// A change without bytes.
    enum Change: Codable, Hashable, Sendable {
        case removal
        /// Of a folder.
        case creation
        case move(to: String)
    }

    /// The hash of a file with this length if this write left it; nil when it cannot have.
    func hash(ofFirst count: Int64) -> String? {
        guard change == nil else { return nil }
        if count == byteCount { return hash }
        guard let data, count < byteCount else { return nil }
        return ContentHash(of: data.prefix(Int(count))).hexadecimal
    }

    /// Whether its first bytes are also the beginning of the text that it replaces: a file that has no others may be one
    /// that somebody has shortened.
    ///
    /// - Parameter base: That text, if it is known by now.
    func shares(first count: Int64, with base: Data?) -> Bool {
        guard count < byteCount else { return false }
        var shared = sharedByteCount
        if shared == nil, let base, let data { shared = data.byteCount(sharedWith: base) }
        return shared.map { count <= $0 } ?? false
    }
}

extension Data {
    /// How many bytes at the beginning are the same.
    func byteCount(sharedWith other: Data) -> Int64 {
        var count: Int64 = 0
        for (byte, otherByte) in zip(self, other) {
            guard byte == otherByte else { break }
            count += 1
        }
        return count
    }
}

/// The writes with an unknown result, until the next write to the same path has a known one.
///
/// After such a write, the server may have another revision than the one a member started from,
/// although nobody else has written: the member's next write replaces what the last one left,
/// without a conflict. No text is lost, since the remains are part of what was sent. What another
/// member has written in the meantime is neither this write nor its beginning, and stays a
/// conflict. So does a beginning that the replaced text has, too: somebody may have shortened that.
///
/// Stored in a folder, they outlive the program: if it ends in the middle of a write, the next run
/// knows what was sent.
final class UnconfirmedWrites: Sendable {
    private struct Entry {
        let path: RemotePath
        let write: UnconfirmedWrite
        /// The result may still arrive, so this program does not count it yet.
        var isUnderWay: Bool
        let note: UnconfirmedNote?
    }

    private let folder: URL?
    private let all = Mutex<[Entry]>([])

    /// The maximum number kept for all paths; the oldest are dropped first.
    private static let limit = 16

    init(folder: URL? = nil) {
        self.folder = folder
    }

    /// Stores what is about to be sent, for later runs of the program.
    func begin(_ write: UnconfirmedWrite, at path: RemotePath) {
        add(write, at: path, isUnderWay: true)
    }

    /// Stores a write that ended without a confirmation.
    func note(_ write: UnconfirmedWrite, at path: RemotePath) {
        add(write, at: path, isUnderWay: false)
    }

    /// Stores a change without bytes that ended without a confirmation.
    func note(_ change: UnconfirmedWrite.Change, at path: RemotePath) {
        let write = UnconfirmedWrite(byteCount: 0, hash: "", data: nil, change: change)
        add(write, at: path, isUnderWay: false)
    }

    /// Whether an unconfirmed change by this member may explain what is, or is not, at a
    /// path.
    func has(_ change: UnconfirmedWrite.Change, at path: RemotePath) -> Bool {
        writes(at: path).contains { $0.change == change }
    }

    /// Drops a write that was never sent.
    func drop(_ write: UnconfirmedWrite, at path: RemotePath) {
        remove { $0.isUnderWay && $0.path == path && $0.write == write }
    }

    /// The writes that may have left what is at a path now.
    func writes(at path: RemotePath) -> [UnconfirmedWrite] {
        let own = all.withLock { all in
            all.filter { $0.path == path && !$0.isUnderWay }.map(\.write)
        }
        return own + (folder.map { UnconfirmedNote.left(about: path, in: $0).map(\.write) } ?? [])
    }

    /// The writes whose remains a write may replace.
    ///
    /// A create replaces what this run has sent, and the incomplete writes of an earlier run. A
    /// complete text of an earlier run may have been seen since, and is a note like any other.
    func writes(
        at path: RemotePath, for mode: RemoteWriteMode, hash: String?, found byteCount: Int64
    ) -> [UnconfirmedWrite] {
        let all = writes(at: path)
        guard mode == .create || mode == .add else { return all }
        let own = self.all.withLock { entries in
            entries.filter { $0.path == path }.map(\.write)
        }
        return all.filter { write in
            own.contains(write) || byteCount < write.byteCount || write.hash == hash
        }
    }

    /// The state of the path is known from now on.
    func forget(_ path: RemotePath) {
        remove { $0.path == path }
        guard let folder else { return }
        for note in UnconfirmedNote.left(about: path, in: folder) { note.remove() }
    }

    private func add(_ write: UnconfirmedWrite, at path: RemotePath, isUnderWay: Bool) {
        let isKnown = all.withLock { all in
            guard let index = all.firstIndex(where: { $0.path == path && $0.write == write })
            else { return false }
            if !isUnderWay { all[index].isUnderWay = false }
            return true
        }
        guard !isKnown else { return }
        let note = folder.flatMap { UnconfirmedNote(of: write, at: path, in: $0) }
        let oldest = all.withLock { all in
            all.append(Entry(path: path, write: write, isUnderWay: isUnderWay, note: note))
            return all.count > Self.limit ? all.removeFirst() : nil
        }
        oldest?.note?.remove()
    }

    private func remove(_ isMeant: (Entry) -> Bool) {
        let removed = all.withLock { all in
            defer { all.removeAll(where: isMeant) }
            return all.filter(isMeant)
        }
        for entry in removed { entry.note?.remove() }
    }
}
