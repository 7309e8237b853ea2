internal import ByteClubFiles
package import ClubStore
package import FoundationEssentials
internal import Glibc

/// How far a command's upload is, kept on this computer: the same command goes on there after it was interrupted.
///
/// An upload in the background has its record beside its order. That of a command is found by the file and by where it is
/// to go; the store goes on only if the bytes are the same.
package final class CommandUpload: Sendable {
    /// What the store writes.
    package let record: URL
    /// How many bytes the server has, if they are of use.
    package let keptByteCount: Int64
    /// Whether an earlier command has begun to send the file there, and was ended.
    package let isResumed: Bool
    private let lockFile: URL
    private let lock: FileLock

    /// - Parameters:
    ///   - file: The file on this computer, not what is made of it.
    ///   - path: Where it is to go.
    ///   - folder: The club's folder of transfers.
    /// - Returns: Nil if another command sends the file there now, or nothing can be kept on this disk.
    @concurrent package static func begin(
        _ file: URL, to path: RemotePath, in folder: URL
    ) async -> CommandUpload? {
        CommandUpload(file, to: path, in: folder)
    }

    private init?(_ file: URL, to path: RemotePath, in transfers: URL) {
        let folder = transfers.appending(path: "commands")
        let name = StoreIdentity(of: [Self.realPath(of: file), path.string]).description
        record = folder.appending(path: "\(name).upload")
        lockFile = folder.appending(path: "\(name).lock")
        guard let lock = Self.take(lockFile) else { return nil }
        self.lock = lock
        Self.removeOld(in: folder)
        isResumed = access(record.path, F_OK) == 0
        keptByteCount = UploadRecord.keptByteCount(in: record)
    }

    /// Call it once, when the upload has ended.
    ///
    /// - Parameter isOfUse: Whether another attempt can go on from there.
    @concurrent package func end(isOfUse: Bool) async {
        if !isOfUse { unlink(record.path) }
        if access(record.path, F_OK) != 0 { unlink(lockFile.path) }
        lock.release()
    }

    /// - Returns: Nil if another command holds it.
    private static func take(_ file: URL) -> FileLock? {
        // The command that held it may have removed its file.
        for _ in 0..<10 {
            guard let lock = try? FileLock(file) else { return nil }
            let isTaken = lock.attempt() == .taken
            if isTaken, lock.isFile(at: file.path) { return lock }
            lock.release()
            guard isTaken else { return nil }
        }
        return nil
    }

    /// After that time no server keeps what it has.
    private static let longestAge = 14 * 86_400

    private static func removeOld(in folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names {
            let path = folder.path + "/" + name
            var facts = stat()
            guard lstat(path, &facts) == 0, facts.st_mtim.tv_sec < time(nil) - longestAge else {
                continue
            }
            unlink(path)
        }
    }

    private static func realPath(of file: URL) -> String {
        guard let real = realpath(file.path, nil) else { return file.path }
        defer { free(real) }
        return String(cString: real)
    }
}
