import FoundationEssentials
import Synchronization

/// A custom loader: for a scheme other than HTTP, or instead of the network in a test.
///
/// ```swift
/// final class Canned: URLProtocol {
///     override class func canInit(with request: URLRequest) -> Bool { request.url?.host() == "a.test" }
///     override func startLoading() {
///         client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
///         client?.urlProtocol(self, didLoad: body)
///         client?.urlProtocolDidFinishLoading(self)
///     }
///     override func stopLoading() {}
/// }
/// configuration.protocolClasses = [Canned.self]
/// ```
///
/// A task asks the classes of its session's configuration in order; in the shared session then the registered
/// ones, newest first. The first class that can load the request takes the task. An instance is created for
/// each load and used on its own queue, where it may block. It reports to its ``client`` from any thread. It
/// has to implement timeouts and retries itself. Suspending a task only delays its reports. Background
/// sessions do not use these classes.
open class URLProtocol: NetworkingObject {
    /// The request to load, with the session's additional headers. It contains the body of an upload: data as `httpBody`, a file or a delegate's
    /// stream as `httpBodyStream`.
    open var request: URLRequest { given.request }
    /// The cached response for the request, if there is one.
    open var cachedResponse: CachedURLResponse? { given.cachedResponse }
    /// Receives the load's events.
    open var client: (any URLProtocolClient)?
    /// The task that is being loaded.
    open var task: URLSessionTask?

    private let given: (request: URLRequest, cachedResponse: CachedURLResponse?)

    /// Creates a loader for a request. Subclasses with initializers of their own have to implement it.
    public required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        given = (request, cachedResponse)
        self.client = client
    }

    /// Creates a loader for a task's current request.
    public required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?,
        client: (any URLProtocolClient)?
    ) {
        let request = task.withAdditionalHeaders(task.requestToLoad)
        self.init(
            request: Self.canonicalRequest(for: request), cachedResponse: cachedResponse,
            client: client)
        self.task = task
    }

    // MARK: - For subclasses

    /// Returns whether this class loads a request. The base class loads none.
    open class func canInit(with request: URLRequest) -> Bool { false }

    /// Returns whether this class loads a task. By default, asks about its current request.
    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: task.withAdditionalHeaders($0)) } ?? false
    }

    /// Returns the request to load instead of `request`; the same by default.
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Returns whether two requests can share a cached response; by default, whether they are equal.
    open class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool {
        one == other
    }

    /// Starts loading. By default, fails with `.unsupportedURL`.
    open func startLoading() {
        client?.urlProtocol(
            self, didFailWithError: URLError(.unsupportedURL, failingURL: request.url))
    }

    /// Stops loading: the load was cancelled, redirected or finished. Later reports are ignored.
    open func stopLoading() {}

    // MARK: - Properties of requests

    /// Returns a property that ``setProperty(_:forKey:in:)`` has attached to a request.
    open class func property(forKey key: String, in request: URLRequest) -> Any? {
        let value = request.properties.values[key]
        return (value as? ForeignValue)?.value ?? value
    }

    /// Attaches a property to a request. Copies include it, but it is not sent. Apple's method takes an
    /// `NSMutableURLRequest`.
    open class func setProperty(
        _ value: any Sendable, forKey key: String, in request: inout URLRequest
    ) {
        request.properties.values[key] = value
    }

    /// Removes a property that ``setProperty(_:forKey:in:)`` has attached.
    open class func removeProperty(forKey key: String, in request: inout URLRequest) {
        request.properties.values[key] = nil
    }

    // MARK: - Registered classes

    private static let registered = Mutex<[URLProtocol.Type]>([])

    /// Registers a class for tasks of the shared session; it is asked before those registered earlier. Other
    /// sessions use their configuration's `protocolClasses`, and ask the registered ones only about URLs that nobody
    /// else can load.
    ///
    /// - Returns: Whether it is a subclass of `URLProtocol`.
    @discardableResult
    open class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let kind = protocolClass as? URLProtocol.Type else { return false }
        registered.withLock { $0.insert(kind, at: 0) }
        return true
    }

    /// Removes a registered class.
    open class func unregisterClass(_ protocolClass: AnyClass) {
        registered.withLock { all in
            if let index = all.firstIndex(where: { $0 == protocolClass }) { all.remove(at: index) }
        }
    }

    static var registeredClasses: [URLProtocol.Type] { registered.withLock { $0 } }
}

extension URLSessionConfiguration {
    /// The subclasses of ``URLProtocol`` that are asked, in order, whether they load a task. Other classes
    /// are ignored. Empty by default; Apple's list includes the system's own loaders, which cannot be
    /// replaced here.
    public var protocolClasses: [AnyClass]? {
        get { withSettings { $0.protocolClasses } }
        set {
            let classes = (newValue ?? []).compactMap { $0 as? URLProtocol.Type }
            withSettings { $0.protocolClasses = classes }
        }
    }
}
