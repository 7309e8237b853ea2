import Synchronization

extension URLSessionTask {
    /// The maximum rate of the request body in bytes per second; nil for no limit.
    ///
    /// Unused rate accumulates for a quarter of a second at most. Can be changed at any time, from any
    /// thread. Not part of Apple's API; background sessions ignore it.
    public var maximumSendingRate: Int64? {
        get { status.withLock { $0.delivery.maximumSendingRate } }
        set { status.withLock { $0.delivery.maximumSendingRate = newValue } }
    }

    /// The maximum rate of the response body in bytes per second; nil for no limit.
    ///
    /// Bytes that were not read stay at the server, except for the kernel's receive buffer. They arrive about
    /// twenty times a second. If the rate is set while the body is arriving, up to 128 KiB may still arrive
    /// at once. Can be changed at any time, from any thread. Not part of Apple's API; background sessions
    /// ignore it.
    public var maximumReceivingRate: Int64? {
        get { status.withLock { $0.delivery.maximumReceivingRate } }
        set {
            let hasStarted = status.withLock { status in
                status.delivery.maximumReceivingRate = newValue
                return status.life.hasStarted
            }
            guard hasStarted else { return }
            Engine.shared.thread.submit { [weak self] engine in
                if let self { engine.receivingRateChanged(of: self) }
            }
        }
    }
}
