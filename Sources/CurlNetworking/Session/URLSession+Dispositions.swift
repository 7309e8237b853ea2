extension URLSession {
    /// What to do with an answer whose head has come. Apple's `becomeStream` is not among them: there are
    /// no stream tasks.
    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        /// Let a download task take the rest of the answer to a file.
        case becomeDownload = 2
    }

    /// What to do when a task with an `earliestBeginDate` may begin.
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading = 0
        case useNewRequest = 1
        case cancel = 2
    }
}
