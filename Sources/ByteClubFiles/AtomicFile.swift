package import CByteClubLinux
package import FoundationEssentials
internal import Glibc

/// A small file that is read and replaced atomically: a reader finds the old bytes or the new ones,
/// whatever happens to the program or the machine meanwhile.
package struct AtomicFile: Sendable {
    package let url: URL
    /// What a new file's rights are; one that is replaced keeps its own.
    private let mode: mode_t

    package init(url: URL, mode: mode_t = 0o600) {
        self.url = url
        self.mode = mode
    }

    /// The system's reason, for a sentence: `Permission denied`.
    package struct Failure: Error, Hashable {
        package var reason: String
        /// The folder in which nothing can be made, where it is that.
        package var folder: String?
        /// Whether there was no room: the disk's, or the person's share of it.
        package var isDiskFull: Bool

        package init(_ code: CInt, in folder: URL? = nil) {
            isDiskFull = code == ENOSPC || code == EDQUOT
            reason = String(cString: strerror(code))
            self.folder = folder?.path
        }
    }

    /// What ``read()`` takes: more was not written here.
    package static let byteLimit = 1 << 20

    /// - Returns: Nil when there is no such file.
    package func read() throws(Failure) -> Data? {
        // Opened without waiting: a pipe under this name must not hold anybody up.
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
        while data.count <= Self.byteLimit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
        throw Failure(EFBIG)
    }

    /// Writes a temporary file beside it, syncs it, renames it and syncs the folder. A symbolic link stays
    /// one: what it leads to is replaced.
    ///
    /// - Parameter temporary: The path of the temporary file, where one writer works at a time: what a
    ///   killed one has left is replaced by the next. nil for a path that nobody else has.
    /// - Parameter isSynced: Whether it must outlive a power cut too; else only this program.
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

    /// Writes many files, each as ``write(_:by:isSynced:)`` does it. The disk is waited for a few times for all of them,
    /// not twice for each.
    ///
    /// - Throws: When one cannot be written; some of the others may be.
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
                // Begins without waiting: the first sync then finds the bytes of all of them under way.
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

    /// A temporary file that has all the bytes.
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

    /// Makes a rename durable; where a file system refuses, the file's own sync must do.
    private static func syncFolder(_ folder: URL) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Removes it, where it is.
    package func remove() throws(Failure) {
        guard unlink(url.path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw Failure(errno)
    }

    /// Checks that it can be written now, so that no long work is wasted.
    package func checkWritable() throws(Failure) {
        let path = try target()
        if access(path.path, F_OK) == 0, access(path.path, W_OK) != 0 { throw Failure(errno) }
        try Self.checkFolder(path.deletingLastPathComponent())
    }

    /// Whether something could be made in a folder now, which need not be there yet.
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

    /// Makes a folder with those above it that are missing.
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
