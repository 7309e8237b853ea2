import CByteClubLinux
import DropboxAPI
import Glibc
import Synchronization

/// A file being uploaded, in the hidden folder beside the club's files.
///
/// It is hashed as it grows, made durable, and then committed by a rename: clients never see an
/// incomplete file. Unless committed, it is removed with this object.
final class StagedFile: Sendable {
    /// Its name in the staging folder.
    let name: String
    private let access: FolderAccess
    private let file: Descriptor
    private let state: Mutex<State>

    private struct State {
        var size: Int64 = 0
        /// How many bytes the disk was already asked to write.
        var flushed: Int64 = 0
        var hasher: ContentHasher?
        var isKept = false
    }

    /// After this many bytes the disk starts writing, so that the final `fsync` has little left.
    private static let flushByteCount: Int64 = 16 << 20

    /// Creates a new file.
    ///
    /// - Parameter hashes: false for parts that arrive in any order.
    init(
        in access: FolderAccess, name: String = "upload-" + RandomText.hexadecimal(byteCount: 8),
        hashes: Bool = true
    ) throws(SystemError) {
        self.access = access
        self.name = name
        file = try .opened(
            "open",
            openat(
                access.staging.number, name,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666))
        var state = State()
        if hashes { state.hasher = ContentHasher() }
        self.state = Mutex(state)
    }

    /// Reopens a file that an earlier run of the server left.
    init(reopening name: String, in access: FolderAccess) throws(SystemError) {
        self.access = access
        self.name = name
        let file = try Descriptor.opened(
            "open", openat(access.staging.number, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC))
        var state = State()
        state.size = try FileStatus.of(file).signature.size
        self.state = Mutex(state)
        self.file = file
    }

    deinit {
        if !state.withLock({ $0.isKept }) { access.discard(staged: name) }
    }

    var size: Int64 { state.withLock { $0.size } }

    /// Keeps the file on disk after this object: it was committed, or will be reopened later.
    func keep() { state.withLock { $0.isKept = true } }

    /// Fails immediately when the disk has less space than announced.
    func expect(_ byteCount: UInt64) throws(SystemError) {
        var status = statvfs()
        guard fstatvfs(file.number, &status) == 0 else { return }
        // Some file systems report 0 blocks; there the write itself fails.
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        if status.f_blocks > 0, byteCount > free { throw SystemError("write", code: ENOSPC) }
    }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        let lent = Lent(bytes: bytes)
        try state.withLock { state throws(SystemError) in
            try write(lent.bytes, at: state.size)
            state.hasher?.update(lent.bytes)
            state.size += Int64(lent.bytes.count)
            if state.size - state.flushed >= Self.flushByteCount {
                byteclub_start_write_back(file.number, state.flushed, state.size - state.flushed)
                state.flushed = state.size
            }
        }
    }

    /// Unchecked: the bytes are read only during the call and never kept.
    private struct Lent: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
    }

    /// Writes bytes at any offset; call ``adoptPieces()`` after the last.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var rest = bytes[...]
        var offset = offset
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = pwrite(file.number, piece.baseAddress, piece.count, off_t(offset))
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("write")
            }
            rest = rest.dropFirst(count)
            offset += Int64(count)
        }
    }

    /// Truncates the file to an earlier size.
    func truncate(to size: Int64) {
        state.withLock { state in
            ftruncate(file.number, off_t(size))
            state.size = size
            state.flushed = min(state.flushed, size)
            // It includes the truncated bytes; the file is read again when the hash is needed.
            state.hasher = nil
        }
    }

    /// The hash of the whole file. Reads the file if the bytes did not arrive in order.
    func contentHash() throws(SystemError) -> ContentHash {
        try state.withLock { state throws(SystemError) in
            if state.hasher == nil { try Self.rehash(&state, file) }
            return state.hasher?.copy().finish() ?? ContentHash(of: [])
        }
    }

    /// Completes writes at arbitrary offsets: takes the size from the disk, and leaves the hash for
    /// later.
    func adoptPieces() throws(SystemError) {
        let size = try FileStatus.of(file).signature.size
        state.withLock { state in
            state.size = size
            state.hasher = nil
        }
    }

    private static func rehash(
        _ state: inout State, _ file: borrowing Descriptor
    ) throws(SystemError) {
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw SystemError("seek") }
        let hasher = ContentHasher()
        try FileReader.forEachPiece(of: file) { hasher.update($0) }
        state.hasher = hasher
    }

    /// Makes content and times durable, ready for the rename.
    ///
    /// - Parameter mode: The permissions of the file it will replace, if any.
    func seal(modified: Timestamp?, mode: UInt32?) throws(SystemError) {
        if let mode { fchmod(file.number, mode & 0o7777) }
        if let modified {
            // The API has whole seconds; the rest distinguishes two contents with the same second,
            // the same size and, one after the other, the same inode.
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let time = timespec(tv_sec: Int(modified.secondsSince1970), tv_nsec: now.tv_nsec)
            // Nothing else is lost if the file system cannot store the time.
            _ = [time, time].withUnsafeBufferPointer { futimens(file.number, $0.baseAddress) }
        }
        try SystemError.check("fsync", fsync(file.number))
    }

    func status() throws(SystemError) -> FileStatus { try FileStatus.of(file) }

    func rename(to newName: String) throws(SystemError) {
        try SystemError.check(
            "rename", renameat(access.staging.number, name, access.staging.number, newName))
    }
}
