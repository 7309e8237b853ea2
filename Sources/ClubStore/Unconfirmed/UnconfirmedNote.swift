import ByteClubFiles
import FoundationEssentials
import Glibc

/// An unconfirmed write in a file of its own, for later runs of the program.
///
/// The file is locked while the program that wrote it runs: that program may still get the result,
/// and others ignore the file.
final class UnconfirmedNote: Sendable {
    let write: UnconfirmedWrite
    private let file: String
    /// Holds the lock.
    private let descriptor: CInt

    private struct Content: Codable {
        var path: String
        var write: UnconfirmedWrite
    }

    private static let ending = ".json"

    /// A draft may stay unsent for weeks.
    private static let lifetimeSeconds = 30 * 86_400

    /// Nil when it cannot be saved, which may cost a question later but no text.
    init?(of write: UnconfirmedWrite, at path: RemotePath, in folder: URL) {
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let name = String(UInt64.random(in: .min ... .max), radix: 36) + Self.ending
        file = folder.appending(path: name).path
        self.write = write
        let content = Content(path: path.string, write: write)
        guard let data = try? JSONEncoder().encode(content) else { return nil }
        descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        let isWritten =
            LockedFile.wait(for: descriptor) == 0
            && data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                == data.count
        guard isWritten else {
            unlink(file)
            return nil
        }
    }

    private init(_ write: UnconfirmedWrite, file: String, descriptor: CInt) {
        self.write = write
        self.file = file
        self.descriptor = descriptor
    }

    deinit {
        if descriptor >= 0 { LockedFile.close(descriptor) }
    }

    func remove() {
        unlink(file)
    }

    /// The unconfirmed writes of ended programs to a path.
    static func left(about path: RemotePath, in folder: URL) -> [UnconfirmedNote] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(ending) }.compactMap { name in
            let file = folder.appending(path: name).path
            let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            guard LockedFile.attempt(descriptor, .shared) == .taken else {
                close(descriptor)
                return nil
            }
            guard !isExpired(descriptor) else {
                unlink(file)
                LockedFile.close(descriptor)
                return nil
            }
            // By bytes: see ``RemotePath``.
            guard let content = content(of: file),
                content.path.utf8.elementsEqual(path.string.utf8)
            else {
                LockedFile.close(descriptor)
                return nil
            }
            return UnconfirmedNote(content.write, file: file, descriptor: descriptor)
        }
    }

    private static func isExpired(_ descriptor: CInt) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0
            && status.st_mtim.tv_sec < time(nil) - lifetimeSeconds
    }

    private static func content(of file: String) -> Content? {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else { return nil }
        return try? JSONDecoder().decode(Content.self, from: data)
    }
}
