import DropboxAPI

/// What copying a club has to do for one entry of it, as far as the two listings tell.
enum CopyStep: Hashable, Sendable {
    case makeFolder(RemotePath)
    case copy(RemoteFile)
    /// A file is there under this name; whether it is the same one has to be seen.
    case compare(RemoteFile, with: RemoteFile)
    /// A folder is where a file should go, or a file where a folder should: left alone.
    case blocked(RemotePath)

    /// The steps for a whole club, folders before what is in them.
    ///
    /// What has no like of the very same name in the other club is compared as Dropbox compares names,
    /// without regard to case: it could not live side by side there with what differs in case alone.
    static func steps(from source: Listing, to destination: Listing) -> [CopyStep] {
        let there = Dictionary(
            destination.entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        let here = Set(source.entries.map(\.path))
        var similar: [String: RemoteEntry] = [:]
        for entry in destination.entries where !here.contains(entry.path) {
            similar[PathNames.key(entry.path.string)] = entry
        }
        return source.entries.sorted { $0.path < $1.path }.compactMap { entry in
            let existing = there[entry.path] ?? similar[PathNames.key(entry.path.string)]
            switch (entry, existing) {
            case (.deleted, _): return nil
            case (.file(let file), nil): return .copy(file)
            case (.file(let file), .file(let other)): return .compare(file, with: other)
            case (.folder(let path), nil): return .makeFolder(path)
            case (.folder, .folder): return nil
            case (.file(let file), _): return .blocked(file.path)
            case (.folder(let path), _): return .blocked(path)
            }
        }
    }

    var path: RemotePath {
        switch self {
        case .makeFolder(let path), .blocked(let path): path
        case .copy(let file), .compare(let file, _): file.path
        }
    }
}
