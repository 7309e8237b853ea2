import FoundationEssentials
import CurlNetworkingPlatform

/// A folder that only the user can access, with its files by their names.
///
/// Nothing outside of it can be reached: names are validated, symbolic links are not followed.
struct PrivateFolder: Sendable {
    let path: String

    /// Creates the folder, and its parents, unless it exists.
    ///
    /// - Throws: `.cannotCreateFile`; `.noPermissionsToReadFile` if it is a symbolic link, belongs to another
    ///   user, or is accessible to others.
    init(path: String) throws(URLError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        try AtomicFile.makeFolder(path)
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw AtomicFile.failure(.cannotCreateFile, path) }
        guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(),
            facts.st_mode & 0o077 == 0
        else {
            throw URLError(
                .noPermissionsToReadFile,
                underlyingText:
                    "\(path) is not a folder that only its user can access: its mode has to be 0700"
            )
        }
    }

    /// Whether a name is valid for a file in this folder: letters, digits, `-`, `_` and `.`, without a
    /// leading dot.
    static func isPlain(_ name: String) -> Bool {
        guard name.utf8.first != UInt8(ascii: "."), (1...200).contains(name.utf8.count) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    /// Returns the path of a file.
    ///
    /// - Precondition: The name is plain.
    func path(of name: String) -> String {
        precondition(Self.isPlain(name), "not the name of a file in a private folder: \(name)")
        return path + "/" + name
    }

    /// Returns the names of the files, sorted, without unfinished ones.
    func names() throws(URLError) -> [String] {
        try allNames().filter(Self.isPlain).sorted()
    }

    private func allNames() throws(URLError) -> [String] {
        guard let folder = opendir(path) else { throw AtomicFile.failure(.cannotOpenFile, path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    func read(_ name: String, atMost limit: Int) throws(URLError) -> Data? {
        try AtomicFile.read(path(of: name), atMost: limit)
    }

    /// Whether there is a regular file with this name.
    func isRegularFile(_ name: String) -> Bool {
        var facts = stat()
        return lstat(path(of: name), &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    func write(_ data: Data, to name: String) throws(URLError) {
        try AtomicFile.write(data, to: path(of: name))
    }

    func setAside(_ name: String) throws(URLError) {
        try AtomicFile.setAside(path(of: name))
    }

    /// Removes a file. A missing file is not an error.
    func remove(_ name: String) throws(URLError) {
        guard unlink(path(of: name)) == 0 || errno == ENOENT else {
            throw AtomicFile.failure(.cannotRemoveFile, path(of: name))
        }
        AtomicFile.syncFolder(path)
    }

    /// Removes unfinished files of killed processes. Call it when no other process writes here.
    func removeUnfinished() throws(URLError) {
        for name in try allNames() where name.hasPrefix(AtomicFile.unfinishedPrefix) {
            unlink(path + "/" + name)
        }
    }
}
