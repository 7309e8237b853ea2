import FoundationEssentials
import CurlNetworkingPlatform

/// Reads and replaces small files atomically, whatever happens to the process or the machine.
///
/// A file is written under another name, synced and renamed. It is accessible to its owner only.
enum AtomicFile {
    /// The prefix of unfinished files, which are never read.
    static let unfinishedPrefix = ".unfinished-"
    static let damagedSuffix = ".damaged"

    /// Identifies a version of a file.
    struct Stamp: Codable, Hashable, Sendable {
        var device: UInt
        var inode: UInt
        var byteCount: Int
        var seconds: Int
        var nanoseconds: Int

        fileprivate init(_ facts: stat) {
            device = UInt(facts.st_dev)
            inode = UInt(facts.st_ino)
            byteCount = Int(facts.st_size)
            seconds = Int(facts.st_mtim.tv_sec)
            nanoseconds = Int(facts.st_mtim.tv_nsec)
        }
    }

    /// Returns nil if the file does not exist.
    static func stamp(of path: String) -> Stamp? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Stamp(facts) : nil
    }

    // MARK: - Reading

    /// Reads a file that contains secrets; returns nil if it does not exist.
    ///
    /// - Throws: `.noPermissionsToReadFile` if others may read or write it or it belongs to another user,
    ///   `.dataLengthExceedsMaximum`, `.cannotOpenFile`, also for a symbolic link.
    static func read(_ path: String, atMost limit: Int) throws(URLError) -> Data? {
        try read(path, atMost: limit, isSecret: true)?.bytes
    }

    /// Reads a file with its stamp; returns nil if it does not exist. It may be a symbolic link, and others
    /// may be able to read it, until it is replaced.
    ///
    /// - Throws: `.noPermissionsToReadFile` if it belongs to another user, `.dataLengthExceedsMaximum`,
    ///   `.cannotOpenFile`.
    static func readStamped(
        _ path: String, atMost limit: Int
    ) throws(URLError) -> (bytes: Data, stamp: Stamp)? {
        try read(path, atMost: limit, isSecret: false)
    }

    private static func read(
        _ path: String, atMost limit: Int, isSecret: Bool
    ) throws(URLError) -> (bytes: Data, stamp: Stamp)? {
        // O_NONBLOCK: opening must not block if the file is a pipe.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isSecret ? O_NOFOLLOW : 0)
        let descriptor = Glibc.open(path, flags)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(.cannotOpenFile, path)
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw URLError(.cannotOpenFile, underlyingText: "\(path) is not a file")
        }
        guard facts.st_uid == geteuid(), !isSecret || facts.st_mode & 0o077 == 0 else {
            throw URLError(
                .noPermissionsToReadFile,
                underlyingText: "others can access \(path): its mode has to be 0600")
        }
        guard facts.st_size <= limit else {
            throw URLError(.dataLengthExceedsMaximum, underlyingText: "\(path) is too large")
        }
        var data = Data(count: Int(facts.st_size))
        let count = data.withUnsafeMutableBytes { read(descriptor, into: $0) }
        return (data.prefix(count), Stamp(facts))
    }

    /// Reads until the buffer is full, the file ends, or an error occurs. Returns the number of bytes.
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

    // MARK: - Writing

    /// Replaces a file atomically: after a crash or power failure, it has its old or its new contents.
    ///
    /// - Parameters:
    ///   - unfinished: The temporary path, if only one writer works at a time; nil chooses an unused one.
    ///   - isBroughtToDisk: Whether to sync. Without it, the contents survive the process, but not a power
    ///     failure.
    @discardableResult
    static func write(
        _ data: Data, to path: String, by unfinished: String? = nil, isBroughtToDisk: Bool = true
    ) throws(URLError) -> Stamp {
        let (folder, name) = split(path)
        if let unfinished { unlink(unfinished) }  // left by a process that was killed
        let number = UInt64.random(in: .min ... .max)
        let unfinished =
            unfinished
            ?? folder + "/" + unfinishedPrefix + String(number, radix: 36) + "-" + name
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = Glibc.open(unfinished, flags, 0o600)
        guard descriptor >= 0 else { throw failure(.cannotCreateFile, unfinished) }
        var facts = stat()
        do throws(URLError) {
            try fill(descriptor, with: data, unfinished, isBroughtToDisk)
            fstat(descriptor, &facts)
            guard close(descriptor) == 0 else { throw failure(.cannotWriteToFile, unfinished) }
            guard rename(unfinished, path) == 0 else { throw failure(.cannotMoveFile, path) }
        } catch {
            unlink(unfinished)
            throw error
        }
        if isBroughtToDisk { syncFolder(folder) }
        return Stamp(facts)
    }

    private static func fill(
        _ descriptor: Int32, with data: Data, _ path: String, _ isBroughtToDisk: Bool
    ) throws(URLError) {
        var error: URLError?
        data.withUnsafeBytes { bytes in
            do throws(URLError) { try write(bytes, to: descriptor) } catch let failure {
                error = failure
            }
        }
        if error == nil, isBroughtToDisk, fsync(descriptor) != 0 {
            error = failure(.cannotWriteToFile, path)
        }
        if let error {
            close(descriptor)
            throw error
        }
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(URLError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw URLError(.cannotWriteToFile, underlyingText: lastSystemError)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Renames a damaged file, replacing an older one, for inspection.
    ///
    /// If the name belongs to something else, such as a folder, the next free name is used.
    static func setAside(_ path: String) throws(URLError) {
        if rename(path, path + damagedSuffix) == 0 { return }
        guard [EISDIR, ENOTDIR, EEXIST, ENOTEMPTY].contains(errno) else {
            throw failure(.cannotMoveFile, path)
        }
        for number in 2...99 {
            let other = path + damagedSuffix + "-\(number)"
            var facts = stat()
            guard lstat(other, &facts) != 0, errno == ENOENT else { continue }
            if rename(path, other) == 0 { return }
            throw failure(.cannotMoveFile, path)
        }
        throw URLError(
            .cannotMoveFile, underlyingText: "\(path): there is no free name to move it to")
    }

    // MARK: - Folders

    /// Creates a folder, and its parents, accessible to the user only. An existing one is unchanged.
    static func makeFolder(_ path: String) throws(URLError) {
        guard mkdir(path, 0o700) != 0 else { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 { return }
        }
        guard errno == EEXIST else { throw failure(.cannotCreateFile, path) }
    }

    /// Makes a rename or removal durable.
    static func syncFolder(_ folder: String) {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    static func failure(_ code: URLError.Code, _ path: String) -> URLError {
        URLError(code, underlyingText: "\(path): \(lastSystemError)")
    }
}
