import FoundationEssentials
import Glibc

/// The body of an answer, read from the helper's file as fast as the delegate takes it.
final class BackgroundBody {
    private let descriptor: Int32
    static let pieceByteCount = 128 << 10

    /// nil when the file is gone.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// The next piece; empty at the end.
    func next() -> Data {
        var piece = Data(count: Self.pieceByteCount)
        let count = piece.withUnsafeMutableBytes { AtomicFile.read(descriptor, into: $0) }
        return piece.prefix(count)
    }
}
