import DropboxAPI

/// What copying one entry of a club requires, according to the two listings.
enum CopyStep: Hashable, Sendable {
    case makeFolder(RemotePath)
    case copy(RemoteFile)
    /// A file with this name exists; whether its content is the same must be checked.
    case compare(RemoteFile, with: RemoteFile)
    /// A folder where a file should go, or the reverse: left unchanged.
    case blocked(RemotePath)

    /// The steps for a whole club, folders before their contents.
    ///
    /// An entry without an exact match in the other club is matched as Dropbox compares names,
    /// case-insensitively: there, two names that differ only in case cannot coexist.
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
