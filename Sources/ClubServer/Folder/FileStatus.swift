import Glibc

/// The `stat` of a file, and whether a club shows its type.
struct FileStatus: Sendable {
    enum Kind: Sendable {
        case file
        case folder
        /// A symbolic link, a pipe, a socket, a device: never followed, never opened.
        case special
    }

    let kind: Kind
    let signature: FileSignature
    let device: UInt64
    let linkCount: Int
    /// The permission bits, with setuid, setgid and sticky.
    let permissions: UInt32

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .special
            }
        signature = FileSignature(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
        device = UInt64(status.st_dev)
        linkCount = Int(status.st_nlink)
        permissions = UInt32(status.st_mode & 0o7777)
    }

    /// Reads the status of a name in a folder without following links.
    static func of(_ name: String, in folder: Int32) throws(SystemError) -> FileStatus {
        var status = stat()
        try SystemError.check("stat", fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return FileStatus(status)
    }

    /// Reads the status of what is at a path, following links.
    static func of(_ path: String) throws(SystemError) -> FileStatus {
        var status = stat()
        try SystemError.check("stat", fstatat(AT_FDCWD, path, &status, 0))
        return FileStatus(status)
    }

    static func of(_ descriptor: borrowing Descriptor) throws(SystemError) -> FileStatus {
        var status = stat()
        try SystemError.check("stat", fstat(descriptor.number, &status))
        return FileStatus(status)
    }
}

/// Distinguishes two contents of a file without reading it.
///
/// A replaced file has another inode; one written in place has another time.
struct FileSignature: Hashable, Sendable {
    let inode: UInt64
    let size: Int64
    let seconds: Int64
    let nanoseconds: Int64

    /// Whether it is another file with the size and the time of a file.
    func isCopy(of other: FileSignature) -> Bool {
        inode != other.inode && size == other.size && seconds == other.seconds
            && nanoseconds == other.nanoseconds
    }
}
