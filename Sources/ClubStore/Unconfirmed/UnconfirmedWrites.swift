import DropboxAPI
import FoundationEssentials
import Synchronization

/// A write of ours that may have arrived, whole or only its beginning, without anybody having said
/// so.
struct UnconfirmedWrite: Codable, Hashable, Sendable {
    let byteCount: Int64

    /// In Dropbox's form.
    let hash: String

    /// The bytes, where they went straight over the file: most WebDAV servers keep the first of them
    /// when the rest does not come.
    let data: Data?

    /// What it was, if no bytes were sent. Nil for a write.
    var change: Change?

    /// A change without bytes.
    enum Change: Codable, Hashable, Sendable {
        case removal
        /// Of a folder.
        case creation
        case move(to: String)
    }

    /// What a file of a length hashes to if this write has left it; nil when it cannot have.
    func hash(ofFirst count: Int64) -> String? {
        guard change == nil else { return nil }
        if count == byteCount { return hash }
        guard let data, count < byteCount else { return nil }
        return ContentHash(of: data.prefix(Int(count))).hexadecimal
    }
}

/// The writes whose end nobody knows, until the next one to the same path has an end that is known.
///
/// The server has another revision then than the one a member began with, although nobody else has
/// written: the next write of that member replaces what is left of the last, and is no conflict. It
/// loses nobody's words, for all that is left is in what was sent. What somebody else has written
/// meanwhile is neither this write nor its beginning, and stays a conflict.
///
/// In a folder, they outlive the program: whatever ends it in the middle of a write, the next run
/// knows what was sent.
final class UnconfirmedWrites: Sendable {
    private struct Entry {
        let path: RemotePath
        let write: UnconfirmedWrite
        /// Its end may still be heard of, so that this program does not count it yet.
        var isUnderWay: Bool
        let note: UnconfirmedNote?
    }

    private let folder: URL?
    private let all = Mutex<[Entry]>([])

    /// How many are kept, of all paths together; the oldest are forgotten first.
    private static let limit = 16

    init(folder: URL? = nil) {
        self.folder = folder
    }

    /// Keeps what is about to be sent, for later runs of the program.
    func begin(_ write: UnconfirmedWrite, at path: RemotePath) {
        add(write, at: path, isUnderWay: true)
    }

    /// Keeps what was sent, and ended without a word.
    func note(_ write: UnconfirmedWrite, at path: RemotePath) {
        add(write, at: path, isUnderWay: false)
    }

    /// Keeps that a change without bytes was asked for, and ended without a word.
    func note(_ change: UnconfirmedWrite.Change, at path: RemotePath) {
        let write = UnconfirmedWrite(byteCount: 0, hash: "", data: nil, change: change)
        add(write, at: path, isUnderWay: false)
    }

    /// Whether what is at a path, or is there no more, may be this member's doing.
    func has(_ change: UnconfirmedWrite.Change, at path: RemotePath) -> Bool {
        writes(at: path).contains { $0.change == change }
    }

    /// Forgets what was begun and was never sent.
    func drop(_ write: UnconfirmedWrite, at path: RemotePath) {
        remove { $0.isUnderWay && $0.path == path && $0.write == write }
    }

    /// Those that may have left what is at a path now.
    func writes(at path: RemotePath) -> [UnconfirmedWrite] {
        let own = all.withLock { all in
            all.filter { $0.path == path && !$0.isUnderWay }.map(\.write)
        }
        return own + (folder.map { UnconfirmedNote.left(about: path, in: $0).map(\.write) } ?? [])
    }

    /// Those whose remains a write may replace.
    ///
    /// What must be new replaces what this run has sent, and the beginning of what an earlier one has.
    /// A whole text of an earlier run may have been seen since, and is a note like any other.
    func writes(
        at path: RemotePath, for mode: WriteMode, hash: String?, found byteCount: Int64
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

    /// From now on it is known what is at a path.
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
