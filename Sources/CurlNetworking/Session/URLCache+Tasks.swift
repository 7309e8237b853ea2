import Dispatch

extension URLCache {
    /// Stores an answer for the request a task has come to.
    public func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest else { return }
        storeCachedResponse(cachedResponse, for: request)
    }

    /// Calls back, on the session's delegate queue, with what is stored for a task's request. The disk
    /// is waited for elsewhere.
    public func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        queue.async { @Sendable [self] in
            let found = dataTask.currentRequest.flatMap { cachedResponse(for: $0) }
            dataTask.session.callbackQueue.async { completionHandler(found) }
        }
    }

    /// What is stored for a task's request.
    public func cachedResponse(for dataTask: URLSessionDataTask) async -> CachedURLResponse? {
        await withCheckedContinuation { continuation in
            getCachedResponse(for: dataTask) { continuation.resume(returning: $0) }
        }
    }

    /// Forgets what is stored for the request a task has come to.
    public func removeCachedResponse(for dataTask: URLSessionDataTask) {
        guard let request = dataTask.currentRequest else { return }
        removeCachedResponse(for: request)
    }
}
