package import ClubStore

/// One row of a tab's list.
package enum FileEntry: Hashable, Sendable {
    case file(RemoteFile)
    /// With how many files lie in it and below.
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

    package var isFolder: Bool { file == nil }
}
