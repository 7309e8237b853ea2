import Glibc
import Synchronization

/// The hidden folder in which files are prepared before a rename moves them to their final path.
///
/// It is in the club's folder, because a rename must stay on one file system. It may be removed at
/// any time; it is then created again.
final class StagingFolder: Sendable {
    static let name = ".byteclub"

    private let root: Int32
    /// The current folder, last, after removed ones: requests may still be using them.
    private let opened: Mutex<[Int32]>

    /// - Parameter root: Must outlive this.
    init(in root: borrowing Descriptor) throws(SystemError) {
        self.root = root.number
        opened = Mutex([try Self.open(in: root.number)])
    }

    deinit {
        for number in opened.withLock({ $0 }) { close(number) }
    }

    /// The descriptor of the existing folder, or of a removed one when it cannot be created.
    var number: Int32 {
        opened.withLock { opened in
            let latest = opened[opened.count - 1]
            var status = stat()
            if fstat(latest, &status) == 0, status.st_nlink > 0 { return latest }
            guard let new = try? Self.open(in: root) else { return latest }
            opened.append(new)
            return new
        }
    }

    private static func open(in root: Int32) throws(SystemError) -> Int32 {
        if mkdirat(root, name, 0o700) != 0, errno != EEXIST { throw SystemError("mkdir") }
        let number = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open") }
        guard faccessat(number, ".", W_OK, 0) == 0 else {
            let error = SystemError("access")
            close(number)
            throw error
        }
        return number
    }
}
