public import FoundationEssentials

/// Receives the reports of a ``URLProtocol``. The loading system provides one; a class that wraps another may
/// provide its own.
///
/// All methods can be called from any thread. Reports after the end, or after the load was stopped, are
/// ignored.
public protocol URLProtocolClient: AnyObject, Sendable {
    /// Reports a redirect. The task's delegate is asked as for HTTP, and the loader is stopped; the new
    /// request is loaded by the first class that can.
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse)

    /// Reports a cached response with its body. The loader still has to finish.
    func urlProtocol(
        _ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)

    /// Reports the head of the response. The body is not delivered before the delegate has allowed it.
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy)

    /// Reports a piece of the body.
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)

    /// Reports a challenge. The delegates of the task are asked as for HTTP, and the answer goes to the challenge's
    /// ``URLAuthenticationChallenge/sender``, on the loader's queue; without one it is lost.
    func urlProtocol(
        _ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)

    /// Reports that a challenge is obsolete. An answer that is on its way is sent all the same: the sender ignores it.
    func urlProtocol(
        _ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)

    /// Reports the end of the body.
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)

    /// Reports a failure. The task fails with this error unchanged.
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
}
