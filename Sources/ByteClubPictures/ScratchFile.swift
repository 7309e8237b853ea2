import CByteClubPictureWorker
import FoundationEssentials
import Glibc

/// A nameless file that is removed with its descriptor, however the program ends.
struct ScratchFile: ~Copyable {
    let descriptor: Int32
    private let isOwn: Bool

    /// - Throws: `.cannotWrite` or `.diskFull`.
    init(
        in folder: URL = .temporaryFolder, to operation: String
    ) throws(PictureError) {
        descriptor = byteclub_picture_open_nameless(folder.path(percentEncoded: false))
        guard descriptor >= 0 else { throw .writing(errno, operation: operation) }
        isOwn = true
    }

    /// A file owned by the caller.
    init(borrowing descriptor: Int32) {
        self.descriptor = descriptor
        isOwn = false
    }

    deinit {
        if isOwn { close(descriptor) }
    }

    /// The descriptor, which the caller must close.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Sets the file's size and allocates disk space for it.
    func reserve(_ byteCount: Int, to operation: String) throws(PictureError) {
        let code = posix_fallocate(descriptor, 0, off_t(byteCount))
        guard code == 0 else { throw .writing(code, operation: operation) }
    }
}
