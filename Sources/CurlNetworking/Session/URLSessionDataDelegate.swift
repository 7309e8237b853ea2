public import FoundationEssentials

/// Gets the responses to data and upload tasks that have no completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// The head of the answer has come. Call `completionHandler` once; no body is delivered before.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// The delegate has answered `.becomeDownload`: the rest of the answer goes to a file. The data task
    /// is over without a further call, and the download task, which runs already, reports what follows.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask)

    /// More of the body has come. While calls are slow the transfer is held back, so that memory
    /// stays flat.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// The answer is complete and may be kept in the session's cache. Call `completionHandler` once:
    /// with the proposal, with another answer, or with nil to keep none. The task completes then.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        AsyncForm.ask {
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
        AsyncForm.isMissing(.allow)
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
        AsyncForm.ask {
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
        AsyncForm.isMissing(proposedResponse)
    }
}
