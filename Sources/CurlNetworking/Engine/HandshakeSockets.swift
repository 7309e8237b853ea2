import CByteClubCurl

/// The sockets of transfers whose handshakes may be paused.
///
/// libcurl sees a paused handshake as an unwritable socket and would poll it continuously, so its sockets are
/// not watched until it resumes.
struct HandshakeSockets {
    private var transfers: [UnsafeMutableRawPointer: Entry] = [:]

    private struct Entry {
        var wanted: [curl_socket_t: Int32] = [:]
        var isPaused = false
    }

    mutating func begin(_ easy: EasyHandle) {
        transfers[easy.raw] = Entry()
    }

    mutating func remove(_ easy: EasyHandle) {
        transfers[easy.raw] = nil
    }

    enum Watching {
        case allowed
        /// The socket must not be watched now.
        case paused
    }

    /// Records the events that libcurl wants for a socket.
    mutating func note(
        _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ wanted: Int32
    ) -> Watching {
        guard !transfers.isEmpty, let easy, var transfer = transfers[easy] else { return .allowed }
        let isGone = wanted == CURL_POLL_REMOVE
        transfer.wanted[socket] = isGone ? nil : wanted
        transfers[easy] = transfer
        return transfer.isPaused && !isGone ? .paused : .allowed
    }

    /// Pauses a handshake. Returns the sockets to stop watching.
    mutating func pause(_ easy: EasyHandle) -> [curl_socket_t] {
        transfers[easy.raw]?.isPaused = true
        return transfers[easy.raw].map { Array($0.wanted.keys) } ?? []
    }

    /// Resumes a handshake. Returns the sockets to watch again, with their events.
    mutating func resume(_ easy: EasyHandle) -> [curl_socket_t: Int32] {
        transfers[easy.raw]?.isPaused = false
        return transfers[easy.raw]?.wanted ?? [:]
    }

    func sockets(of easy: EasyHandle) -> [curl_socket_t] {
        transfers[easy.raw].map { Array($0.wanted.keys) } ?? []
    }
}

extension MultiHandle {
    /// Stops watching the sockets of a paused handshake.
    func pause(_ easy: EasyHandle) {
        for socket in handshakes.pause(easy) { byteclub_epoll_forget(epollDescriptor, socket) }
    }

    func resume(_ easy: EasyHandle) {
        for (socket, wanted) in handshakes.resume(easy) {
            _ = byteclub_epoll_watch(epollDescriptor, socket, wanted | CURL_POLL_OUT)
        }
    }

    /// Whether the peer has closed the connection.
    func hasHungUp(_ easy: EasyHandle) -> Bool {
        handshakes.sockets(of: easy).contains { byteclub_has_hung_up($0) }
    }
}
