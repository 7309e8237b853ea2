import CCurl

/// The sockets of transfers whose handshake may have to be held.
///
/// To libcurl a held handshake is a socket that takes no bytes, and so it wants to hear when it does:
/// at once, again and again. Its sockets are therefore not watched until it is let go.
struct HandshakeSockets {
    private var transfers: [UnsafeMutableRawPointer: Entry] = [:]

    private struct Entry {
        var wanted: [curl_socket_t: Int32] = [:]
        var isHeld = false
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
        case held
    }

    /// Notes what libcurl wants to hear of.
    mutating func note(
        _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ wanted: Int32
    ) -> Watching {
        guard !transfers.isEmpty, let easy, var transfer = transfers[easy] else { return .allowed }
        let isGone = wanted == CURL_POLL_REMOVE
        transfer.wanted[socket] = isGone ? nil : wanted
        transfers[easy] = transfer
        return transfer.isHeld && !isGone ? .held : .allowed
    }

    /// Returns the sockets that must not be watched from now on.
    mutating func hold(_ easy: EasyHandle) -> [curl_socket_t] {
        transfers[easy.raw]?.isHeld = true
        return transfers[easy.raw].map { Array($0.wanted.keys) } ?? []
    }

    /// Returns the sockets to watch again, and for what.
    mutating func letGo(_ easy: EasyHandle) -> [curl_socket_t: Int32] {
        transfers[easy.raw]?.isHeld = false
        return transfers[easy.raw]?.wanted ?? [:]
    }

    func sockets(of easy: EasyHandle) -> [curl_socket_t] {
        transfers[easy.raw].map { Array($0.wanted.keys) } ?? []
    }
}

extension MultiHandle {
    /// Stops watching the sockets of a transfer whose handshake is held.
    func hold(_ easy: EasyHandle) {
        for socket in handshakes.hold(easy) { byteclub_epoll_forget(epollDescriptor, socket) }
    }

    func letGo(_ easy: EasyHandle) {
        for (socket, wanted) in handshakes.letGo(easy) {
            _ = byteclub_epoll_watch(epollDescriptor, socket, wanted | CURL_POLL_OUT)
        }
    }

    /// Whether the other side has closed the connection meanwhile.
    func hasHungUp(_ easy: EasyHandle) -> Bool {
        handshakes.sockets(of: easy).contains { byteclub_has_hung_up($0) }
    }
}
