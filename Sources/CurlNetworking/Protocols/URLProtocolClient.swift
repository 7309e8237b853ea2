public import FoundationEssentials

/// What a ``URLProtocol`` reports its progress to. The loading system brings its own; a class in front of
/// another one may stand in.
///
/// All methods may be called from any thread. What comes after the end, or after the load was stopped,
/// does not count.
public protocol URLProtocolClient: AnyObject, Sendable {
    /// The load leads to another request. The task's delegate is asked as with a redirect over HTTP,
    /// and the loader is stopped; the new request is loaded by the first that can.
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse)

    /// The answer is one from a cache, head and body. The loader still has to finish.
    func urlProtocol(
        _ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)

    /// The head of the answer is there. The body is kept back until the delegate has allowed it.
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy)

    /// More of the body is there.
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)

    /// The body is complete.
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)

    /// The load failed. The task's error is this one as it is.
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
}
