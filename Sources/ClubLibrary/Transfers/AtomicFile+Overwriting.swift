internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc

extension AtomicFile {
    /// Writes JSON over the file's own blocks: on a full disk there is no room for a temporary file.
    ///
    /// It is not atomic. A reader, or a power cut, may find both the old and the new bytes, which costs this file.
    ///
    /// - Parameters:
    ///   - text: JSON. If it is shorter than the file, white space is added, so that nothing old remains after it.
    ///   - isSynced: Whether it must survive a power cut.
    /// - Throws: If there is no file, or its blocks have no room for the text: the disk is full.
    func overwrite(_ text: Data, isSynced: Bool) throws(Failure) {
        let descriptor = open(url.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(errno == ENOENT ? ENOSPC : errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(EINVAL) }
        let byteCount = Int(status.st_size)
        // Blocks are counted in units of 512 bytes, whatever their size.
        guard text.count <= max(byteCount, Int(status.st_blocks) * 512) else {
            throw Failure(ENOSPC)
        }
        let all = text.padded(to: byteCount)
        let written = all.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard written == all.count else { throw Failure(written < 0 ? errno : ENOSPC) }
        if isSynced, fsync(descriptor) != 0 { throw Failure(errno) }
    }
}

extension Data {
    /// JSON with white space after it, so that it has this length at least.
    func padded(to byteCount: Int) -> Data {
        self + Data(repeating: UInt8(ascii: " "), count: Swift.max(0, byteCount - count))
    }
}
