/// A raw TCP connection, which no session makes: it is not HTTP.
///
/// Declared so that sources which name it, mostly in the methods of a delegate, compile.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {
    // Unchecked only because the superclass is: it adds no state.
}

/// Receives the events of stream tasks, of which there are none.
public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
    /// Never called.
    func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)

    /// Never called.
    func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)

    /// Never called.
    func urlSession(
        _ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)
}

extension URLSessionStreamDelegate {
    public func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {}

    public func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
    }

    public func urlSession(
        _ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask
    ) {}
}
