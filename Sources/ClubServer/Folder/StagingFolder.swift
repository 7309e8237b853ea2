import Glibc
import Synchronization

/// The hidden folder in which everything is made ready before it takes its place by a rename.
///
/// It lies in the club's folder, because a rename must stay in one file system. Somebody may remove
/// it at any time; it is then made again.
final class StagingFolder: Sendable {
    static let name = ".byteclub"

    private let root: Int32
    /// The folder, after those that were removed: somebody may still be at work in them.
    private let opened: Mutex<[Int32]>

    /// - Parameter root: Must outlive this.
    init(in root: borrowing Descriptor) throws(SystemError) {
        self.root = root.number
        opened = Mutex([try Self.open(in: root.number)])
    }

    deinit {
        for number in opened.withLock({ $0 }) { close(number) }
    }

    /// The descriptor of a folder that is there, or of one that was, when none can be made.
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
