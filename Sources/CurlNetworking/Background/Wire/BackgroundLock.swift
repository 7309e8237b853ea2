import Dispatch
import FoundationEssentials
import CurlNetworkingPlatform

/// The lock that makes one process the helper of a state folder while it lives. The file has the path of
/// the helper's socket, because programs may differ in `XDG_RUNTIME_DIR`.
final class BackgroundLock {
    private let descriptor: Int32
    /// Held while the helper starts or exits and cannot be reached.
    private var handover: HandoverLock?

    private init(_ descriptor: Int32, _ handover: HandoverLock) {
        self.descriptor = descriptor
        self.handover = handover
    }

    deinit {
        LockedFile.close(descriptor)
    }

    /// nil when another helper is running. Waits for one that is starting or exiting.
    static func take(_ paths: BackgroundPaths) throws(URLError) -> BackgroundLock? {
        let handover = try HandoverLock(paths)
        let path = paths.lock
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw AtomicFile.failure(.cannotOpenFile, path) }
        if LockedFile.attempt(descriptor) == .taken { return BackgroundLock(descriptor, handover) }
        close(descriptor)
        guard let address = address(paths), let other = BackgroundSocket.connect(to: address)
        else {
            throw URLError(
                .backgroundSessionWasDisconnected,
                underlyingText: "another helper holds \(path) and does not answer")
        }
        close(other)
        return nil
    }

    /// The helper's socket; nil when no helper runs. It may have ended.
    static func address(_ paths: BackgroundPaths) -> String? {
        guard let data = try? AtomicFile.read(paths.lock, atMost: 4096), !data.isEmpty else {
            return nil
        }
        let path = String(decoding: data, as: UTF8.self)
        return path.hasPrefix("/") && !path.utf8.contains(0) ? path : nil
    }

    /// Publishes the socket: the helper can be reached.
    func publish(_ address: String) throws(URLError) {
        let bytes = Array(address.utf8)
        guard ftruncate(descriptor, 0) == 0,
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { throw URLError(.cannotWriteToFile, underlyingText: lastSystemError) }
        handover = nil
    }

    /// Withdraws the socket: the helper is about to exit.
    func retract(_ paths: BackgroundPaths) {
        handover = try? HandoverLock(paths)
        ftruncate(descriptor, 0)
    }
}

/// Serializes the start and exit of helpers: one process at a time holds it.
final class HandoverLock {
    private let descriptor: Int32
    private static let longestWait = DispatchTimeInterval.seconds(5)

    init(_ paths: BackgroundPaths) throws(URLError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        descriptor = open(paths.handover, flags, 0o600)
        guard descriptor >= 0 else { throw AtomicFile.failure(.cannotOpenFile, paths.handover) }
        guard LockedFile.attempt(descriptor) != .taken, Self.wait(for: descriptor) == .timedOut
        else { return }
        throw URLError(
            .backgroundSessionWasDisconnected,
            underlyingText: "another helper holds \(paths.handover) and neither starts nor exits")
    }

    deinit {
        LockedFile.close(descriptor)
    }

    /// On a thread of its own, because `flock` has no timeout. After one, the thread ends with the process,
    /// which then exits.
    private static func wait(for descriptor: Int32) -> DispatchTimeoutResult {
        let isTaken = DispatchSemaphore(value: 0)
        DispatchQueue(label: "CurlNetworking.turn").async { @Sendable in
            if LockedFile.wait(for: descriptor) == 0 { isTaken.signal() }
        }
        return isTaken.wait(timeout: .now() + longestWait)
    }
}
