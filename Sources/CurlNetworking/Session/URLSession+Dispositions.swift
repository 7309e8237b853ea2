extension URLSession {
    /// A delegate's decision about a response. Apple's `becomeStream` is missing because there are no stream
    /// tasks.
    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        /// Convert the task to a download task, which writes the body to a file. Not for what a `URLProtocol` loads:
        /// the task fails with `.unsupportedURL`.
        case becomeDownload = 2
    }

    /// A delegate's decision about a task whose `earliestBeginDate` has been reached.
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading = 0
        case useNewRequest = 1
        case cancel = 2
    }
}
