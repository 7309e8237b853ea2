import DropboxAPI
import FoundationEssentials
import Glibc

/// A local file to send, as it was when first examined.
struct SourceFile: Sendable {
    let url: URL
    let byteCount: Int64

    /// When it was last written, in seconds since 1970.
    var modifiedSeconds: Int { fingerprint.seconds }

    private let fingerprint: Fingerprint

    /// Changes when the file is written to or replaced.
    private struct Fingerprint: Hashable, Sendable {
        var device: dev_t
        var inode: ino_t
        var byteCount: Int64
        var seconds: Int
        var nanoseconds: Int

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
            byteCount = Int64(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// - Throws: `.fileUnreadable` for anything but a readable file.
    init(at url: URL) throws(StoreError) {
        let descriptor = try Self.open(url)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno, url) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw Self.failure(isFolder ? EISDIR : EINVAL, url)
        }
        self.url = url
        fingerprint = Fingerprint(status)
        byteCount = fingerprint.byteCount
    }

    /// - Throws: `.changedMeanwhile` when the file has changed.
    func requireUnchanged() throws(StoreError) {
        var status = stat()
        guard url.withUnsafeFileSystemRepresentation({ $0.map { stat($0, &status) } }) == 0,
            Fingerprint(status) == fingerprint
        else {
            throw StoreError(.changedMeanwhile, during: .upload, detail: url.path)
        }
    }

    /// Reads a range on a file queue.
    ///
    /// - Throws: `.fileUnreadable`; `.changedMeanwhile` when the file has become shorter.
    func read(_ range: Range<Int64>) async throws(StoreError) -> Data {
        guard !range.isEmpty else { return Data() }
        return try await FileWork.run { () throws(StoreError) in
            let descriptor = try Self.open(url)
            defer { close(descriptor) }
            // Mapped pages, which are unmapped with the data: heap memory would stay allocated,
            // a few megabytes for each thread that ever read.
            let count = range.count
            guard
                let pages = mmap(
                    nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                pages != MAP_FAILED
            else { throw Self.failure(ENOMEM, url) }
            do throws(StoreError) {
                try fill(pages, count, from: descriptor, at: range.lowerBound)
            } catch {
                munmap(pages, count)
                throw error
            }
            // Only once they are filled: for a few bytes, Data makes a copy and frees them at once.
            return Data(bytesNoCopy: pages, count: count, deallocator: .unmap)
        }
    }

    /// The content hash of the file, computed on a file queue. Stops when the task is
    /// cancelled.
    ///
    /// - Parameter limit: The maximum number of bytes to hash.
    /// - Throws: `.fileUnreadable`; `.cancelled`.
    func contentHash(ofFirst limit: Int64 = .max) async throws(StoreError) -> ContentHash {
        let flag = CancelFlag()
        let result: Result<ContentHash, StoreError> = await withTaskCancellationHandler {
            do throws(StoreError) {
                return .success(
                    try await FileWork.run { () throws(StoreError) in
                        try hash(ofFirst: limit, until: flag)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            flag.cancel()
        }
        return try result.get()
    }
}

extension SourceFile {
    private func fill(
        _ pages: UnsafeMutableRawPointer, _ count: Int, from descriptor: CInt, at offset: Int64
    ) throws(StoreError) {
        var filled = 0
        while filled < count {
            let more = pread(descriptor, pages + filled, count - filled, off_t(offset) + filled)
            if more > 0 {
                filled += more
            } else if more == 0 {
                throw StoreError(.changedMeanwhile, during: .upload, detail: url.path)
            } else if errno != EINTR {
                throw Self.failure(errno, url)
            }
        }
    }

    private func hash(
        ofFirst limit: Int64, until flag: CancelFlag
    ) throws(StoreError) -> ContentHash {
        let descriptor = try Self.open(url)
        defer { close(descriptor) }
        let hasher = ContentHasher()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var left = limit
        while true {
            if flag.isCancelled { throw StoreError(.cancelled, during: .upload) }
            let count = Glibc.read(descriptor, &buffer, Int(min(Int64(buffer.count), left)))
            if count == 0 { return hasher.finish() }
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.failure(errno, url)
            }
            buffer.withUnsafeBytes { bytes in
                hasher.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            left -= Int64(count)
        }
    }

    private static func open(_ url: URL) throws(StoreError) -> CInt {
        // Non-blocking: opening a named pipe would wait for its writer.
        let descriptor = url.withUnsafeFileSystemRepresentation { path in
            path.map { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
        }
        guard descriptor >= 0 else { throw failure(errno, url) }
        return descriptor
    }

    private static func failure(_ number: CInt, _ url: URL) -> StoreError {
        StoreError(
            .fileUnreadable, during: .upload,
            detail: "\(url.path): \(String(cString: strerror(number)))")
    }
}
