/// A session's delegate that is also told what has left this process, which the server need not have acknowledged.
protocol SendingObserver: URLSessionDelegate {
    /// Comes on the delegate queue, before `didSendBodyData`.
    ///
    /// - Parameters:
    ///   - byteCount: How much of the body the system has taken.
    ///   - expected: How much there is; -1 where that is not known.
    func handedOver(_ byteCount: Int64, of expected: Int64, by task: URLSessionTask)
}
