import CByteClubBackgroundHelper
import CByteClubCurl
import Dispatch
import FoundationEssentials
import CurlNetworkingPlatform

// Connects a client: to the running helper, else to one that it starts.

extension BackgroundClient {
    func connect() {
        if let other = BackgroundHolders.enter(self) {
            guard other.isEnding else {
                return refuse(
                    URLError(
                        .backgroundSessionInUseByAnotherProcess,
                        underlyingText: "another session of this process has the identifier"))
            }
            // The previous session was invalidated: the identifier is free once that one is idle.
            connection.stage = .queueing
            let next: @Sendable () -> Void = { [weak self] in
                self?.submit { $0.connection.stage = .disconnected }
            }
            other.submit { $0.whenGone(next) }
            return
        }
        connection.attempts += 1
        // The helper fails a task first, with its resume data: the end of one helper can count as two losses
        // here.
        guard connection.attempts <= 6,
            connection.losses <= 3 * BackgroundTaskRecord.maximumInterruptions
        else {
            return refuse(
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: connection.lastReason ?? "the helper cannot be reached"))
        }
        if let path = BackgroundLock.address(paths), isOurs(path),
            let descriptor = BackgroundSocket.connect(to: path)
        {
            greet(descriptor)
        } else {
            start()
        }
    }

    /// Whether a socket is in a folder that only our user can access.
    private func isOurs(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        var facts = stat()
        return lstat(String(path[..<slash]), &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
            && facts.st_uid == geteuid() && facts.st_mode & 0o077 == 0
    }

    private func greet(_ descriptor: Int32) {
        let channel = Channel(descriptor, on: executor.queue) { [weak self] in
            self?.assumeIsolated { client in
                client.receive()
                client.proceed()
            }
        }
        guard channel.peer != nil else {
            connection.lastReason = "the socket of the helper is another user's"
            return channel.close()
        }
        connection.channel = channel
        connection.stage = .greeting
        channel.send(.hello(version: BackgroundVersion.current))
    }

    private func start() {
        guard byteclub_helper_is_part_of_program() else {
            return refuse(
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: "a library that was loaded later cannot start a helper"))
        }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return connectionLost("no socket: \(lastSystemError)")
        }
        let words = BackgroundEnvironment.fitting(environment)
            .map { strdup("\($0.key)=\($0.value)") }
        let code = (words.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { list in
            list.baseAddress.map { byteclub_helper_start($0, ends[1]) } ?? EINVAL
        }
        for word in words { free(word) }
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            return connectionLost(
                "the helper cannot be started: \(String(cString: strerror(code)))")
        }
        awaitReadiness(on: ends[0])
    }

    private func awaitReadiness(on descriptor: Int32) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: executor.queue)
        source.setEventHandler { @Sendable [self] in
            var bytes = [UInt8](repeating: 0, count: 2048)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            assumeIsolated { client in
                client.helperReported(String(decoding: bytes[..<max(0, count)], as: UTF8.self))
                client.proceed()
            }
        }
        source.setCancelHandler { @Sendable in close(descriptor) }
        connection.stage = .starting(source)
        source.activate()
    }

    /// The helper reports that it is ready, or why not. Without a report it exited because another one is
    /// running, or was killed.
    private func helperReported(_ text: String) {
        guard case .starting(let source) = connection.stage else { return }
        source.cancel()
        if !text.isEmpty, text != "\n" { connection.lastReason = text }
        connection.stage = .disconnected
    }
}
