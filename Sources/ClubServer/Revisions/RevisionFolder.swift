import Glibc
import Synchronization

/// The folder of kept revisions: a file for each, named after it.
///
/// It is in the club's state folder. If that is on another file system than the club, it is in the
/// club's hidden folder instead: keeping a file is then always an atomic rename that takes no time
/// and no space.
final class RevisionFolder: Sendable {
    private let access: FolderAccess
    private let path: String
    /// In the hidden folder instead of at ``path``.
    let isInClub: Bool
    private let opened: Mutex<Int32>

    /// Its name in the hidden folder.
    static let nameInClub = "revisions"

    init(path: String, access: FolderAccess) throws(SystemError) {
        self.path = path
        self.access = access
        let folder = try Self.open(path, in: AT_FDCWD)
        let isInClub = Self.probeRename(into: folder, from: access.staging.number) == .impossible
        if isInClub { close(folder) }
        let number = isInClub ? try Self.open(Self.nameInClub, in: access.staging.number) : folder
        self.isInClub = isInClub
        opened = Mutex(number)
    }

    deinit { close(opened.withLock { $0 }) }

    /// Calls `body` with the folder, creating it again if it was removed.
    func with<Result: ~Copyable>(
        _ body: (Int32) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        try opened.withLock { number throws(SystemError) in
            var status = stat()
            if fstat(number, &status) != 0 || status.st_nlink == 0 {
                let new =
                    isInClub
                    ? try Self.open(Self.nameInClub, in: access.staging.number)
                    : try Self.open(path, in: AT_FDCWD)
                close(number)
                number = new
            }
            return try body(number)
        }
    }

    /// A second descriptor of the folder, to make it durable while others go on renaming.
    func duplicate() throws(SystemError) -> Descriptor {
        try with { number throws(SystemError) in
            try Descriptor.opened("open", fcntl(number, F_DUPFD_CLOEXEC, 0))
        }
    }

    private static func open(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
        if mkdirat(folder, name, 0o700) != 0, errno != EEXIST { throw SystemError("mkdir") }
        let number = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open") }
        return number
    }

    /// Of files that only show whether a rename works.
    static let probePrefix = "probe-"

    private enum Renaming {
        case possible
        /// The folders are on different file systems.
        case impossible
    }

    /// Renames a temporary file from one folder into the other. Device numbers do not show whether that
    /// works if one file system is mounted twice.
    private static func probeRename(into folder: Int32, from other: Int32) -> Renaming {
        let name = probePrefix + RandomText.hexadecimal(byteCount: 8)
        let file = openat(other, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return .possible }
        close(file)
        defer {
            unlinkat(other, name, 0)
            unlinkat(folder, name, 0)
        }
        return renameat(other, name, folder, name) == 0 || errno != EXDEV ? .possible : .impossible
    }
}
