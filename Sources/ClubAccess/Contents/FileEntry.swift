package import ClubStore

/// A row of a tab's list.
package enum FileEntry: Hashable, Sendable {
    case file(RemoteFile)
    /// With the number of files at any depth.
    case folder(RemotePath, fileCount: Int)

    package var path: RemotePath {
        switch self {
        case .file(let file): file.path
        case .folder(let path, _): path
        }
    }

    package var name: String { path.name }

    /// The file, when it is one.
    package var file: RemoteFile? {
        if case .file(let file) = self { file } else { nil }
    }

    package var isFolder: Bool {
        if case .folder = self { true } else { false }
    }
}
