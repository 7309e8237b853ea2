package import CByteClubLinux
package import FoundationEssentials
internal import Glibc

/// A small file that is read and replaced atomically: readers see either the old or the new contents, even
/// after a crash.
package struct AtomicFile: Sendable {
    package let url: URL
    /// The mode of a new file; a replaced one keeps its own.
    private let mode: mode_t

    package init(url: URL, mode: mode_t = 0o600) {
        self.url = url
        self.mode = mode
    }

    /// The system's reason, for a sentence: `Permission denied`.
    package struct Failure: Error, Hashable {
        package var reason: String
        /// The folder in which a file could not be created, if that is the cause.
        package var folder: String?
        /// Whether the disk or the quota is full.
        package var isDiskFull: Bool

        package init(_ code: CInt, in folder: URL? = nil) {
            isDiskFull = code == ENOSPC || code == EDQUOT
            reason = String(cString: strerror(code))
            self.folder = folder?.path
        }
    }

    /// The usual limit of ``read(atMost:)``: larger files were not written here.
    package static let byteLimit = 1 << 20

    /// - Returns: Nil if the file does not exist.
    package func read(atMost byteLimit: Int = Self.byteLimit) throws(Failure) -> Data? {
        // O_NONBLOCK: opening a named pipe must not block.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Failure(errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while data.count <= byteLimit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
        throw Failure(EFBIG)
    }

    /// Writes a temporary file beside it, syncs it, renames it and syncs the folder. A symbolic link is kept:
    /// its target is replaced.
    ///
    /// - Parameter temporary: A fixed path for the temporary file, if there is only one writer at a time: a
    ///   leftover of a killed one is replaced. nil for a unique path.
    /// - Parameter isSynced: Whether the file must survive a power cut; otherwise only the end of this
    ///   process.
    package func write(
        _ data: Data, by temporary: String? = nil, isSynced: Bool = true
    ) throws(Failure) {
        let staged = try stage(data, by: temporary)
        defer { close(staged.descriptor) }
        do throws(Failure) {
            if isSynced { try staged.sync() }
            try staged.takePlace()
        } catch {
            unlink(staged.temporary)
            throw error
        }
        if isSynced { Self.syncFolder(staged.folder) }
    }

    /// Writes many files like ``write(_:by:isSynced:)``. Waits for the disk a few times in total instead of
    /// twice per file.
    ///
    /// - Throws: If one cannot be written; some of the others may be.
    package static func write(_ files: [(file: AtomicFile, data: Data)]) throws(Failure) {
        // Few enough to be open at once.
        for start in stride(from: 0, to: files.count, by: 100) {
            try writeTogether(files[start..<min(start + 100, files.count)])
        }
    }

    private static func writeTogether(
        _ files: ArraySlice<(file: AtomicFile, data: Data)>
    ) throws(Failure) {
        var staged: [Staged] = []
        defer { for file in staged { close(file.descriptor) } }
        do throws(Failure) {
            for (file, data) in files {
                let new = try file.stage(data, by: nil)
                staged.append(new)
                // Starts writing back without waiting, so that the first sync covers all files.
                _ = sync_file_range(new.descriptor, 0, 0, UInt32(BYTECLUB_SYNC_FILE_RANGE_WRITE))
            }
            for file in staged { try file.sync() }
            for file in staged { try file.takePlace() }
        } catch {
            for file in staged { unlink(file.temporary) }
            throw error
        }
        Set(staged.map(\.folder)).forEach(syncFolder)
    }

    /// A complete temporary file.
    private struct Staged {
        let path: URL
        let temporary: String
        let descriptor: CInt

        var folder: URL { path.deletingLastPathComponent() }

        func sync() throws(Failure) {
            guard fsync(descriptor) == 0 else { throw Failure(errno) }
        }

        func takePlace() throws(Failure) {
            guard rename(temporary, path.path) == 0 else { throw Failure(errno) }
        }
    }

    private func stage(_ data: Data, by temporary: String?) throws(Failure) -> Staged {
        let path = try target()
        let folder = path.deletingLastPathComponent()
        try Self.makeFolder(folder)
        var status = stat()
        let isThere = stat(path.path, &status) == 0
        if let temporary { unlink(temporary) }
        let temporary =
            temporary ?? folder.path + "/." + path.lastPathComponent + ".\(getpid())."
            + String(UInt32.random(in: .min ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(temporary, flags, 0o600)
        guard descriptor >= 0 else { throw Failure(errno, in: folder) }
        do throws(Failure) {
            let rights = isThere && mode != 0o600 ? status.st_mode & 0o777 : mode
            guard fchmod(descriptor, rights) == 0 else { throw Failure(errno) }
            try Self.writeAll(data, to: descriptor)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        return Staged(path: path, temporary: temporary, descriptor: descriptor)
    }

    /// Makes a rename durable; if the file system does not support that, the file's own sync must suffice.
    package static func syncFolder(_ folder: URL) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Removes the file if it exists.
    package func remove() throws(Failure) {
        guard unlink(url.path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw Failure(errno)
    }

    /// Checks that the file is writable, so that no long work is wasted.
    package func checkWritable() throws(Failure) {
        let path = try target()
        if access(path.path, F_OK) == 0, access(path.path, W_OK) != 0 { throw Failure(errno) }
        try Self.checkFolder(path.deletingLastPathComponent())
    }

    /// Checks that files can be created in a folder, which need not exist yet.
    package static func checkFolder(_ folder: URL) throws(Failure) {
        var path = folder
        while access(path.path, F_OK) != 0, errno == ENOENT, path.path != "/" {
            path = path.deletingLastPathComponent()
        }
        // A dot, so that a file at the folder's path fails.
        if access(path.path + "/.", W_OK | X_OK) != 0 { throw Failure(errno, in: folder) }
    }

    private func target() throws(Failure) -> URL {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return url }
        guard let real = realpath(url.path, nil) else { throw Failure(errno) }
        defer { free(real) }
        return URL(filePath: String(cString: real))
    }

    /// Creates a folder, with its missing parents.
    package static func makeFolder(_ folder: URL) throws(Failure) {
        var missing: [String] = []
        var path = folder
        while mkdir(path.path, 0o700) != 0 {
            guard errno == ENOENT, path.path != "/" else {
                if errno == EEXIST { break }
                throw Failure(errno, in: folder)
            }
            missing.append(path.path)
            path = path.deletingLastPathComponent()
        }
        for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw Failure(errno, in: folder)
        }
    }

    private static func writeAll(_ data: Data, to descriptor: CInt) throws(Failure) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(errno) }
            rest = rest.dropFirst(count)
        }
    }
}
