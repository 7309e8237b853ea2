import FoundationEssentials
import CurlNetworkingPlatform

/// A response body, read from the helper's file as fast as the delegate takes it.
final class BackgroundBody {
    private let descriptor: Int32
    static let pieceByteCount = 128 << 10

    /// nil when the file is gone, or something else has taken its place.
    init?(path: String) {
        // O_NONBLOCK: a pipe in the file's place must not hold us.
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG
        else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The next piece; empty at the end.
    func next() -> Data {
        var piece = Data(count: Self.pieceByteCount)
        let count = piece.withUnsafeMutableBytes { AtomicFile.read(descriptor, into: $0) }
        return piece.prefix(count)
    }
}
