import FoundationEssentials
import CurlNetworkingPlatform

/// The hash of a request's body, for Digest authentication with `auth-int`.
///
/// Computed on the file queue, one block per turn, so that a large file does not block other work.
final class BodyHash: @unchecked Sendable {
    // Unchecked because only the current turn of the queue uses it.
    private var stream: DigestStream?
    private let body: Body
    private var position: Int
    private let finish: @Sendable (String?) -> Void

    private enum Body {
        case data(Data)
        case file(Int32)
    }

    private static let blockByteCount = 1 << 20

    /// Computes a hash.
    ///
    /// - Parameters:
    ///   - offset: Where the part to be sent begins.
    ///   - finish: Called with the hexadecimal digits, or nil if the body cannot be read.
    static func make(
        of source: BodySource, from offset: Int64, with algorithm: DigestAlgorithm,
        finish: @escaping @Sendable (String?) -> Void
    ) {
        FileQueue.run {
            let body: Body
            switch source {
            case .data(let data): body = .data(data)
            case .file(let url):
                let descriptor = open(
                    url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
                guard descriptor >= 0 else { return finish(nil) }
                body = .file(descriptor)
            case .none, .given, .pipe, .produced, .stream: return finish(nil)
            }
            BodyHash(body, Int(offset), algorithm, finish).proceed()
        }
    }

    private init(
        _ body: Body, _ position: Int, _ algorithm: DigestAlgorithm,
        _ finish: @escaping @Sendable (String?) -> Void
    ) {
        self.body = body
        self.position = position
        self.finish = finish
        stream = DigestStream(algorithm)
    }

    deinit {
        if case .file(let descriptor) = body { close(descriptor) }
    }

    private func proceed() {
        guard let count = takeBlock() else { return finish(nil) }
        guard count == 0 else {
            position += count
            return FileQueue.run { self.proceed() }
        }
        finish(stream.take()?.finish()?.hex)
    }

    /// Hashes the next block. Returns its length, 0 at the end, nil if it cannot be read.
    private func takeBlock() -> Int? {
        switch body {
        case .data(let data):
            let start = data.startIndex + min(position, data.count)
            let block = data[start..<min(start + Self.blockByteCount, data.endIndex)]
            block.withUnsafeBytes { stream?.append($0) }
            return block.count
        case .file(let descriptor):
            return withUnsafeTemporaryAllocation(
                byteCount: Self.blockByteCount, alignment: 16
            ) { buffer in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, position)
                guard count >= 0 else { return errno == EINTR ? takeBlock() : nil }
                stream?.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
        }
    }
}
