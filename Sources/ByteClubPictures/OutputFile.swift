import FoundationEssentials
import Glibc

/// A new private file, removed unless it is kept.
struct OutputFile: ~Copyable {
    let descriptor: Int32
    private let path: String
    private let operation: String
    private var isDoomed = true

    /// Creates a file with an unused name.
    ///
    /// - Throws: `.cannotWrite` or `.diskFull`.
    init(
        in directory: URL, prefix: String, suffix: String = "", to operation: String
    ) throws(PictureError) {
        while true {
            let random = String(UInt64.random(in: .min ... .max), radix: 36)
            let path = directory.appending(path: prefix + random + suffix)
                .path(percentEncoded: false)
            let opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if opened >= 0 {
                descriptor = opened
                self.path = path
                self.operation = operation
                return
            }
            guard errno == EEXIST || errno == EINTR else {
                throw .writing(errno, operation: operation)
            }
        }
    }

    deinit {
        if isDoomed { unlink(path) }
        close(descriptor)
    }

    /// Syncs the file, closes it and keeps it.
    consuming func keep() throws(PictureError) -> URL {
        guard fsync(descriptor) == 0 else { throw .writing(errno, operation: operation) }
        isDoomed = false
        return URL(filePath: path, directoryHint: .notDirectory)
    }
}

extension URL {
    /// `TMPDIR`, or else `/tmp`.
    static var temporaryFolder: URL {
        let path = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return URL(filePath: path.hasPrefix("/") ? path : "/tmp", directoryHint: .isDirectory)
    }
}
