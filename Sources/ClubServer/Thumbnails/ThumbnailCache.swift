import FoundationEssentials
import Glibc
import Synchronization

/// Thumbnails on disk, which any program may delete at any time.
final class ThumbnailCache: Sendable {
    /// nil to store nothing.
    private let folder: Int32?
    private let byteLimit: Int64
    /// Bytes added since the folder was last scanned; starts with a scan due.
    private let unchecked: Mutex<Int64>

    /// - Parameter folder: nil to store nothing.
    init(folder path: String?, byteLimit: Int64 = 256 << 20) {
        let number = path.map { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) } ?? -1
        folder = number >= 0 ? number : nil
        self.byteLimit = byteLimit
        unchecked = Mutex(byteLimit)
    }

    deinit {
        if let folder { close(folder) }
    }

    subscript(name: String) -> Data? {
        guard let folder,
            let file = try? FolderAccess.file(name, in: folder)
        else { return nil }
        var data = Data()
        guard (try? FileReader.forEachPiece(of: file, { data.append(contentsOf: $0) })) != nil,
            !data.isEmpty
        else { return nil }
        // Its time is when it was last used.
        futimens(file.number, nil)
        return data
    }

    func add(_ data: Data, as name: String) {
        guard let folder else { return }
        let temporary = ".\(RandomText.hexadecimal(byteCount: 8))"
        let number = openat(
            folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { return }
        let file = Descriptor(number)
        let isWritten = (try? FileWriter.writeAll(Array(data), to: file)) != nil
        if !isWritten || renameat(folder, temporary, folder, name) != 0 {
            unlinkat(folder, temporary, 0)
            return
        }
        let isDue = unchecked.withLock { unchecked in
            unchecked += Int64(data.count)
            guard unchecked > byteLimit / 16 else { return false }
            unchecked = 0
            return true
        }
        if isDue { removeOldest(in: folder) }
    }

    /// Reduces the cache well below its limit if it is above it.
    private func removeOldest(in folder: Int32) {
        var files: [(name: String, signature: FileSignature)] = []
        for name in ((try? FolderAccess.names(in: folder)) ?? []).compactMap(\.text) {
            guard let status = try? FileStatus.of(name, in: folder), status.kind == .file else {
                continue
            }
            files.append((name, status.signature))
        }
        var size = files.reduce(0) { $0 + $1.signature.size }
        guard size > byteLimit else { return }
        files.sort {
            ($0.signature.seconds, $0.signature.nanoseconds)
                < ($1.signature.seconds, $1.signature.nanoseconds)
        }
        for file in files {
            unlinkat(folder, file.name, 0)
            size -= file.signature.size
            if size <= byteLimit * 3 / 4 { return }
        }
    }
}
