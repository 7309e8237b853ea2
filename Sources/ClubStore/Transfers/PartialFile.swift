import DropboxAPI
import ByteClubFiles
import FoundationEssentials
import Glibc

/// A file being received: written beside its destination, hashed as it arrives, and
/// renamed to the destination once verified.
///
/// Not thread-safe: write it from one queue. The name of a kept one contains the revision,
/// so that bytes of two revisions are never joined; a lock keeps two programs from writing
/// the same one.
final class PartialFile {
    let destination: String
    let file: RemoteFile
    private(set) var byteCount: Int64 = 0

    /// Where it is, or what it will be called for a moment when it is whole.
    private let path: String
    /// Whether a failed download leaves what has arrived.
    let isKept: Bool
    /// Without one until it is whole, nothing of it outlives this program.
    private var hasName = true
    private let descriptor: CInt
    private var hasher = ContentHasher()
    private var isOpen = true

    /// Opens the remains of an earlier attempt at this revision, or starts over.
    ///
    /// Reads and hashes existing bytes, so call it off the main actor.
    ///
    /// - Parameter isKept: Whether to keep the file when the download fails.
    /// - Throws: `.fileUnwritable`.
    init(of file: RemoteFile, for destination: String, isKept: Bool) throws(StoreError) {
        self.destination = destination
        self.file = file
        var status = stat()
        if stat(destination, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw Self.failure(at: file, EISDIR, doing: "write", destination)
        }
        let kept = Self.path(beside: destination, mark: Self.mark(of: file))
        if isKept, let descriptor = Self.openLocked(kept) {
            (path, self.isKept, self.descriptor) = (kept, true, descriptor)
        } else {
            // A temporary file, or another program is receiving the same one.
            let mark = String(UInt64.random(in: .min ... .max), radix: 36)
            path = Self.path(beside: destination, mark: mark)
            self.isKept = false
            let nameless = Self.openNameless(beside: destination)
            hasName = nameless == nil
            descriptor =
                nameless
                ?? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else {
                isOpen = false
                throw Self.failure(at: file, errno, doing: "create", path)
            }
        }
        try hashWhatIsThere()
    }

    deinit {
        close()
    }

    /// Whether every byte has arrived.
    var isComplete: Bool { byteCount == file.byteCount }

    /// Discards all bytes: the server sends the file from its beginning.
    func restart() throws(StoreError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw failure(errno, doing: "empty")
        }
        byteCount = 0
        hasher = ContentHasher()
    }

    /// - Throws: `.fileUnwritable`; `.damaged` when there are more bytes than expected.
    func append(_ data: Data) throws(StoreError) {
        guard byteCount + Int64(data.count) <= file.byteCount else {
            throw StoreError(
                .damaged, during: .download, at: file.path, detail: "more bytes than announced")
        }
        var written = 0
        var problem: CInt = 0
        data.withUnsafeBytes { bytes in
            while written < bytes.count {
                let count = write(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    problem = count == 0 ? ENOSPC : errno
                    return
                }
            }
        }
        guard problem == 0 else { throw failure(problem, doing: "write") }
        hasher.update(data)
        byteCount += Int64(data.count)
    }

    /// Verifies the file and moves it to its destination.
    ///
    /// - Parameter replaces: Whether a file that is there by now is replaced.
    /// - Throws: `.damaged`, after removing the file; `.fileUnwritable`.
    func moveToDestination(replaces: Bool = true) throws(StoreError) {
        let hash = hasher.finish().hexadecimal
        guard isComplete, file.contentHash.map({ $0 == hash }) ?? true else {
            discard()
            throw StoreError(
                .damaged, during: .download, at: file.path,
                detail: "hash \(hash), announced \(file.contentHash ?? "none")")
        }
        keepDate()
        guard fsync(descriptor) == 0 else { throw failure(errno, doing: "sync") }
        if !hasName {
            guard
                linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
                    == 0
            else { throw failure(errno, doing: "name") }
            hasName = true
        }
        if replaces {
            try moveToDestination()
        } else if try linkToDestination() == .impossible {
            try moveToDestination()
        }
        // Else a power cut could leave it under the hidden name, though it was called done.
        AtomicFile.syncFolder(URL(filePath: destination).deletingLastPathComponent())
        close()
    }

    private enum Linking {
        case linked
        /// The file system has no links (FAT).
        case impossible
    }

    /// Gives it its name in one step where nothing has it: unlike a rename, a link never replaces what
    /// appeared a moment ago. (Swift does not see `renameat2`.)
    private func linkToDestination() throws(StoreError) -> Linking {
        if link(path, destination) == 0 {
            unlink(path)
            return .linked
        }
        let problem = errno
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(problem) else {
            throw failure(problem, doing: "link to \(destination)")
        }
        var status = stat()
        guard lstat(destination, &status) != 0 else {
            throw failure(EEXIST, doing: "rename to \(destination)")
        }
        return .impossible
    }

    private func moveToDestination() throws(StoreError) {
        guard rename(path, destination) == 0 else {
            throw failure(errno, doing: "rename to \(destination)")
        }
    }

    /// Keeps the received bytes for the next attempt if they are useful, else removes
    /// them.
    func setAside() {
        if isKept, byteCount > 0 { close() } else { discard() }
    }

    /// Removes the received bytes.
    func discard() {
        guard isOpen else { return }
        if hasName { unlink(path) }
        close()
    }
}

