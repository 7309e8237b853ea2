/// A delegate that is also notified of bytes handed to the system, acknowledged or not.
protocol SendingObserver: URLSessionDelegate {
    /// Called on the delegate queue, before `didSendBodyData`.
    ///
    /// - Parameters:
    ///   - byteCount: How much of the body was handed to the system.
    ///   - expected: The length of the body; -1 if unknown.
    func handedOver(_ byteCount: Int64, of expected: Int64, by task: URLSessionTask)
}
