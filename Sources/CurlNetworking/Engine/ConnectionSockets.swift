import CByteClubCurl

/// The sockets of libcurl's connections, so that one can be checked before a request is sent on it.
///
/// libcurl checks a kept-alive connection before reuse, but treats pending bytes as a sign of life. They were
/// not requested: with TLS they are the server's close_notify, without it a response that would be mistaken
/// for the one to the next request.
final class ConnectionSockets {
    /// Both ends of a connection, as passed to the pre-request callback.
    struct Ends: Hashable {
        var localAddress: String
        var localPort: Int32
        var remoteAddress: String
        var remotePort: Int32
    }

    struct Socket {
        var descriptor: curl_socket_t
        /// The latest time at which the connection was opened; nanoseconds of the monotonic clock.
        var openingTime: UInt64
        /// Whether the system trusts the server of the TLS connection: only its first attempt has the handshake.
        var isServerVerified = false
    }

    var sockets: [Ends: Socket] = [:]
    private var ends: [curl_socket_t: Ends] = [:]

    /// Records a new connection. One of the `opened` sockets belongs to it.
    func add(_ connection: Ends, among opened: [curl_socket_t], at time: UInt64) {
        guard connection.localPort > 0,  // a Unix socket has no ports
            let socket = opened.last(where: {
                byteclub_local_port($0) == connection.localPort
            })
        else { return }
        // A closed socket's number is reused, so the number of entries is bounded by the number of open
        // sockets.
        if let earlier = ends.updateValue(connection, forKey: socket),
            sockets[earlier]?.descriptor == socket
        {
            sockets[earlier] = nil
        }
        sockets[connection] = Socket(descriptor: socket, openingTime: time)
    }

    /// Whether the connection may have been opened before a time.
    func mayPrecede(_ time: UInt64, _ connection: Ends) -> Bool {
        sockets[connection].map { $0.openingTime < time } ?? true
    }

    func noteVerifiedServer(of connection: Ends) {
        sockets[connection]?.isServerVerified = true
    }

    /// Whether a kept-alive connection is open and has no pending bytes.
    static func isReady(_ socket: curl_socket_t) -> Bool { byteclub_is_silent(socket) }

    /// The socket of a connection; nil once it is closed, because its number may be another file's now.
    func socket(of connection: Ends) -> curl_socket_t? {
        sockets[connection].flatMap {
            byteclub_local_port($0.descriptor) == connection.localPort ? $0.descriptor : nil
        }
    }
}
