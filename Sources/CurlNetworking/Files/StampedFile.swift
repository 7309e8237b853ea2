import FoundationEssentials
import Glibc

/// Files of ours that are read and written whole, and that nobody else may read.
enum StampedFile {
    /// Tells one version of a file from the next.
    struct Stamp: Hashable, Sendable {
        var device: UInt
        var inode: UInt
        var byteCount: Int
        var seconds: Int
        var nanoseconds: Int

        fileprivate init(_ status: stat) {
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
            byteCount = Int(status.st_size)
            seconds = Int(status.st_mtim.tv_sec)
            nanoseconds = Int(status.st_mtim.tv_nsec)
        }
    }

    /// nil when there is no such file.
    static func stamp(of path: String) -> Stamp? {
        var status = stat()
        return stat(path, &status) == 0 ? Stamp(status) : nil
    }

    /// Returns nil when there is no such file.
    ///
    /// - Throws: `.noPermissionsToReadFile` for what is not a plain file of this user's,
    ///   `.dataLengthExceedsMaximum` above the limit, `.cannotOpenFile` when the system refuses.
    static func read(_ path: String, limit: Int) throws(URLError) -> (bytes: [UInt8], stamp: Stamp)?
    {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw URLError(.cannotOpenFile, underlyingText: "\(path): \(lastSystemError)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else {
            throw URLError(
                .noPermissionsToReadFile, underlyingText: "\(path) is not a plain file of yours")
        }
        guard status.st_size <= limit else {
            throw URLError(.dataLengthExceedsMaximum, underlyingText: path)
        }
        let count = Int(status.st_size)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = Self.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return (bytes, Stamp(status))
    }

    /// Reads until the buffer is full or the file ends. Returns how many bytes that were.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count, let start = buffer.baseAddress {
            let count = Glibc.read(descriptor, start + filled, buffer.count - filled)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(URLError) {
        var rest = bytes[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw URLError(.cannotWriteToFile, underlyingText: lastSystemError)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Replaces a file in one step: after a crash or power loss there is the old one or the new one.
    ///
    /// - Parameter scratch: Written first, and renamed. One writer at a time.
    static func replace(
        _ path: String, with bytes: [UInt8], scratch: String
    ) throws(URLError) -> Stamp {
        unlink(scratch)  // from a writer that died
        let descriptor = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw URLError(.cannotCreateFile, underlyingText: "\(scratch): \(lastSystemError)")
        }
        defer { close(descriptor) }
        do throws(URLError) {
            var failure: URLError?
            bytes.withUnsafeBytes { bytes in
                do throws(URLError) { try write(bytes, to: descriptor) } catch { failure = error }
            }
            if let failure { throw failure }
            guard fsync(descriptor) == 0, rename(scratch, path) == 0 else {
                throw URLError(.cannotWriteToFile, underlyingText: "\(path): \(lastSystemError)")
            }
        } catch {
            unlink(scratch)
            throw error
        }
        syncFolder(of: path)
        var status = stat()
        fstat(descriptor, &status)
        return Stamp(status)
    }

    /// Makes a rename last.
    private static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Makes a folder, and those above it, that only this user may enter. One that is there stays as
    /// it is.
    static func makeFolder(_ path: String) throws(URLError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw URLError(.cannotCreateFile, underlyingText: "\(path): \(lastSystemError)")
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw URLError(.cannotCreateFile, underlyingText: "\(path): \(lastSystemError)")
        }
    }
}