extension PartialFile {
    /// `.cliff.jpg.a1c10ce0dd78.part`, in the folder of the destination.
    static func path(beside destination: String, mark: String) -> String {
        let slash = destination.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { destination[...$0] } ?? ""
        var name = slash.map { destination[destination.index(after: $0)...] } ?? destination[...]
        let ending = ".\(mark).part"
        // Room for the dot and the ending in the 255 bytes of a name.
        while !name.isEmpty, name.utf8.count + ending.utf8.count + 1 > 255 { name.removeLast() }
        return "\(folder).\(name)\(ending)"
    }

    /// What tells the remains of a revision from those of all others, as part of a file name: the whole revision counts,
    /// and its path in the club, since two files may have one tag.
    static func mark(of file: RemoteFile) -> String {
        let identity = Data("\(file.path.string)\n\(file.revision.rawValue)".utf8)
        return sha256(of: identity).prefix(16).reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// Nil where the file system has no unnamed files, or the system cannot name them later.
    private static func openNameless(beside destination: String) -> CInt? {
        guard access("/proc/self/fd", X_OK) == 0 else { return nil }
        let slash = destination.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(destination[...$0]) } ?? "."
        // O_TMPFILE, which Swift does not see.
        let flags = 0o20_000_000 | O_DIRECTORY
        let descriptor = open(folder, flags | O_RDWR | O_CLOEXEC, 0o666)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Nil when another program has locked it, or it cannot be written.
    private static func openLocked(_ path: String) -> CInt? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { return nil }
        guard LockedFile.attempt(descriptor) == .taken else {
            _ = Glibc.close(descriptor)
            return nil
        }
        return descriptor
    }

    private func hashWhatIsThere() throws(StoreError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(errno, doing: "read")
            }
            buffer.withUnsafeBytes { bytes in
                hasher.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            byteCount += Int64(count)
        }
        if byteCount > file.byteCount { try restart() }
    }

    /// Sets the modification date to the store's. Nothing else is lost if the file system cannot
    /// store the date.
    private func keepDate() {
        let seconds = file.modified.timeIntervalSince1970
        guard seconds > 0, seconds < 1e11 else { return }
        let date = timespec(tv_sec: Int(seconds), tv_nsec: 0)
        futimens(descriptor, [date, date])
    }

    private func close() {
        guard isOpen else { return }
        isOpen = false
        LockedFile.close(descriptor)
    }

    private func failure(_ number: CInt, doing what: String) -> StoreError {
        Self.failure(at: file, number, doing: what, path)
    }

    private static func failure(
        at file: RemoteFile, _ number: CInt, doing what: String, _ path: String
    ) -> StoreError {
        StoreError(
            .fileUnwritable, during: .download, at: file.path,
            detail: "\(what) \(path): \(String(cString: strerror(number)))",
            underlying: DestinationProblem(number, at: path))
    }
}
