/// Where clients come in: the listener of requests, and that of leases if there is one.
struct Entrance: Sendable {
    let listener: Listener
    let leases: Listener?

    init(_ endpoint: ClubServer.Endpoint, loop: EventLoop) throws(ClubServerError) {
        switch endpoint {
        case .tcp(let port):
            listener = try .tcp(port: port, loop: loop)
            leases = nil
        case .unixSocket(let path, let leasePath):
            // Before the socket: who finds the one takes the other.
            let leases: Listener? =
                if let leasePath { try .unix(path: leasePath, loop: loop) } else { nil }
            do throws(ClubServerError) {
                listener = try .unix(path: path, loop: loop)
            } catch {
                leases?.close()
                throw error
            }
            self.leases = leases
        }
    }

    /// The host names by which requests may come in.
    var hosts: HostRule {
        switch listener.address {
        case .tcp: .loopback
        case .unixSocket: .any
        }
    }

    func close() {
        listener.close()
        leases?.close()
    }
}
