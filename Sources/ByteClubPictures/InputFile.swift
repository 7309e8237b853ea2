import FoundationEssentials
import Glibc

/// A regular file, open for reading.
struct InputFile: ~Copyable {
    let descriptor: Int32

    /// - Throws: `.notFound`, `.isDirectory`, `.empty` or `.unreadable`.
    static func opening(_ url: URL, to operation: String) throws(PictureError) -> InputFile {
        // O_NONBLOCK: opening a named pipe must not block.
        let opened = url.withUnsafeFileSystemRepresentation { path in
            path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        }
        guard url.isFileURL, let opened else {
            throw PictureError(.notFound, operation: operation, detail: "no file name")
        }
        guard opened >= 0 else {
            let code: PictureError.Code =
                errno == ENOENT || errno == ENOTDIR ? .notFound : .unreadable
            throw PictureError(
                code, operation: operation, detail: String(cString: strerror(errno)))
        }
        let file = InputFile(descriptor: opened)
        try file.checkKind(operation)
        return file
    }

    deinit { close(descriptor) }

    /// The descriptor, which the caller must close.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    private func checkKind(_ operation: String) throws(PictureError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PictureError(
                .unreadable, operation: operation, detail: String(cString: strerror(errno)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            // Files in /proc have a size of 0 but can be read.
            return
        case S_IFDIR:
            throw PictureError(.isDirectory, operation: operation)
        default:
            throw PictureError(.unreadable, operation: operation, detail: "not a plain file")
        }
    }
}
