internal import ClubAccess
internal import FoundationEssentials
internal import Glibc
internal import Messages

/// One folder of this machine as the photo picker shows it: subfolders, and files that are named like pictures.
///
/// Reading it touches the disk: call from off the main actor.
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

    /// What photos are ordered by; folders come before them, by name.
    enum Order: String, Sendable {
        case name
        /// The latest come first.
        case date

        var next: Order { self == .name ? .date : .name }
    }

    var path: String
    /// Hidden ones, too; in no order.
    var entries: [Entry]
    /// Why it cannot be shown, as a sentence; nil where it can.
    var problem: String?

    /// Why a folder cannot be shown, as a sentence.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a folder. Files that have no picture's ending are left out.
    ///
    /// - Throws: `Unreadable` when there is no such folder or it may not be read.
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
            case S_IFREG where PhotoName.isPhoto(name):
                entries.append(
                    Entry(
                        name: name, kind: .photo, path: entryPath, byteCount: Int64(status.st_size),
                        modified: modified))
            default: continue
            }
        }
        return PhotoFolder(path: path, entries: entries)
    }

    /// What is shown of it: the way back up, folders, photos.
    ///
    /// - Parameter filter: What names have to fit, the best first; with one there is no way back up.
    func shown(
        by order: Order = .name, showingHidden: Bool = false, _ filter: NameFilter = NameFilter()
    ) -> [Entry] {
        struct Item {
            var rank: NameFilter.Rank
            var key: NaturalOrderKey
            /// The larger comes first.
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
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Why there is no such folder, or it may not be read; nil where there is one.
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

    /// The entry's name, or nil where its bytes are not UTF-8: such a file cannot be named in a club.
    private static func name(of item: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &item.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
        }
    }
}
