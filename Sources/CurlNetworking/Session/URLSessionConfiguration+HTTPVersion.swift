extension URLSessionConfiguration {
    /// The versions of HTTP that requests may use; `.automatic` by default.
    ///
    /// Not part of Apple's API. The metrics contain the version of each response:
    /// ``URLSessionTaskTransactionMetrics/networkProtocolName``.
    public var httpVersion: HTTPVersionPreference {
        get { withSettings { $0.httpVersion } }
        set { withSettings { $0.httpVersion = newValue } }
    }
}
