import Synchronization

/// The files as the server has shown them last: what a move has left is recognized by them, whatever its answer says.
final class SeenFiles: Sendable {
    private let files = Mutex<[RemotePath: RemoteFile]>([:])

    /// Above this, all are forgotten: a move can do without them.
    private static let limit = 50_000

    func file(at path: RemotePath) -> RemoteFile? {
        files.withLock { $0[path] }
    }

    func keep(_ seen: [RemoteFile]) {
        files.withLock { files in
            if files.count + seen.count > Self.limit { files = [:] }
            for file in seen.prefix(Self.limit) { files[file.path] = file }
        }
    }
}
