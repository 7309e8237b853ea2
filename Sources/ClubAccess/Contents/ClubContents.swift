package import ClubStore
internal import ByteClubMessages

/// The known contents of a club's folder: a value updated from listings and changes.
///
/// Notes are the files at the club's top and in its folders; panoramas are the JPEGs in its `photos`
/// folder, whatever the case of its name.
package struct ClubContents: Sendable, Equatable {
    private var files: [RemotePath: RemoteFile] = [:]
    /// Those among them that are photos: most clubs have many more notes.
    private var photoFiles: [RemotePath: RemoteFile] = [:]
    /// Listed folders. Folders with files are also known from their files.
    private var folders: Set<RemotePath> = []
    /// The number of files at any depth below each folder except the root: most changes concern a path without any.
    private var fileCounts: [RemotePath: Int] = [:]
    /// The number of visible ones: neither they nor a folder above them is hidden.
    private var shownCounts: [RemotePath: Int] = [:]

    /// The name of the panoramas' folder, as this app creates it.
    package static let photosFolderName = "photos"

    package init() {}

    /// Starts from a complete listing.
    package init(listing: Listing) {
        apply(listing.entries)
    }

    /// The same, off the main actor: a large club takes a while.
    @concurrent package static func make(from listing: Listing) async -> ClubContents {
        ClubContents(listing: listing)
    }

    /// Applies changes in the order in which the store reported them.
    package mutating func apply(_ entries: [RemoteEntry]) {
        if files.isEmpty { files.reserveCapacity(entries.count) }
        for entry in entries {
            switch entry {
            case .file(let file):
                removeFolder(file.path)
                set(file, at: file.path)
            case .folder(let path):
                set(nil, at: path)
                folders.insert(path)
            case .deleted(let path):
                set(nil, at: path)
                removeFolder(path)
            }
        }
    }

    /// Whether there are files at all.
    package var hasFiles: Bool { !files.isEmpty }

    /// Whether an entry is known already, in this state.
    package func has(_ entry: RemoteEntry) -> Bool {
        switch entry {
        case .file(let file): files[file.path] == file
        case .folder(let path): hasFolder(path)
        case .deleted(let path): files[path] == nil && !hasFolder(path)
        }
    }

    /// Whether a path is known in another spelling than in one of these entries: in another Unicode normalization or,
    /// if that counts, in another case.
    package func hasOtherSpelling(ofAny entries: [RemoteEntry], ignoringCase: Bool) -> Bool {
        let new = entries.compactMap { entry -> RemotePath? in
            if case .deleted = entry { return nil }
            // Of a name in ASCII there is one form.
            let hasForms = ignoringCase || !entry.path.string.utf8.allSatisfy { $0 < 0x80 }
            return !hasForms || hasExactly(entry.path) ? nil : entry.path
        }
        guard !new.isEmpty else { return false }
        // Strings are equal in whichever normalization; paths are not.
        func key(_ path: RemotePath) -> String { ignoringCase ? Self.caseKey(path) : path.string }
        let keys = Set(new.map(key))
        // A path that the same changes remove was renamed, and does not count.
        let removed = Set(
            entries.compactMap { entry -> RemotePath? in
                if case .deleted(let path) = entry { path } else { nil }
            })
        let lengths = Set(new.map { $0.components.count })
        return files.keys.contains { path in
            lengths.contains(path.components.count) && !removed.contains(path)
                && keys.contains(key(path))
        }
    }

    private func hasExactly(_ path: RemotePath) -> Bool {
        files[path] != nil || hasFolder(path)
    }

    /// Lowercase, as Dropbox compares paths.
    private static func caseKey(_ path: RemotePath) -> String { path.string.lowercased() }

    /// All files, unordered: notes, photos and others.
    package var allFiles: some Collection<RemoteFile> { files.values }

    /// The files of a tab that pass a test, with those of all folders, unordered.
    package func files(
        of kind: FileKind, where isIncluded: (RemoteFile) -> Bool = { _ in true }
    ) -> [RemoteFile] {
        switch kind {
        case .photos: photoFiles.values.filter(isIncluded)
        case .notes: allFiles.filter { isIncluded($0) && Self.kind(of: $0) == .notes }
        }
    }

    /// The total number of files.
    package var fileCount: Int { files.count }

    /// The file at a path.
    package subscript(path: RemotePath) -> RemoteFile? { files[path] }

    /// The notes at the club's top, by name.
    package var notes: [RemoteFile] { sorted(.notes) }

    /// The panoramas, by name.
    package var photos: [RemoteFile] { sorted(.photos) }

    /// A file with this name, in any case, directly in a folder: most stores ignore case.
    package func file(named name: String, in folder: RemotePath = .root) -> RemoteFile? {
        let folded = name.lowercased()
        return allFiles.first {
            isDirectly($0.path, in: folder) && $0.name.lowercased() == folded
        }
    }

    /// Whether the photos folder contains a photo with this name, in any case.
    package func hasPhoto(named name: String) -> Bool {
        let folded = name.lowercased()
        return photoFiles.keys.contains { $0.name.lowercased() == folded }
    }

    /// Whether a folder exists; the root always does.
    package func hasFolder(_ path: RemotePath) -> Bool {
        path.isRoot || folders.contains(path) || fileCounts[path] != nil
    }

    /// All folders that can contain notes, except the root.
    package var noteFolders: [RemotePath] {
        folders.union(fileCounts.keys).filter { path in
            !path.isRoot && !Self.isInPhotosFolder(path)
                && !Self.isHidden(path)
        }
    }

    /// What a tab shows of a folder, unordered. There is only one folder of photos.
    package func entries(of kind: FileKind, in folder: RemotePath) -> [FileEntry] {
        switch kind {
        case .photos:
            return photoFiles.values.map { .file($0) }
        case .notes:
            var entries: [FileEntry] = []
            for file in allFiles
            where isDirectly(file.path, in: folder) && !Self.isHidden(name: file.name) {
                entries.append(.file(file))
            }
            for path in noteFolders where isDirectly(path, in: folder) {
                entries.append(.folder(path, fileCount: shownCounts[path] ?? 0))
            }
            return entries
        }
    }

    /// The notes in the folders below a folder, unordered: a filter finds them, too. Photos have only one folder.
    package func entries(of kind: FileKind, below folder: RemotePath) -> [FileEntry] {
        guard kind == .notes else { return [] }
        let depth = folder.components.count + 1
        return files(of: .notes) {
            $0.path.components.count > depth && $0.path.isInside(folder)
        }.map { .file($0) }
    }

    /// The tab that shows a file; nil for none.
    package static func kind(of file: RemoteFile) -> FileKind? {
        if isPhoto(file.path) { return .photos }
        return isHidden(file.path)
            || file.path.components.count > 1 && isInPhotosFolder(file.path)
            ? nil : .notes
    }

    /// The files of a folder, by name.
    package func sorted(_ kind: FileKind, in folder: RemotePath = .root) -> [RemoteFile] {
        entries(of: kind, in: folder).compactMap(\.file)
            .map { (key: NaturalOrderKey($0.name), file: $0) }
            .sorted { $0.key < $1.key }.map(\.file)
    }

    private func isDirectly(_ path: RemotePath, in folder: RemotePath) -> Bool {
        path.components.count == folder.components.count + 1 && path.isInside(folder)
    }

    /// The notes of all folders that are small enough to be searched, by path.
    package var searchableNotes: [RemoteFile] {
        files(of: .notes) { $0.byteCount <= Self.searchableByteCount }
            .sorted { $0.path < $1.path }
    }

    /// The notes with the same bytes, by the store's hash of them; none without a hash, and no empty ones.
    package func notes(withHash hash: String?) -> [RemoteFile] {
        guard let hash else { return [] }
        return files(of: .notes) { $0.contentHash == hash && $0.byteCount > 0 }
    }

    /// The notes of a length, in bytes; no empty ones.
    package func notes(ofLength byteCount: Int64) -> [RemoteFile] {
        guard byteCount > 0 else { return [] }
        return files(of: .notes) { $0.byteCount == byteCount }
    }

    /// The notes that are too large for ``searchableNotes``, by path.
    package var largeNotes: [RemoteFile] {
        files(of: .notes) { $0.byteCount > Self.searchableByteCount }
            .sorted { $0.path < $1.path }
    }

    /// A larger note is opened and searched there.
    package static let searchableByteCount: Int64 = 1 << 20

    /// Whether a file or folder is private: its name, or one above it, begins with a dot.
    package static func isHidden(_ path: RemotePath) -> Bool {
        path.components.contains { isHidden(name: $0) }
    }

    private static func isHidden(name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

    /// Why only photos can be put into the photos folder, and no other folder can have its name.
    package static let photosFolderRefusal =
        localized("The photos folder is for photos: the tab PanoPhotos shows it.")

    /// Whether a path is the photos folder, or below it.
    package static func isInPhotosFolder(_ path: RemotePath) -> Bool {
        path.components.first?.lowercased() == photosFolderName
    }

    private static func isPhoto(_ path: RemotePath) -> Bool {
        path.components.count == 2 && isInPhotosFolder(path)
            && !isHidden(name: path.name) && PhotoTrash.date(of: path.name) == nil
            && PhotoName.isPhoto(path.name)
    }

    private mutating func set(_ file: RemoteFile?, at path: RemotePath) {
        let old =
            if let file {
                files.updateValue(file, forKey: path)
            } else {
                files.removeValue(forKey: path)
            }
        if Self.isPhoto(path) { photoFiles[path] = file }
        let difference = (file == nil ? 0 : 1) - (old == nil ? 0 : 1)
        guard difference != 0 else { return }
        let isShown = !Self.isHidden(path)
        var folder = path.parent
        while let current = folder, !current.isRoot {
            Self.add(difference, to: &fileCounts[current])
            if isShown { Self.add(difference, to: &shownCounts[current]) }
            folder = current.parent
        }
    }

    private static func add(_ difference: Int, to count: inout Int?) {
        let sum = (count ?? 0) + difference
        count = sum == 0 ? nil : sum
    }

    /// Removes everything below a path; usually nothing, because most changes concern files.
    private mutating func removeFolder(_ path: RemotePath) {
        // Skips the lookup for each of many files.
        guard !fileCounts.isEmpty || !folders.isEmpty || path.isRoot else { return }
        guard hasFolder(path) else { return }
        if path.isRoot || fileCounts[path] != nil {
            for key in files.keys where key != path && key.isInside(path) {
                set(nil, at: key)
            }
        }
        folders = folders.filter { !$0.isInside(path) }
    }
}
