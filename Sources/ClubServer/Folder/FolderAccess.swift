import CByteClubLinux
import Glibc

/// All access to the club's folder on disk.
///
/// Every name is opened relative to an open folder and without following links, one component at a
/// time, so nothing outside can be reached, whatever the names are or become.
final class FolderAccess: Sendable {
    let root: Descriptor
    let staging: StagingFolder
    let path: String
    /// The folder's own, when it was opened.
    private let name: DiskName

    /// Opens a club's folder and removes the remains of a killed server.
    init(path: String) throws(SystemError) {
        self.path = path
        name = Self.lastName(of: path)
        root = try .opened("open", open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        try SystemError.check("access", faccessat(root.number, ".", R_OK | W_OK | X_OK, 0))
        staging = try StagingFolder(in: root)
    }

    /// Whether the folder was removed while it was open, or another one is at its path now. One that was only moved
    /// away is not gone.
    var isGone: Bool {
        let opened: FileStatus
        do throws(SystemError) {
            opened = try FileStatus.of(root)
        } catch {
            // Another computer has removed it from a network's disk.
            return error.code == ESTALE
        }
        if opened.linkCount == 0 { return true }
        // Through links, as it was opened.
        guard let there = try? FileStatus.of(path) else { return false }
        return there.kind == .folder
            && (there.device, there.signature.inode) != (opened.device, opened.signature.inode)
    }

    /// The names by which the folder, or another one in its place, can be in its parent: the one that it had first, and
    /// the one that it has now.
    var names: Set<DiskName> {
        Set([name, Self.lastName(of: "/proc/self/fd/\(root.number)")])
    }

    private static func lastName(of path: String) -> DiskName {
        let names = RuntimePaths.realPath(of: path).utf8.split(separator: UInt8(ascii: "/"))
        return DiskName(bytes: names.last.map { Array($0) } ?? [])
    }

    /// Opens a folder by its names on disk.
    func folder(_ names: [String]) throws(SystemError) -> Descriptor {
        var folder = try Descriptor.opened(
            "open", openat(root.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        for name in names {
            folder = try .opened(
                "open",
                openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        }
        return folder
    }

    /// Opens a regular file for reading.
    ///
    /// - Throws: ``SystemError``, `ELOOP` also for anything but a regular file.
    func file(_ names: [String]) throws(SystemError) -> Descriptor {
        guard let name = names.last else { throw SystemError("open", code: EISDIR) }
        let parent = try folder(Array(names.dropLast()))
        return try Self.file(name, in: parent.number)
    }

    static func file(_ name: String, in folder: Int32) throws(SystemError) -> Descriptor {
        // O_NONBLOCK: opening a pipe must not block.
        let file = try Descriptor.opened(
            "open", openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        guard try FileStatus.of(file).kind == .file else { throw SystemError("open", code: ELOOP) }
        return file
    }

    /// Renames; fails with `EEXIST` instead of replacing anything.
    func renameNew(
        _ name: String, in folder: Int32, to newName: String, in newFolder: Int32
    ) throws(SystemError) {
        let flags = UInt32(BYTECLUB_RENAME_NOREPLACE)
        if byteclub_rename(folder, name, newFolder, newName, flags) == 0 { return }
        guard errno == EINVAL || errno == ENOSYS else { throw SystemError("rename") }
        // The file system does not support the flag; a check beforehand is the best it allows.
        if faccessat(newFolder, newName, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
            throw SystemError("rename", code: EEXIST)
        }
        try SystemError.check("rename", renameat(folder, name, newFolder, newName))
    }

    enum Exchange {
        case swapped
        /// The file system can only replace: nothing was changed.
        case notSupported
    }

    /// Swaps a staged file with another one, which then has the staged name.
    func exchange(
        staged: String, with name: String, in folder: Int32
    ) throws(SystemError) -> Exchange {
        let flags = UInt32(BYTECLUB_RENAME_EXCHANGE)
        if byteclub_rename(staging.number, staged, folder, name, flags) == 0 { return .swapped }
        guard errno == EINVAL || errno == ENOSYS else { throw SystemError("rename") }
        return .notSupported
    }

    /// Makes a folder's changed names durable.
    func flush(folder: Int32) throws(SystemError) {
        // Some file systems cannot sync a folder (EINVAL); there is no alternative.
        if fsync(folder) != 0, errno != EINVAL { throw SystemError("fsync") }
    }

    /// Removes a staged file or folder with its contents. Links are removed, not followed.
    func discard(staged name: String) {
        Self.remove(name, in: staging.number, depth: 0)
    }

    private static func remove(_ name: UnsafePointer<CChar>, in folder: Int32, depth: Int) {
        if unlinkat(folder, name, 0) == 0 || errno == ENOENT || depth > 200 { return }
        let opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if opened >= 0 {
            let child = Descriptor(opened)
            // A folder without write permission could not be emptied.
            fchmod(child.number, 0o700)
            for entry in (try? names(in: child.number)) ?? [] {
                entry.withCString { remove($0, in: child.number, depth: depth + 1) }
            }
        }
        unlinkat(folder, name, AT_REMOVEDIR)
    }

    /// Every name in a folder but `.` and `..`, unordered.
    static func names(in folder: Int32) throws(SystemError) -> [DiskName] {
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw SystemError("open") }
        guard let stream = fdopendir(copy) else {
            let error = SystemError("opendir")
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [DiskName] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError("readdir") }
                return names
            }
            let bytes = withUnsafePointer(to: &entry.pointee.d_name) { name in
                UnsafeRawBufferPointer(start: name, count: 256).prefix { $0 != 0 }.map { $0 }
            }
            if bytes != [0x2E], bytes != [0x2E, 0x2E] { names.append(DiskName(bytes: bytes)) }
        }
    }
}

/// A name on disk: any bytes but a slash and NUL.
struct DiskName: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: String) { bytes = Array(text.utf8) }

    /// The name as text; nil for invalid UTF-8, which our API cannot express.
    var text: String? { String(validating: bytes, as: UTF8.self) }

    func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
        (bytes + [0]).withUnsafeBytes { buffer in
            if let start = buffer.baseAddress { body(start.assumingMemoryBound(to: CChar.self)) }
        }
    }
}
