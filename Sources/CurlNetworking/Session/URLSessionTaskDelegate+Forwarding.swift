// Methods that a task's own delegate lacks are called on the session's delegate.

extension URLSessionTask {
    /// Returns the session's delegate if `delegate` is the task's own and lacks a method; nil otherwise.
    ///
    /// The default implementation of each delegate method uses it:
    ///
    /// ```swift
    /// guard let next = task.nextDelegate(after: self) else { return … }
    /// next.urlSession(session, task: task, …)
    /// ```
    func nextDelegate(after delegate: any URLSessionDelegate) -> (any URLSessionTaskDelegate)? {
        guard self.delegate === delegate, let other = session.delegate, other !== delegate else {
            return nil
        }
        return other as? any URLSessionTaskDelegate
    }

    /// The delegate that receives a data task's response: the task's own if it is a data delegate, else the
    /// session's.
    var dataListener: (any URLSessionDataDelegate)? {
        delegate as? any URLSessionDataDelegate ?? session.delegate as? any URLSessionDataDelegate
    }

    /// The delegate that receives a download's events: the task's own if it is a download delegate, else the
    /// session's.
    var downloadListener: (any URLSessionDownloadDelegate)? {
        delegate as? any URLSessionDownloadDelegate
            ?? session.delegate as? any URLSessionDownloadDelegate
    }
}
