import CByteClubLinux
import DropboxAPI
import ByteClubFiles
import FoundationEssentials
import Glibc

/// Creates the folders that a server needs.
enum ServerFolders {
    enum Creation {
        case new
        case wasThere
    }

    /// Creates a folder and its missing parents, private to this user.
    @discardableResult
    static func make(
        _ path: String, mode: mode_t = 0o700, purpose: String
    ) throws(ClubServerError) -> Creation {
        var partial = ""
        var isNew = false
        for component in path.split(separator: "/") {
            partial += "/" + component
            if mkdir(partial, mode) == 0 {
                isNew = true
            } else if errno != EEXIST {
                let error = SystemError("mkdir")
                // A parent may exist but be inaccessible; only the last one matters.
                if partial == "/" + path.split(separator: "/").joined(separator: "/") {
                    throw ClubServerError(
                        .folderNotUsable, "\(purpose), \(path), cannot be made.", error)
                }
            } else {
                isNew = false
            }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ClubServerError(.folderNotUsable, "\(purpose), \(path), is not a folder.")
        }
        return isNew ? .new : .wasThere
    }
}

/// The lock that allows only one server per folder.
///
/// The kernel releases it when the process ends for any reason; the file stays.
final class ServerLock: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt, clubFolder: String) throws(ClubServerError) {
        self.descriptor = descriptor
        // A class is deinitialized even if its initializer throws from here on, and so closes it.
        guard LockedFile.attempt(descriptor) != .busy else {
            throw ClubServerError(
                .alreadyRunning,
                "Another Byte Club has the club in \(clubFolder) open: a screen, its transfers, or a server. Close it, or serve another folder with --folder."
            )
        }
    }

    /// Waits for a server that ends on its own, as one does that a command has started.
    ///
    /// - Parameters:
    ///   - path: The lock's file, made if it is missing.
    ///   - patience: How long to wait.
    static func take(
        path: String, clubFolder: String, patience: Duration
    ) async throws(ClubServerError) -> ServerLock {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        return try await take(clubFolder, patience) { open(path, flags, 0o600) }
    }

    /// The same on the club's folder itself: the files of two programs may be in different runtime folders.
    /// Where a folder cannot be locked, as on some network file systems, it is not.
    static func take(
        folder: String, patience: Duration
    ) async throws(ClubServerError) -> ServerLock {
        try await take(folder, patience) { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    private static func take(
        _ clubFolder: String, _ patience: Duration, opening: () -> CInt
    ) async throws(ClubServerError) -> ServerLock {
        let end = ContinuousClock.now + patience
        while true {
            let descriptor = opening()
            guard descriptor >= 0 else {
                throw ClubServerError(
                    .folderNotUsable, "The lock of \(clubFolder) cannot be opened.",
                    SystemError("open"))
            }
            do throws(ClubServerError) {
                return try ServerLock(descriptor, clubFolder: clubFolder)
            } catch {
                guard .now < end, (try? await Task.sleep(for: .milliseconds(20))) != nil
                else { throw error }
            }
        }
    }

    /// Releases it at once. One that was not acquired has nothing to unlock.
    deinit {
        LockedFile.close(descriptor)
    }
}

/// The bearer token for clients of a server, new at each start.
enum ServerToken {
    static func make() -> String { RandomText.base64URL(byteCount: 32) }

    /// Writes it atomically, readable only for this user.
    static func write(_ token: String, to path: String) throws(ClubServerError) {
        let temporary = path + ".new"
        unlink(temporary)
        do throws(SystemError) {
            let file = try Descriptor.opened(
                "open",
                open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
            try FileWriter.writeAll(Array((token + "\n").utf8), to: file)
            try SystemError.check("rename", rename(temporary, path))
        } catch {
            unlink(temporary)
            throw ClubServerError(
                .folderNotUsable, "The token \(path) cannot be written.", error)
        }
    }
}
