import Synchronization

/// Which networks a session may use, and what it does without one.
struct AccessSettings: Sendable {
    var waitsForConnectivity = false
    var allowsCellular = true
    var allowsExpensive = true
    var allowsConstrained = true
    var serviceType = URLRequest.NetworkServiceType.default
    var usesPipelining = false
}

extension URLSessionConfiguration {
    /// Whether tasks wait for a network when there is none, or none they may use, instead of failing;
    /// false unless set.
    ///
    /// The delegate is told once by `taskIsWaitingForConnectivity`. A waiting task tries again when an
    /// address, a link or a route of this machine changes; only `timeoutIntervalForResource` ends it.
    /// A connection that is lost once it was there fails as ever.
    public var waitsForConnectivity: Bool {
        get { settings.withLock { $0.access.waitsForConnectivity } }
        set { settings.withLock { $0.access.waitsForConnectivity = newValue } }
    }

    /// Whether tasks may go over a mobile network; true unless set. Where they may not they fail with
    /// `.dataNotAllowed`, or wait.
    ///
    /// A connection is taken for mobile when its network device is a modem (`wwan…`, `ppp…`, `rmnet…`)
    /// by the route the system has for the server's address. A phone that shares its network over
    /// Wi-Fi or USB looks like any other network; NetworkManager often knows it as metered.
    public var allowsCellularAccess: Bool {
        get { settings.withLock { $0.access.allowsCellular } }
        set { settings.withLock { $0.access.allowsCellular = newValue } }
    }

    /// Whether tasks may go over a connection that is paid by volume; true unless set. Where they may
    /// not they fail with `.notConnectedToInternet`, or wait.
    ///
    /// Expensive are mobile networks, and those NetworkManager's state files call metered. Without
    /// NetworkManager, or where its state cannot be read, only mobile networks are.
    public var allowsExpensiveNetworkAccess: Bool {
        get { settings.withLock { $0.access.allowsExpensive } }
        set { settings.withLock { $0.access.allowsExpensive = newValue } }
    }

    /// Whether tasks may go over a connection that its user wants used sparingly (Low Data Mode on
    /// Apple's systems); true unless set. Linux has one setting for both: the same connections as for
    /// `allowsExpensiveNetworkAccess`.
    public var allowsConstrainedNetworkAccess: Bool {
        get { settings.withLock { $0.access.allowsConstrained } }
        set { settings.withLock { $0.access.allowsConstrained = newValue } }
    }
}
