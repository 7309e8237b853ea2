public import FoundationEssentials

/// Receives the events of download tasks that have no completion handler.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// Called when the whole body is in a temporary file. Move or open it before returning; it is removed
    /// afterwards. Responses of any status are downloaded: check `downloadTask.response`.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL)

    /// Called when a task created with resume data continues, before its first `didWriteData`. Not called if
    /// the download restarts, because the server has another version or does not support ranges.
    ///
    /// - Parameters:
    ///   - fileOffset: The number of existing bytes.
    ///   - expectedTotalBytes: The length of the whole body; -1 if the server did not send it.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)

    /// Called when more of the body was written to the temporary file.
    ///
    /// - Parameters:
    ///   - bytesWritten: The number of bytes since the last call.
    ///   - totalBytesWritten: The number of bytes so far.
    ///   - totalBytesExpectedToWrite: The length of the whole body; -1 if the server did not send it.
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
