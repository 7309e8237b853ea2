#if Foundation
    public import Foundation

    /// A request as an object. Convert with `request as NSURLRequest` and `as URLRequest`.
    open class NSURLRequest: NSObject, NSCopying, NSMutableCopying {
        /// The cache policy; see ``URLRequest``.
        public typealias CachePolicy = URLRequest.CachePolicy
        /// The purpose of a transfer; see ``URLRequest``.
        public typealias NetworkServiceType = URLRequest.NetworkServiceType
        /// The party that causes a request; see ``URLRequest``.
        public typealias Attribution = URLRequest.Attribution

        /// The wrapped request. Only ``NSMutableURLRequest`` changes it.
        fileprivate var value: URLRequest

        fileprivate init(_ value: URLRequest) {
            self.value = value
        }

        /// Creates a GET request for a URL. The cache policy and the timeout are the session's.
        public convenience init(url: URL) {
            self.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 60)
            value = URLRequest(url: url)
        }

        /// Creates a GET request for a URL with a cache policy and a timeout in seconds.
        public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
            value = URLRequest(
                url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        }

        open override func copy() -> Any { copy(with: nil) }
        /// Returns an immutable copy.
        open func copy(with zone: NSZone? = nil) -> Any { NSURLRequest(value) }
        open override func mutableCopy() -> Any { mutableCopy(with: nil) }
        /// Returns a mutable copy.
        open func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableURLRequest(value) }

        open override func isEqual(_ object: Any?) -> Bool {
            switch object {
            case let other as NSURLRequest: value == other.value
            case let other as URLRequest: value == other
            default: false
            }
        }
        open override var hash: Int { value.hashValue }
        open override var description: String { value.description }

        /// The URL to load.
        open var url: URL? { value.url }
        /// The URL of the main document.
        open var mainDocumentURL: URL? { value.mainDocumentURL }
        /// How the session's cache may be used.
        open var cachePolicy: CachePolicy { value.cachePolicy }
        /// The timeout without progress, in seconds.
        open var timeoutInterval: TimeInterval { value.timeoutInterval }
        /// The method.
        open var httpMethod: String? { value.httpMethod }
        /// All header fields by name.
        open var allHTTPHeaderFields: [String: String]? { value.allHTTPHeaderFields }
        /// Returns the value of a field, ignoring the case of its name.
        open func value(forHTTPHeaderField field: String) -> String? {
            value.value(forHTTPHeaderField: field)
        }
        /// The body.
        open var httpBody: Data? { value.httpBody }
        /// A stream that provides the body.
        open var httpBodyStream: InputStream? { value.httpBodyStream }
        /// Whether the session's cookie storage is used.
        open var httpShouldHandleCookies: Bool { value.httpShouldHandleCookies }
        /// Has no effect; see ``URLRequest/httpShouldUsePipelining``.
        open var httpShouldUsePipelining: Bool { value.httpShouldUsePipelining }
        /// The purpose of the transfer.
        open var networkServiceType: NetworkServiceType { value.networkServiceType }
        /// Whether cellular networks may be used.
        open var allowsCellularAccess: Bool { value.allowsCellularAccess }
    }

    /// A mutable request object.
    open class NSMutableURLRequest: NSURLRequest {
        /// The wrapped request. See ``URLRequest`` for its properties.
        var request: URLRequest {
            get { value }
            set { value = newValue }
        }

        open override var url: URL? {
            get { value.url }
            set { value.url = newValue }
        }
        open override var mainDocumentURL: URL? {
            get { value.mainDocumentURL }
            set { value.mainDocumentURL = newValue }
        }
        open override var cachePolicy: CachePolicy {
            get { value.cachePolicy }
            set { value.cachePolicy = newValue }
        }
        open override var timeoutInterval: TimeInterval {
            get { value.timeoutInterval }
            set { value.timeoutInterval = newValue }
        }
        open override var httpMethod: String? {
            get { value.httpMethod }
            set { value.httpMethod = newValue }
        }
        open override var allHTTPHeaderFields: [String: String]? {
            get { value.allHTTPHeaderFields }
            set { value.allHTTPHeaderFields = newValue }
        }
        /// Sets a field's value; nil removes the field.
        open func setValue(_ value: String?, forHTTPHeaderField field: String) {
            self.value.setValue(value, forHTTPHeaderField: field)
        }
        /// Appends a value to a field, after a comma.
        open func addValue(_ value: String, forHTTPHeaderField field: String) {
            self.value.addValue(value, forHTTPHeaderField: field)
        }
        open override var httpBody: Data? {
            get { value.httpBody }
            set { value.httpBody = newValue }
        }
        open override var httpBodyStream: InputStream? {
            get { value.httpBodyStream }
            set { value.httpBodyStream = newValue }
        }
        open override var httpShouldHandleCookies: Bool {
            get { value.httpShouldHandleCookies }
            set { value.httpShouldHandleCookies = newValue }
        }
        open override var httpShouldUsePipelining: Bool {
            get { value.httpShouldUsePipelining }
            set { value.httpShouldUsePipelining = newValue }
        }
        open override var networkServiceType: NetworkServiceType {
            get { value.networkServiceType }
            set { value.networkServiceType = newValue }
        }
        open override var allowsCellularAccess: Bool {
            get { value.allowsCellularAccess }
            set { value.allowsCellularAccess = newValue }
        }
    }

    extension URLRequest: _ObjectiveCBridgeable {
        /// Supports `request as NSURLRequest`.
        public func _bridgeToObjectiveC() -> NSURLRequest { NSURLRequest(self) }

        /// Supports `object as! URLRequest`.
        public static func _forceBridgeFromObjectiveC(
            _ source: NSURLRequest, result: inout URLRequest?
        ) {
            result = source.value
        }

        /// Supports `object as? URLRequest`.
        public static func _conditionallyBridgeFromObjectiveC(
            _ source: NSURLRequest, result: inout URLRequest?
        ) -> Bool {
            result = source.value
            return true
        }

        /// Supports `object as URLRequest`.
        public static func _unconditionallyBridgeFromObjectiveC(
            _ source: NSURLRequest?
        ) -> URLRequest {
            // The compiler inserts this where a request is expected; nil becomes an unusable request.
            source?.value ?? .withoutURL
        }
    }
#else
    /// Supports `NSURLRequest.CachePolicy` in older code.
    public typealias NSURLRequest = URLRequest
#endif
