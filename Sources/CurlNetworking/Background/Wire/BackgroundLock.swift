import FoundationEssentials
import Glibc

/// The lock that makes one process the helper of a state folder, for as long as that process lives. It
/// tells where the helper's socket is, since programs need not agree about `XDG_RUNTIME_DIR`.
final class BackgroundLock {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// nil when another helper is there and can be reached.
    static func take(_ places: BackgroundPlaces) throws(URLError) -> BackgroundLock? {
        let path = places.lock
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw WholeFile.failure(.cannotOpenFile, path) }
        // One that comes or goes holds the lock and cannot be reached, for some milliseconds: only
        // looking again tells.
        for _ in 0..<200 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return BackgroundLock(descriptor) }
            if let address = address(places), let other = BackgroundSocket.connect(to: address) {
                close(other)
                close(descriptor)
                return nil
            }
            usleep(25_000)
        }
        close(descriptor)
        throw URLError(
            .backgroundSessionWasDisconnected,
            underlyingText: "another helper holds \(path) and does not answer")
    }

    /// Where the helper listens; nil when none does. It may be gone.
    static func address(_ places: BackgroundPlaces) -> String? {
        guard let data = try? WholeFile.read(places.lock, atMost: 4096), !data.isEmpty else {
            return nil
        }
        let path = String(decoding: data, as: UTF8.self)
        return path.hasPrefix("/") && !path.utf8.contains(0) ? path : nil
    }

    func announce(_ address: String) throws(URLError) {
        let bytes = Array(address.utf8)
        guard ftruncate(descriptor, 0) == 0,
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { throw URLError(.cannotWriteToFile, underlyingText: lastSystemError) }
    }

    func retract() {
        ftruncate(descriptor, 0)
    }
}
