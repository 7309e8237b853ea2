import FoundationEssentials
import Glibc

/// Small files of ours that are whole or not there, whatever happens to the process or the machine.
///
/// They are written beside themselves, brought to the disk and moved into place. Only their owner
/// can read them, and no link is followed.
enum WholeFile {
    /// What unfinished files begin with; nobody reads them.
    static let unfinishedPrefix = ".unfinished-"
    static let damagedSuffix = ".damaged"

    static func write(_ data: Data, to path: String) throws(URLError) {
        let (folder, name) = split(path)
        var generator = SystemRandomNumberGenerator()
        let number = UInt64.random(in: .min ... .max, using: &generator)
        let unfinished = folder + "/" + unfinishedPrefix + String(number, radix: 36) + "-" + name
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = Glibc.open(unfinished, flags, 0o600)
        guard descriptor >= 0 else { throw failure(.cannotCreateFile, unfinished) }
        do throws(URLError) {
            try fill(descriptor, with: data, unfinished)
            guard rename(unfinished, path) == 0 else { throw failure(.cannotMoveFile, path) }
        } catch {
            unlink(unfinished)
            throw error
        }
        syncFolder(folder)
    }

    /// The file's bytes; nil when there is none.
    ///
    /// - Throws: `.noPermissionsToReadFile` when others may read or write it or it belongs to somebody
    ///   else, `.dataLengthExceedsMaximum`, `.cannotOpenFile`.
    static func read(_ path: String, atMost limit: Int) throws(URLError) -> Data? {
        // O_NONBLOCK: a pipe in the file's place must not hold us.
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(.cannotOpenFile, path)
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw URLError(.cannotOpenFile, underlyingText: "\(path) is no file")
        }
        guard facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else {
            throw URLError(
                .noPermissionsToReadFile,
                underlyingText: "\(path) is not ours alone: its mode has to be 0600")
        }
        guard facts.st_size <= limit else {
            throw URLError(.dataLengthExceedsMaximum, underlyingText: "\(path) is too large")
        }
        var data = Data(count: Int(facts.st_size))
        var count = 0
        while count < data.count {
            let more = data.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + count }, bytes.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw failure(.cannotOpenFile, path) }
            guard more > 0 else { break }
            count += more
        }
        return data.prefix(count)
    }

    /// Moves a damaged file out of the way, over an older one, for people to look at.
    static func setAside(_ path: String) throws(URLError) {
        guard rename(path, path + damagedSuffix) == 0 else { throw failure(.cannotMoveFile, path) }
    }

    /// Makes a move or a removal last.
    static func syncFolder(_ folder: String) {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func fill(
        _ descriptor: Int32, with data: Data, _ path: String
    ) throws(URLError) {
        let isWritten = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        let isSafe = isWritten && fsync(descriptor) == 0
        let error = failure(.cannotWriteToFile, path)  // before close() changes errno
        guard close(descriptor) == 0, isSafe else { throw error }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    static func failure(_ code: URLError.Code, _ path: String) -> URLError {
        URLError(code, underlyingText: "\(path): \(String(cString: strerror(errno)))")
    }
}
