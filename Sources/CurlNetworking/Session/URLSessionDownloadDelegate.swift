public import FoundationEssentials

/// Gets the events of download tasks that have no completion handler.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The whole body is in a temporary file. Move or open it before returning: it is removed then.
    /// An answer of any status comes this way; look at `downloadTask.response`.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL)

    /// A task made with resume data goes on, before its first `didWriteData`. Not called when it starts
    /// over, because the server has another version or does not know ranges.
    ///
    /// - Parameters:
    ///   - fileOffset: How much was there already.
    ///   - expectedTotalBytes: Of the whole body; -1 when the server did not say.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)

    /// More of the body was written to the temporary file.
    ///
    /// - Parameters:
    ///   - bytesWritten: Since the last call.
    ///   - totalBytesWritten: So far.
    ///   - totalBytesExpectedToWrite: Of the whole body; -1 when the server did not say.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
}

extension URLSessionDownloadDelegate {
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        let next = downloadTask.nextDelegate(after: self) as? any URLSessionDownloadDelegate
        next?.urlSession(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }

    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        let next = downloadTask.nextDelegate(after: self) as? any URLSessionDownloadDelegate
        next?.urlSession(
            session, downloadTask: downloadTask, didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }
}
