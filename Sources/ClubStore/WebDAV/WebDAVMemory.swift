import FoundationEssentials
import Synchronization

/// What the server has told of one file.
struct WebDAVFile: Hashable, Sendable {
    var file: RemoteFile

    /// Nil at a server without tags.
    var tag: EntityTag?

    var fileID: String?
    var hasPreview: Bool?

    /// Whether it was written so shortly before the server told of it that a tag made of the second may
    /// be given to what comes next, too.
    var isFresh = false

    /// Whether the server tells of the same state of the file.
    func isSameState(as other: WebDAVFile) -> Bool { file == other.file && tag == other.tag }
}

/// What a store remembers of the files it has heard of, so that it need not ask twice: the facts of
/// the last listing, and what the texts were that it has read or written just now.
final class WebDAVMemory: Sendable {
    /// The bytes that belong to a revision.
    struct Content: Hashable, Sendable {
        var revision: Revision
        var hash: String

        /// Whether no other bytes can have the same revision: the server's tags are exact, or it was old
        /// enough when the bytes were read.
        var isCertain: Bool
    }

    private struct State {
        var files: [RemotePath: WebDAVFile] = [:]
        var contents: [RemotePath: Content] = [:]
    }

    private let state = Mutex(State())

    /// More is forgotten, all at once: it is only asked for again.
    private static let fileLimit = 50_000
    private static let contentLimit = 1000

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

    /// Keeps what is known of a revision. What is certain of it is not given up for a guess.
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
