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
}
