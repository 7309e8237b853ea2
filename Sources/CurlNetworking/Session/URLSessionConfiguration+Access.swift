import Synchronization

/// Which networks a session may use, and what it does without one.
struct AccessSettings: Sendable {
    var waitsForConnectivity = false
    var allowsCellular = true
    var allowsExpensive = true
    var allowsConstrained = true
    var serviceType = URLRequest.NetworkServiceType.default
    var usesPipelining = false
    /// What is asked about networks: the system, or what a test puts in its place.
    var network: any NetworkStatus = SystemNetwork.shared
}

extension URLSessionConfiguration {
    /// Whether tasks wait for a network when there is none, or none they may use, instead of failing;
    /// false unless set.
    ///
    /// The delegate is notified once by `urlSession(_:taskIsWaitingForConnectivity:)`. A waiting task tries
    /// again when a link, an address or a route of this machine changes; `timeoutIntervalForResource`
    /// ends it. No network means that the system has no route to the server, or none to anywhere while
    /// the server's name cannot be found. A server that refuses, and a connection that is lost once it
    /// was there, fail as ever.
    public var waitsForConnectivity: Bool {
        get { settings.withLock { $0.access.waitsForConnectivity } }
        set { settings.withLock { $0.access.waitsForConnectivity = newValue } }
    }

    /// Whether tasks may go over a mobile network; true unless set. Where they may not they fail with
    /// `.dataNotAllowed`, or wait.
    ///
    /// A network is mobile when the system's route to the server leads through a modem: a device the
    /// kernel calls `wwan`, or one named like a modem's (`wwan0`, `wwp…`, `rmnet…`, `ppp…`). A phone that
    /// shares its network over Wi-Fi or USB looks like any other; NetworkManager often knows it as
    /// metered. Looked at before each connection, not while one lasts.
    public var allowsCellularAccess: Bool {
        get { settings.withLock { $0.access.allowsCellular } }
        set { settings.withLock { $0.access.allowsCellular = newValue } }
    }

    /// Whether tasks may go over a network that is paid by volume; true unless set. Where they may not
    /// they fail with `.dataNotAllowed`, or wait.
    ///
    /// Such are mobile networks, and the one NetworkManager has for its primary connection when it calls
    /// that metered (or guesses so). Without NetworkManager only mobile networks are known to be.
    public var allowsExpensiveNetworkAccess: Bool {
        get { settings.withLock { $0.access.allowsExpensive } }
        set { settings.withLock { $0.access.allowsExpensive = newValue } }
    }

    /// Whether tasks may go over a network that its user wants used sparingly (Low Data Mode on Apple's
    /// systems); true unless set. Linux has one setting for both: what NetworkManager calls metered.
    /// Mobile networks that are not called so are allowed.
    public var allowsConstrainedNetworkAccess: Bool {
        get { settings.withLock { $0.access.allowsConstrained } }
        set { settings.withLock { $0.access.allowsConstrained = newValue } }
    }
}
