import DropboxAPI
import FoundationEssentials
import Synchronization

/// The metadata of one file.
struct WebDAVFile: Hashable, Sendable {
    var file: RemoteFile

    /// Nil if the server sends no tags.
    var tag: EntityTag?

    var fileID: String?
    var hasPreview: Bool?
    /// Of a photo, in pixels.
    var fullSize: FullSizeComment?

    /// Whether the server has told its length.
    var hasLength = true

    /// Whether the server was asked for it besides the listing.
    var wasMeasured = false

    /// Whether it may have been written so shortly before the server's response that a second-based tag is
    /// also given to the next write: it was, or its age is not known.
    var isFresh = false

    /// Whether it is fresh now, and will not be in a few seconds.
    var agesSoon = false

    var knownByteCount: Int64? { hasLength ? file.byteCount : nil }

    /// Whether so many bytes can be the file's.
    func canHave(_ byteCount: Int64) -> Bool { !hasLength || byteCount == file.byteCount }

    /// With a length that the server has told later; nil if it has not.
    func measured(_ byteCount: Int64?) -> WebDAVFile {
        var measured = self
        measured.wasMeasured = true
        guard let byteCount else { return measured }
        measured.hasLength = true
        measured.file.byteCount = byteCount
        if tag == nil {
            measured.file.revision = Revision(byteCount: byteCount, modified: file.modified)
        }
        return measured
    }

    /// Whether both describe the same state of the file.
    func isSameState(as other: WebDAVFile) -> Bool { file == other.file && tag == other.tag }

    /// Whether a length that was reported for one state is the other's, too.
    func hasLength(of other: WebDAVFile) -> Bool {
        guard tag == other.tag, file.modified == other.file.modified else { return false }
        return tag.map { !$0.isWeak } == true || !isFresh
    }
}

/// Caches what a store knows of files, to save requests: the metadata of the last listing, and the
/// texts just read or written.
final class WebDAVMemory: Sendable {
    /// The bytes of a revision.
    struct Content: Hashable, Sendable {
        var revision: Revision
        var hash: String

        /// Whether no other bytes can have the same revision: the server's tags are exact, or the
        /// file was old enough when it was read.
        var isCertain: Bool
    }

    private struct State {
        var files: [RemotePath: WebDAVFile] = [:]
        var contents: [RemotePath: Content] = [:]
        /// The latest last.
        var texts: [(hash: String, data: Data)] = []
    }

    private let state = Mutex(State())

    /// Above this, the cache is cleared: everything can be requested again.
    private static let fileLimit = 50_000
    private static let contentLimit = 1000
    private static let textLimit = 8
    private static let textByteLimit = 256 << 10

    func file(at path: RemotePath) -> WebDAVFile? {
        state.withLock { $0.files[path] }
    }

    func content(at path: RemotePath, revision: Revision) -> Content? {
        state.withLock { state in
            state.contents[path].flatMap { $0.revision == revision ? $0 : nil }
        }
    }

    func keep(_ files: [WebDAVFile]) {
        state.withLock { state in
            if state.files.count + files.count > Self.fileLimit { state.files = [:] }
            for file in files.prefix(Self.fileLimit) { state.files[file.file.path] = file }
        }
    }

    /// Stores what is known of a revision. Certain knowledge is not replaced by a guess.
    func keep(_ content: Content, at path: RemotePath) {
        state.withLock { state in
            if let known = state.contents[path], known.revision == content.revision,
                known.isCertain, !content.isCertain
            {
                return
            }
            if state.contents.count >= Self.contentLimit { state.contents = [:] }
            state.contents[path] = content
        }
    }

    /// Stores one of the last texts that a write may be based on, unless it is large.
    ///
    /// - Parameter hash: In Dropbox's form; nil to compute it.
    func keep(text data: Data, hash: String? = nil) {
        guard data.count <= Self.textByteLimit else { return }
        let hash = hash ?? ContentHash(of: data).hexadecimal
        state.withLock { state in
            state.texts.removeAll { $0.hash == hash }
            state.texts.append((hash, data))
            if state.texts.count > Self.textLimit { state.texts.removeFirst() }
        }
    }

    func text(withHash hash: String) -> Data? {
        state.withLock { state in state.texts.first { $0.hash == hash }?.data }
    }

    /// Forgets what was at a path and below.
    func forget(_ path: RemotePath) {
        state.withLock { state in
            state.files[path] = nil
            state.contents[path] = nil
            if state.files.contains(where: { $0.key.isInside(path) }) {
                state.files = state.files.filter { !$0.key.isInside(path) }
            }
            if state.contents.contains(where: { $0.key.isInside(path) }) {
                state.contents = state.contents.filter { !$0.key.isInside(path) }
            }
        }
    }
}
