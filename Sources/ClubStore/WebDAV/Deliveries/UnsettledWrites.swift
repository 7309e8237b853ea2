import DropboxAPI
import FoundationEssentials
import Synchronization

/// A write of ours that may have arrived, whole or only its beginning, without anybody having said
/// so.
struct UnsettledWrite: Hashable, Sendable {
    let byteCount: Int64

    /// In Dropbox's form.
    let hash: String

    /// The bytes, where they went straight over the file: most servers keep the first of them when
    /// the rest does not come.
    let data: Data?

    /// What a file of a length hashes to if this write has left it; nil when it cannot have.
    func hash(ofFirst count: Int64) -> String? {
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
final class UnsettledWrites: Sendable {
    private let all = Mutex<[(path: RemotePath, write: UnsettledWrite)]>([])

    /// How many are kept, of all paths together; the oldest are forgotten first.
    private static let limit = 16

    func writes(at path: RemotePath) -> [UnsettledWrite] {
        all.withLock { all in all.filter { $0.path == path }.map(\.write) }
    }

    func note(_ write: UnsettledWrite, at path: RemotePath) {
        all.withLock { all in
            all.removeAll { $0.path == path && $0.write == write }
            all.append((path, write))
            if all.count > Self.limit { all.removeFirst() }
        }
    }

    func forget(_ path: RemotePath) {
        all.withLock { all in all.removeAll { $0.path == path } }
    }
}
