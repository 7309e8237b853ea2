import FoundationEssentials
import Synchronization

/// A way of loading of one's own: for a scheme that is not HTTP, or in place of the network in a
/// test.
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
/// A task asks the classes of its session's configuration in their order, then, in the shared session,
/// the registered ones, newest first; the first that can takes the task. An instance is made for each
/// load and used on a queue of its own, where it may block. It reports to its ``client`` from any
/// thread. Timeouts, retries and suspension are its own affair: a suspended task only keeps back what
/// it reports. Background sessions do not ask these classes.
open class URLProtocol: NetworkingObject {
    /// What to load. The body of an upload is in it: data as `httpBody`, a file and what the delegate gives
    /// as `httpBodyStream`.
    public let request: URLRequest
    /// The answer that a cache has for the request, when there is one.
    public let cachedResponse: CachedURLResponse?
    /// Receives the load's events.
    public var client: (any URLProtocolClient)?
    /// The task it loads for.
    public private(set) var task: URLSessionTask?

    /// Makes a loader of a request. Subclasses that have an initialiser of their own implement this.
    public required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.request = request
        self.cachedResponse = cachedResponse
        self.client = client
    }

    /// Makes a loader for a task's current request.
    public required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?,
        client: (any URLProtocolClient)?
    ) {
        let request = task.requestToLoad
        self.init(
            request: Self.canonicalRequest(for: request), cachedResponse: cachedResponse,
            client: client)
        self.task = task
    }

    // MARK: - For subclasses

    /// Whether this class loads such a request. The class itself loads none.
    open class func canInit(with request: URLRequest) -> Bool { false }

    /// Whether this class loads for such a task. Asks about its current request, unless overridden.
    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: $0) } ?? false
    }

    /// The request that is loaded for `request`; the same, unless overridden.
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Whether two requests may share a cached answer; whether they are equal, unless overridden.
    open class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool {
        one == other
    }

    /// Begins to load. Unless overridden, fails with `.unsupportedURL`.
    open func startLoading() {
        client?.urlProtocol(
            self, didFailWithError: URLError(.unsupportedURL, failingURL: request.url))
    }

    /// Ends the load: it was cancelled, redirected, or has finished. Nothing reported from now on counts.
    open func stopLoading() {}

    // MARK: - Notes in a request

    /// What ``setProperty(_:forKey:in:)`` has noted in a request.
    open class func property(forKey key: String, in request: URLRequest) -> Any? {
        let value = request.properties.values[key]
        return (value as? ForeignValue)?.value ?? value
    }

    /// Notes something in a request; the note goes along with copies, but not over the wire. Apple's
    /// takes an `NSMutableURLRequest`.
    open class func setProperty(
        _ value: any Sendable, forKey key: String, in request: inout URLRequest
    ) {
        request.properties.values[key] = value
    }

    /// Takes back what ``setProperty(_:forKey:in:)`` has noted.
    open class func removeProperty(forKey key: String, in request: inout URLRequest) {
        request.properties.values[key] = nil
    }

    // MARK: - Registered classes

    private static let registered = Mutex<[URLProtocol.Type]>([])

    /// Has the tasks of the shared session ask this class, before those registered earlier. Other
    /// sessions have `protocolClasses` in their configuration.
    ///
    /// - Returns: Whether it is a subclass of `URLProtocol`.
    @discardableResult
    open class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let kind = protocolClass as? URLProtocol.Type else { return false }
        registered.withLock { $0.insert(kind, at: 0) }
        return true
    }

    /// Takes a registered class away again.
    open class func unregisterClass(_ protocolClass: AnyClass) {
        registered.withLock { all in
            if let index = all.firstIndex(where: { $0 == protocolClass }) { all.remove(at: index) }
        }
    }

    static var registeredClasses: [URLProtocol.Type] { registered.withLock { $0 } }
}

extension URLSessionConfiguration {
    /// Subclasses of ``URLProtocol`` that are asked, in this order, whether they load a task, before it
    /// goes to the network. Other classes in it are left out. Empty unless set; Apple's list names the
    /// system's own loaders, too, which here cannot be replaced in part.
    public var protocolClasses: [AnyClass]? {
        get { withSettings { $0.protocolClasses } }
        set {
            let classes = (newValue ?? []).compactMap { $0 as? URLProtocol.Type }
            withSettings { $0.protocolClasses = classes }
        }
    }
}
