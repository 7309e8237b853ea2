/// What is known of the route to a server.
struct NetworkPath: Hashable, Sendable {
    /// Whether there is a route.
    var isThere = true
    /// Whether it uses a modem.
    var isMobile = false
    /// Whether NetworkManager reports it as metered.
    var isMetered = false
}

/// Provides information about this machine's networks.
protocol NetworkStatus: AnyObject, Sendable {
    /// Returns the route to a host, which is a name or an address. May block, so do not call it on the
    /// engine's thread.
    ///
    /// - Parameter knowsCost: Whether `isMobile` and `isMetered` are needed.
    func path(to host: String, knowsCost: Bool) -> NetworkPath

    /// Calls a closure once, when the networks have changed.
    func watch(for watcher: ObjectIdentifier, _ changed: @escaping @Sendable () -> Void)

    func unwatch(_ watcher: ObjectIdentifier)
}

extension AccessSettings {
    /// Whether the route has to be checked before a request uses it.
    func hasNetworkRestrictions(about request: URLRequest) -> Bool {
        refusal(of: NetworkPath(isMobile: true, isMetered: true), for: request) != nil
    }

    /// Returns why a request may not use a route; nil if it may. The session and the request both have to
    /// allow it.
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
