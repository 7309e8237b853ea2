import CByteClubCurl
import CByteClubBackgroundHelper
import Dispatch
import FoundationEssentials
import CurlNetworkingPlatform

/// One end of a connection between a program and the helper, owned by an actor and used on its queue
/// only.
///
/// Sending does not block: what the socket does not take is buffered.
final class BackgroundChannel<Incoming: Decodable, Outgoing: Encodable> {
    private let descriptor: Int32
    private let reading: any DispatchSourceRead
    private let writing: any DispatchSourceWrite
    private var isAwaitingRoom = false
    private var outbox = Data()
    private var decoder = BackgroundDecoder<Incoming>()
    private(set) var isClosed = false

    /// - Parameters:
    ///   - descriptor: A connected socket, closed with this.
    ///   - wake: Called on `queue` when the socket is ready: call `turn()`.
    init(_ descriptor: Int32, on queue: DispatchQueue, wake: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        reading.setEventHandler { @Sendable in wake() }
        writing.setEventHandler { @Sendable in wake() }
        // Dispatch watches the descriptor until both have been cancelled.
        let ends = DispatchGroup()
        ends.enter()
        ends.enter()
        reading.setCancelHandler { @Sendable in ends.leave() }
        writing.setCancelHandler { @Sendable in ends.leave() }
        ends.notify(queue: queue) { @Sendable in Glibc.close(descriptor) }
        reading.activate()
    }

    deinit {
        close()
    }

    /// Whether messages are waiting because the peer is not reading.
    var isBacklogged: Bool { !outbox.isEmpty }

    /// The process at the other end; nil for one of another user.
    var peer: pid_t? {
        var user: uid_t = 0
        var process: pid_t = 0
        guard byteclub_peer(descriptor, &user, &process), user == geteuid() else { return nil }
        return process
    }

    func send(_ message: Outgoing) {
        guard !isClosed, let frame = try? BackgroundFrame.encode(message) else { return }
        outbox.append(frame)
        flush()
    }

    /// Sends what can be sent, and returns the received messages. Afterwards `isClosed` tells whether the
    /// peer has disconnected.
    func turn() -> [Incoming] {
        guard !isClosed else { return [] }
        flush()
        var messages: [Incoming] = []
        let count = 64 << 10
        while !isClosed {
            var piece = Data(count: count)
            let got = piece.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, count, 0) }
            if got < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { close() }
                break
            }
            guard got > 0 else {
                close()
                break
            }
            decoder.append(piece.prefix(got))
            do {
                while let message = try decoder.next() { messages.append(message) }
            } catch {
                close()
            }
        }
        return messages
    }

    /// Whether the peer has disconnected, determined without reading its last messages.
    var isDeserted: Bool {
        guard !isClosed else { return true }
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP | POLLERR) != 0
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        outbox = Data()
        // At once: the descriptor itself is closed later, and the peer must not find it open until then.
        shutdown(descriptor, Int32(SHUT_RDWR))
        reading.cancel()
        writing.cancel()
        if !isAwaitingRoom { writing.resume() }  // one that is suspended is never done cancelling
    }

    private func flush() {
        while !outbox.isEmpty {
            let count = outbox.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if errno != EAGAIN { outbox = Data() }  // reading will find the end
                break
            }
            outbox = count == outbox.count ? Data() : Data(outbox.dropFirst(count))
        }
        guard isAwaitingRoom == outbox.isEmpty else { return }
        isAwaitingRoom = !outbox.isEmpty
        if isAwaitingRoom { writing.resume() } else { writing.suspend() }
    }
}
