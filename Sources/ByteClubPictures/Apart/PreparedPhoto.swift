public import FoundationEssentials
import Glibc

/// A photo prepared for the club, in a nameless file: it is removed with this value or, at the latest, with
/// the program.
public struct PreparedPhoto: Sendable {
    private let file: NamelessFile
    public let byteCount: Int64
    public let size: PixelSize

    init(file: NamelessFile, byteCount: Int64, _ size: PixelSize) {
        self.file = file
        self.byteCount = byteCount
        self.size = size
    }

    /// A path to the file in this program, valid as long as this value lives.
    public var url: URL {
        URL(filePath: "/proc/self/fd/\(file.descriptor)", directoryHint: .notDirectory)
    }
}

/// Closes a descriptor when it is no longer used.
final class NamelessFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// - Throws: `.cannotWrite`.
    func byteCount(to operation: String) throws(PictureError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else {
            throw .writing(errno, operation: operation)
        }
        return Int64(status.st_size)
    }
}
