import Dispatch

extension URLCache {
    /// Stores a response for a task's current request.
    public func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest else { return }
        storeCachedResponse(cachedResponse, for: request)
    }

    /// Calls a handler on the session's delegate queue with the stored response for a task's request. Does
    /// not block on the disk.
    public func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        queue.async { @Sendable [self] in
            let found = dataTask.currentRequest.flatMap { cachedResponse(for: $0) }
            dataTask.session.callbackQueue.async { completionHandler(found) }
        }
    }

    /// Returns the stored response for a task's request.
    public func cachedResponse(for dataTask: URLSessionDataTask) async -> CachedURLResponse? {
        await withCheckedContinuation { continuation in
            getCachedResponse(for: dataTask) { continuation.resume(returning: $0) }
        }
    }

    /// Removes the stored response for a task's current request.
    public func removeCachedResponse(for dataTask: URLSessionDataTask) {
        guard let request = dataTask.currentRequest else { return }
        removeCachedResponse(for: request)
    }
}
