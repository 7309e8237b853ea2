extension URLSessionConfiguration {
    /// Which versions of HTTP requests may use; `.automatic` unless set.
    ///
    /// Not in Apple's suite. Which version an answer came by is in the metrics:
    /// ``URLSessionTaskTransactionMetrics/networkProtocolName``.
    public var httpVersion: HTTPVersionPreference {
        get { withSettings { $0.httpVersion } }
        set { withSettings { $0.httpVersion = newValue } }
    }
}
