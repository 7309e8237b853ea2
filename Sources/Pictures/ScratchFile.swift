import CPictureWorker
import FoundationEssentials
import Glibc

/// A file that has no name and goes with its descriptor, whatever happens to the program.
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

    /// One that stays somebody else's.
    init(borrowing descriptor: Int32) {
        self.descriptor = descriptor
        isOwn = false
    }

    deinit {
        if isOwn { close(descriptor) }
    }

    /// The descriptor, now somebody else's to close.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Makes it so large, with room on the disk for all of it.
    func reserve(_ byteCount: Int, to operation: String) throws(PictureError) {
        let code = posix_fallocate(descriptor, 0, off_t(byteCount))
        guard code == 0 else { throw .writing(code, operation: operation) }
    }
}
