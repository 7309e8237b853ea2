// What a task's own delegate leaves out goes to the session's.

extension URLSessionTask {
    /// The session's delegate, when `delegate` is the task's own and has no method for a call.
    ///
    /// The default implementation of each delegate method asks for it:
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

    /// Who gets a data task's response: the task's own delegate, if it is one for data, else the
    /// session's.
    var dataListener: (any URLSessionDataDelegate)? {
        delegate as? any URLSessionDataDelegate ?? session.delegate as? any URLSessionDataDelegate
    }

    /// Who gets the events of a download: the task's own delegate, if it is one for downloads, else the
    /// session's.
    var downloadListener: (any URLSessionDownloadDelegate)? {
        delegate as? any URLSessionDownloadDelegate
            ?? session.delegate as? any URLSessionDownloadDelegate
    }
}
