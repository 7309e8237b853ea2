public import FoundationEssentials

/// Receives the responses of data and upload tasks that have no completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// Called when the head of the response has been received. Call `completionHandler` once; the body is not
    /// delivered before.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// Called when a data task has become a download task, after the answer `.becomeDownload`. The data task
    /// is over without a completion. The download task is already running and writes the body to a file.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask)

    /// Never called: there are no stream tasks.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome streamTask: URLSessionStreamTask)

    /// Called with a piece of the body. While calls are slow the transfer is paused, so that memory use stays
    /// constant.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// Called when the response is complete and can be stored in the session's cache. Call
    /// `completionHandler` once with the proposal, with another response, or with nil to store nothing. The
    /// task completes afterwards.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome streamTask: URLSessionStreamTask
    ) {}

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        AsyncForm.ask(self) {
            await self.urlSession(session, dataTask: dataTask, didReceive: response)
        } answer: {
            completionHandler($0)
        } otherwise: {
            guard let next = dataTask.nextDelegate(after: self) as? any URLSessionDataDelegate
            else {
                return completionHandler(.allow)
            }
            next.urlSession(
                session, dataTask: dataTask, didReceive: response,
                completionHandler: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        AsyncForm.isMissing(.allow, in: self)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        let next = dataTask.nextDelegate(after: self) as? any URLSessionDataDelegate
        next?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        let next = dataTask.nextDelegate(after: self) as? any URLSessionDataDelegate
        next?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        AsyncForm.ask(self) {
            await self.urlSession(
                session, dataTask: dataTask, willCacheResponse: proposedResponse)
        } answer: {
            completionHandler($0)
        } otherwise: {
            guard let next = dataTask.nextDelegate(after: self) as? any URLSessionDataDelegate
            else {
                return completionHandler(proposedResponse)
            }
            next.urlSession(
                session, dataTask: dataTask, willCacheResponse: proposedResponse,
                completionHandler: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        AsyncForm.isMissing(proposedResponse, in: self)
    }
}
