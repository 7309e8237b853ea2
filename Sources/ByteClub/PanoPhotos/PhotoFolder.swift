internal import ClubAccess
internal import FoundationEssentials
internal import Glibc

/// One folder of this machine as the photo picker shows it: subfolders first, then JPEG and PNG files.
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
    }

    var path: String
    var entries: [Entry]

    /// Why a folder cannot be shown, as a sentence.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a folder. Hidden entries and files that are not named `.jpg`, `.jpeg` or `.png` are left out.
    ///
    /// - Throws: `Unreadable` when there is no such folder or it may not be read.
    static func read(_ path: String) throws(Unreadable) -> PhotoFolder {
        guard let directory = opendir(path) else {
            let reason = String(cString: strerror(errno))
            throw Unreadable(description: "The folder \(path) cannot be read: \(reason).")
        }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while let item = readdir(directory) {
            guard let name = name(of: item), !name.hasPrefix(".") else { continue }
            let entryPath = path == "/" ? "/" + name : path + "/" + name
            var status = stat()
            guard stat(entryPath, &status) == 0 else { continue }
            let modified = Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                entries.append(
                    Entry(name: name, kind: .folder, path: entryPath, modified: modified))
            case S_IFREG where PhotoName.isPhoto(name) || PhotoName.isDrawing(name):
                entries.append(
                    Entry(
                        name: name, kind: .photo, path: entryPath, byteCount: Int64(status.st_size),
                        modified: modified))
            default: continue
            }
        }
        entries.sort(by: comesBefore)
        if path != "/" {
            entries.insert(Entry(name: "..", kind: .parent, path: parent(of: path)), at: 0)
        }
        return PhotoFolder(path: path, entries: entries)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func comesBefore(_ one: Entry, _ other: Entry) -> Bool {
        if one.kind != other.kind { return one.kind == .folder }
        let (left, right) = (one.name.lowercased(), other.name.lowercased())
        return left == right ? one.name < other.name : left < right
    }

    /// The entry's name, or nil where its bytes are not UTF-8: such a file cannot be named in a club.
    private static func name(of item: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafePointer(to: &item.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
        }
    }
}
