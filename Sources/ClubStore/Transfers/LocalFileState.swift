internal import DropboxAPI
package import FoundationEssentials
internal import Glibc

/// By which a file on this computer is known to be the same as before.
package struct LocalFileState: Hashable, Sendable {
    package let byteCount: Int64
    private let device: UInt64
    private let inode: UInt64
    private let modified: [Int]
    private let changed: [Int]

    /// Nil unless it is a regular file.
    package init?(at url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        byteCount = Int64(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// One line that no other state has.
    package var text: String {
        "\(device):\(inode) \(byteCount) \(modified[0]).\(modified[1]) \(changed[0]).\(changed[1])"
    }

    /// Whether the file is this one of the store: as long, and with the same hash. Where the store has no hash
    /// its date decides, which a file has that was fetched. Reads the file: call from off the main actor.
    package func isContent(of file: RemoteFile, at url: URL) -> Bool {
        guard byteCount == file.byteCount else { return false }
        guard let hash = file.contentHash else {
            return Double(modified[0]) == file.modified.timeIntervalSince1970.rounded(.down)
        }
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let hasher = ContentHasher()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var left = byteCount
        while left > 0 {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, !Task.isCancelled else { return false }
            buffer.withUnsafeBytes {
                hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            left -= Int64(count)
        }
        return hasher.finish().hexadecimal == hash
    }
}
