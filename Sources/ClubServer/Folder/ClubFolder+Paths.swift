import DropboxAPI

/// Resolving paths.
extension ClubFolder {
    /// The result of resolving an API path.
    enum Location: Sendable {
        case root
        /// A name, existing or not, in an existing folder.
        case place(folder: String, name: String)
        /// Nothing can be there, because a parent folder is missing.
        case nowhere
        /// Nothing can be there, because a parent is a file.
        case belowFile
    }

    /// The only namespace, as in `ns:1/photos`.
    static let namespace = "1"

    /// The entry at a path, checked against the disk.
    func find(_ path: String) throws(LookupError) -> Entry {
        if path.hasPrefix("id:") {
            guard let known = index.entry(id: path) else { throw .notFound }
            if let parent = known.parentKey { refresh(folder: parent, name: known.name) }
            publish()
            guard let entry = index.entry(id: path) else { throw .notFound }
            return entry
        }
        if path.hasPrefix("rev:") {
            let revision = path.dropFirst(4)
            func isWanted(_ entry: Entry) -> Bool {
                entry.facts.map { $0.revision == revision } ?? false
            }
            guard let known = index.entries.values.first(where: isWanted) else { throw .notFound }
            if let parent = known.parentKey { refresh(folder: parent, name: known.name) }
            publish()
            guard let entry = index[known.key], isWanted(entry) else { throw .notFound }
            return entry
        }
        switch try location(of: path) {
        case .root:
            guard let root = index[""] else { throw .notFound }
            return root
        case .place(let folder, let name):
            refresh(folder: folder, name: name)
            publish()
            guard let entry = index[folder + "/" + PathNames.key(name)] else { throw .notFound }
            return entry
        case .nowhere, .belowFile:
            throw .notFound
        }
    }

    /// Parses a path and resolves all but its last component.
    func location(of path: String) throws(LookupError) -> Location {
        var path = path
        if path.hasPrefix("ns:") {
            let rest = path.utf8.dropFirst(3)
            let number = rest.prefix { $0 != UInt8(ascii: "/") }
            guard Substring(number) == Self.namespace else { throw .notFound }
            path = String(Substring(rest.dropFirst(number.count)))
        }
        if path == "/" { throw .malformedPath("The root folder is \"\".") }
        guard let components = PathNames.components(of: path) else { throw .malformedPath(nil) }
        guard let name = components.last else { return .root }
        var folder = ""
        for component in components.dropLast() {
            let key = folder + "/" + PathNames.key(component)
            if index[key] == nil { refresh(folder: folder, name: component) }
            guard let entry = index[key] else { return .nowhere }
            guard entry.isFolder else { return .belowFile }
            folder = key
        }
        return .place(folder: folder, name: name)
    }

    /// The file at a path, with everything needed to open it.
    func findFile(_ path: String) throws(LookupError) -> (entry: Entry, diskNames: [String]) {
        let entry = try find(path)
        guard !entry.isFolder else { throw .notFile }
        return (entry, index.diskNames(of: entry.key))
    }

    // MARK: - In the API's words

    func metadata(of entry: Entry) -> Metadata {
        if entry.isFolder { return .folder(folderMetadata(of: entry)) }
        return .file(fileMetadata(of: entry))
    }

    func fileMetadata(of entry: Entry) -> FileMetadata {
        Self.fileMetadata(of: entry, path: index.displayPath(of: entry.key))
    }

    func folderMetadata(of entry: Entry) -> FolderMetadata {
        FolderMetadata(
            name: entry.name, pathLower: entry.key,
            pathDisplay: index.displayPath(of: entry.key), id: entry.id)
    }

    static func fileMetadata(of entry: Entry, path: String) -> FileMetadata {
        guard let facts = entry.facts else { preconditionFailure("a folder has no file metadata") }
        return FileMetadata(
            name: entry.name, pathLower: entry.key, pathDisplay: path, id: entry.id,
            clientModified: facts.clientModified
                ?? Timestamp(secondsSince1970: facts.signature.seconds),
            serverModified: facts.serverModified, revision: facts.revision,
            size: UInt64(max(0, facts.signature.size)), contentHash: facts.contentHash)
    }

    /// Stores a hash computed outside the actor, unless the file has changed since.
    func note(_ hash: ContentHash, of key: String, with signature: FileSignature) {
        guard var facts = index[key]?.facts, facts.signature == signature else { return }
        facts.contentHash = hash
        annotate(key, facts)
        publish()
    }
}
