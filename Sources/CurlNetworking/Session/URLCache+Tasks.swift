import Dispatch

extension URLCache {
    func findResponse(
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
}
