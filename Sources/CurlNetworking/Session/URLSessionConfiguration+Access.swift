import Synchronization

/// The networks that a session may use, and its behavior without one.
struct AccessSettings: Sendable {
    var waitsForConnectivity = false
    var allowsCellular = true
    var allowsExpensive = true
    var allowsConstrained = true
    var serviceType = URLRequest.NetworkServiceType.default
    var usesPipelining = false
    /// The source of network information: the system, or a mock in tests.
    var network: any NetworkStatus = SystemNetwork.shared
}

extension URLSessionConfiguration {
    /// Whether tasks wait if there is no network that they may use, instead of failing; false by default.
    ///
    /// The delegate is notified once by `urlSession(_:taskIsWaitingForConnectivity:)`. A waiting task tries
    /// again when a link, an address or a route of this machine changes, until `timeoutIntervalForResource`
    /// has passed. There is no network if the system has no route to the server, or no route at all and the
    /// server's name cannot be resolved. Refused and lost connections fail as usual.
    public var waitsForConnectivity: Bool {
        get { settings.withLock { $0.access.waitsForConnectivity } }
        set { settings.withLock { $0.access.waitsForConnectivity = newValue } }
    }

    /// Whether tasks may use cellular networks; true by default. Otherwise they fail with `.dataNotAllowed`,
    /// or wait.
    ///
    /// A network is cellular if the system's route to the server uses a modem: a device that the kernel calls
    /// `wwan`, or one with a typical name (`wwan0`, `wwp…`, `rmnet…`, `ppp…`). A phone that shares its
    /// network over Wi-Fi or USB cannot be recognized, but NetworkManager often reports it as metered.
    /// Checked before each connection only.
    public var allowsCellularAccess: Bool {
        get { settings.withLock { $0.access.allowsCellular } }
        set { settings.withLock { $0.access.allowsCellular = newValue } }
    }

    /// Whether tasks may use metered networks; true by default. Otherwise they fail with `.dataNotAllowed`,
    /// or wait.
    ///
    /// Cellular networks are metered, and the primary connection if NetworkManager reports it as metered, or
    /// as probably metered. Without NetworkManager, only cellular networks are recognized.
    public var allowsExpensiveNetworkAccess: Bool {
        get { settings.withLock { $0.access.allowsExpensive } }
        set { settings.withLock { $0.access.allowsExpensive = newValue } }
    }

    /// Whether tasks may use networks in Low Data Mode; true by default. On Linux, these are the networks
    /// that NetworkManager reports as metered; cellular networks that it does not report are allowed.
    public var allowsConstrainedNetworkAccess: Bool {
        get { settings.withLock { $0.access.allowsConstrained } }
        set { settings.withLock { $0.access.allowsConstrained = newValue } }
    }
}
