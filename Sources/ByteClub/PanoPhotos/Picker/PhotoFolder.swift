internal import ClubStore
internal import ClubAccess
internal import FoundationEssentials
internal import Glibc
internal import ByteClubMessages

/// A folder on this computer as the photo picker shows it: subfolders, and files with a picture's extension.
///
/// Reading it accesses the disk: do not call it on the main actor.
struct PhotoFolder: Sendable, Equatable {
    struct Entry: Sendable, Hashable, Identifiable {
        enum Kind: Sendable, Hashable { case parent, folder, photo }
        var name: String
        var kind: Kind
        /// The absolute path.
        var path: String
        /// Zero for folders.
        var byteCount: Int64 = 0
        var modified: Date?
        var id: String { path }

        var isHidden: Bool { kind != .parent && name.hasPrefix(".") }
    }

    /// The order of photos; folders come first, by name.
    enum Order: String, Sendable {
        case name
        /// Newest first.
        case date

        var next: Order { self == .name ? .date : .name }
    }

    var path: String
    /// Includes hidden ones; unordered.
    var entries: [Entry]
    /// Why it cannot be shown, as a sentence.
    var problem: String?

    /// Why a folder cannot be shown, as a sentence.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a folder, without files that have no picture's extension.
    ///
    /// - Throws: `Unreadable` if the folder does not exist or cannot be read.
    static func read(_ path: String) throws(Unreadable) -> PhotoFolder {
        guard let directory = opendir(path) else {
            throw Unreadable(description: sentence(for: errno, TypedPath.shown(path)))
        }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while let item = readdir(directory) {
            guard let name = name(of: item), name != ".", name != ".." else { continue }
            let entryPath = path == "/" ? "/" + name : path + "/" + name
            var status = stat()
            guard stat(entryPath, &status) == 0 else { continue }
            let modified = Date(
                timeIntervalSince1970: Double(status.st_mtim.tv_sec)
                    + Double(status.st_mtim.tv_nsec) / 1e9)
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                entries.append(
                    Entry(name: name, kind: .folder, path: entryPath, modified: modified))
            case S_IFREG where PhotoName.isUploadable(name):
                entries.append(
                    Entry(
                        name: name, kind: .photo, path: entryPath, byteCount: Int64(status.st_size),
                        modified: modified))
            default: continue
            }
        }
        return PhotoFolder(path: path, entries: entries)
    }

    /// The displayed entries: the parent folder, folders, photos.
    ///
    /// - Parameter filter: Filters by name, best match first; the parent folder is then left out.
    func shown(
        by order: Order = .name, showingHidden: Bool = false, _ filter: NameFilter = NameFilter()
    ) -> [Entry] {
        struct Item {
            var rank: NameFilter.Rank
            var key: NaturalOrderKey
            /// Larger ones sort first.
            var weight: Double
            var entry: Entry
        }
        var items: [Item] = []
        for entry in entries where showingHidden || !entry.isHidden {
            guard let rank = filter.isActive ? filter.rank(of: entry.name) : .atWordStarts else {
                continue
            }
            let weight: Double =
                switch (entry.kind, order) {
                case (.folder, _), (.parent, _): .infinity
                case (.photo, .name): 0
                case (.photo, .date): entry.modified?.timeIntervalSince1970 ?? 0
                }
            items.append(
                Item(rank: rank, key: NaturalOrderKey(entry.name), weight: weight, entry: entry))
        }
        items.sort { first, second in
            if first.rank != second.rank { return first.rank < second.rank }
            if first.weight != second.weight { return first.weight > second.weight }
            return first.key < second.key
        }
        let parent =
            path == "/" || filter.isActive
            ? [] : [Entry(name: "..", kind: .parent, path: Self.parent(of: path))]
        return parent + items.map(\.entry)
    }

    static func parent(of path: String) -> String {
        guard let folder = path.splitAtLastSlash?.folder, !folder.isEmpty else { return "/" }
        return folder
    }

    /// Why the folder does not exist or cannot be read; nil if it can.
    @concurrent static func problem(at path: String) async -> String? {
        guard let directory = opendir(path) else {
            return sentence(for: errno, TypedPath.shown(path))
        }
        closedir(directory)
        return nil
    }

    private static func sentence(for number: Int32, _ path: String) -> String {
        switch number {
        case ENOENT: localized("No such folder: “\(path)”.")
        case ENOTDIR: localized("“\(path)” is not a folder.")
        case EACCES, EPERM: localized("You do not have permission to open “\(path)”.")
        default:
            localized("The folder “\(path)” cannot be read: \(String(cString: strerror(number))).")
        }
    }

    /// The entry's name; nil if it is not UTF-8: such a file cannot be named in a club.
    private static func name(of item: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &item.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
        }
    }
}

/// A file's path as the file system compares it, byte by byte: texts are equal if they look equal, composed (NFC) or
/// not.
struct FileIdentity: Hashable {
    let path: String

    static func == (one: FileIdentity, other: FileIdentity) -> Bool {
        one.path.utf8.elementsEqual(other.path.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
    }
}
