import CCurl

/// The sockets behind libcurl's connections, to look at one before a request goes out on it.
///
/// libcurl looks at a kept-alive connection itself before it uses it, but takes bytes that wait there for
/// a sign of life. Nobody has asked for them: over TLS they are the server's close_notify, and in the
/// clear an answer that would be taken for that of the next request.
final class ConnectionSockets {
    /// Both ends of a connection, as the pre-request callback names it.
    struct Ends: Hashable {
        var localAddress: String
        var localPort: Int32
        var remoteAddress: String
        var remotePort: Int32
    }

    struct Socket {
        var descriptor: curl_socket_t
        /// When the connection was asked for, at the latest; nanoseconds of the monotonic clock.
        var openingTime: UInt64
    }

    var sockets: [Ends: Socket] = [:]
    private var ends: [curl_socket_t: Ends] = [:]

    /// Notes a new connection. `opened` are the sockets of which one has become it.
    func add(_ connection: Ends, among opened: [curl_socket_t], at time: UInt64) {
        guard connection.localPort > 0,  // none over a unix socket
            let socket = opened.last(where: {
                byteclub_local_port($0) == connection.localPort
            })
        else { return }
        // A socket that is closed gives its number to a later one, so this grows no further than there
        // are sockets at once.
        if let earlier = ends.updateValue(connection, forKey: socket),
            sockets[earlier]?.descriptor == socket
        {
            sockets[earlier] = nil
        }
        sockets[connection] = Socket(descriptor: socket, openingTime: time)
    }

    /// Whether it is not known that a connection was made after some moment.
    func mayPrecede(_ time: UInt64, _ connection: Ends) -> Bool {
        sockets[connection].map { $0.openingTime < time } ?? true
    }

    /// Whether a kept-alive connection is open and silent.
    static func isReady(_ socket: curl_socket_t) -> Bool { byteclub_is_silent(socket) }

    /// Nil for a connection that was closed: its socket's number may be another file's by now.
    func socket(of connection: Ends) -> curl_socket_t? {
        sockets[connection].flatMap {
            byteclub_local_port($0.descriptor) == connection.localPort ? $0.descriptor : nil
        }
    }
}
