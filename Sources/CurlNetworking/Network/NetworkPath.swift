/// What is known of the way to a server.
struct NetworkPath: Hashable, Sendable {
    /// Whether there is one.
    var isThere = true
    /// Whether it leads through a modem.
    var isMobile = false
    /// Whether it is called metered.
    var isMetered = false
}

/// Knows the networks of this machine.
protocol NetworkStatus: AnyObject, Sendable {
    /// The way to a host, which is a name or an address. May ask other processes: not for the engine's
    /// queue.
    ///
    /// - Parameter knowsCost: Whether `isMobile` and `isMetered` are of interest.
    func path(to host: String, knowsCost: Bool) -> NetworkPath

    /// Calls once, when something about the networks has changed.
    func watch(for watcher: ObjectIdentifier, _ changed: @escaping @Sendable () -> Void)

    func unwatch(_ watcher: ObjectIdentifier)
}

extension AccessSettings {
    /// Whether the way has to be looked at before a request takes it.
    func hasNetworkRestrictions(about request: URLRequest) -> Bool {
        refusal(of: NetworkPath(isMobile: true, isMetered: true), for: request) != nil
    }

    /// Why a request may not go a way; nil when it may. The session and the request both have to allow
    /// it.
    func refusal(
        of path: NetworkPath, for request: URLRequest
    ) -> URLError.NetworkUnavailableReason? {
        let isExpensive = path.isMobile || path.isMetered
        if path.isMobile, !(allowsCellular && request.allowsCellularAccess) { return .cellular }
        if isExpensive, !(allowsExpensive && request.allowsExpensiveNetworkAccess) {
            return .expensive
        }
        if path.isMetered, !(allowsConstrained && request.allowsConstrainedNetworkAccess) {
            return .constrained
        }
        return nil
    }
}
