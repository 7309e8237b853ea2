import FoundationEssentials
import CurlNetworkingPlatform

/// A cache file that is being written. It is not visible to readers until it is complete and renamed.
///
/// Not synced to disk: after a power failure, its checksums show whether it is intact.
struct CacheScratchFile: ~Copyable, Sendable {
    private let path: String
    private let descriptor: Int32
    private let head: [UInt8]
    private var bodySum = Checksum()
    private(set) var bodyByteCount = 0

    /// A suffix that no entry's name has. Files that a crash left behind are removed later.
    static let suffix = ".new"

    init(folder: String, head: StoredHead) throws(URLError) {
        self.head = head.encoded
        guard self.head.count <= CacheFilePreamble.largestHeadByteCount else {
            throw URLError(.dataLengthExceedsMaximum)
        }
        let path = folder + "/" + UUID().uuidString + Self.suffix
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw URLError(.cannotCreateFile, underlyingText: "\(path): \(lastSystemError)")
        }
        self.path = path
        self.descriptor = descriptor
    }

    /// Writes the head. The checksums are added to the preamble at the end.
    func begin() throws(URLError) {
        try write([UInt8](repeating: 0, count: CacheFilePreamble.byteCount))
        try write(head)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    mutating func append(_ data: Data) throws(URLError) {
        var failure: URLError?
        data.withUnsafeBytes { bytes in
            bodySum.add(bytes)
            do throws(URLError) { try AtomicFile.write(bytes, to: descriptor) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        bodyByteCount += data.count
    }

    /// Returns the body so far, which stays readable whatever happens to the file.
    func makeBody() throws(URLError) -> CacheBodyFile {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw URLError(.cannotOpenFile, underlyingText: lastSystemError)
        }
        return CacheBodyFile(
            descriptor: copy, offset: CacheFilePreamble.byteCount + head.count,
            byteCount: bodyByteCount)
    }

    /// Renames the file, replacing an existing one. Returns its length.
    consuming func publish(as name: String) throws(URLError) -> Int {
        let preamble = CacheFilePreamble(
            headByteCount: head.count, bodyByteCount: bodyByteCount, headSum: Checksum.of(head),
            bodySum: bodySum.value)
        let bytes = preamble.encoded
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        guard written == bytes.count, rename(path, folder + "/" + name) == 0 else {
            throw URLError(.cannotWriteToFile, underlyingText: lastSystemError)
        }
        return preamble.fileByteCount
    }

    private func write(_ bytes: [UInt8]) throws(URLError) {
        var failure: URLError?
        bytes.withUnsafeBytes { bytes in
            do throws(URLError) { try AtomicFile.write(bytes, to: descriptor) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
