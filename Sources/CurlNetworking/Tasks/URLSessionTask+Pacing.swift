import Synchronization

extension URLSessionTask {
    /// How many bytes of the task's body may leave in a second; nil: as many as the connection takes.
    ///
    /// It applies to what leaves, not to the average of what has: at most a quarter of a second's worth leaves at
    /// once. May be changed at any time, from any thread. Not in Apple's suite; background sessions do not heed it.
    public var maximumSendingRate: Int64? {
        get { status.withLock { $0.delivery.maximumSendingRate } }
        set { status.withLock { $0.delivery.maximumSendingRate = newValue } }
    }

    /// How many bytes of the answer's body may come in a second; nil: as many as the connection brings.
    ///
    /// What is not read waits with the server, but for what the system keeps for a connection. Bytes come about twenty
    /// times a second; if the rate is set while they come already, up to 128 KiB come at once. May be changed at any
    /// time, from any thread. Not in Apple's suite; background sessions do not heed it.
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
