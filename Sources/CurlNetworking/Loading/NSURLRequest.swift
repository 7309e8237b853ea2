#if Foundation
    public import Foundation

    /// A request as an object: `request as NSURLRequest`, and back with `as URLRequest`.
    open class NSURLRequest: NSObject, NSCopying, NSMutableCopying {
        /// As ``URLRequest`` has it.
        public typealias CachePolicy = URLRequest.CachePolicy
        /// As ``URLRequest`` has it.
        public typealias NetworkServiceType = URLRequest.NetworkServiceType
        /// As ``URLRequest`` has it.
        public typealias Attribution = URLRequest.Attribution

        /// What it stands for; only ``NSMutableURLRequest`` changes it.
        fileprivate var value: URLRequest

        fileprivate init(_ value: URLRequest) {
            self.value = value
        }

        /// A GET of a URL.
        public convenience init(url: URL) {
            self.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 60)
        }

        /// A GET of a URL with a cache policy and a time-out of its own, in seconds.
        public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
            value = URLRequest(
                url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        }

        open override func copy() -> Any { copy(with: nil) }
        /// A request that is not changed any more.
        open func copy(with zone: NSZone? = nil) -> Any { NSURLRequest(value) }
        open override func mutableCopy() -> Any { mutableCopy(with: nil) }
        /// A request that can be changed apart from this one.
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

        /// What to ask for.
        open var url: URL? { value.url }
        /// The document this is loaded for.
        open var mainDocumentURL: URL? { value.mainDocumentURL }
        /// What may be taken from the session's cache.
        open var cachePolicy: CachePolicy { value.cachePolicy }
        /// How long the transfer may rest, in seconds.
        open var timeoutInterval: TimeInterval { value.timeoutInterval }
        /// The method.
        open var httpMethod: String? { value.httpMethod }
        /// All fields by name.
        open var allHTTPHeaderFields: [String: String]? { value.allHTTPHeaderFields }
        /// The value of a field, whatever the case of its name.
        open func value(forHTTPHeaderField field: String) -> String? {
            value.value(forHTTPHeaderField: field)
        }
        /// The bytes to send.
        open var httpBody: Data? { value.httpBody }
        /// The bytes to send, read while they are sent.
        open var httpBodyStream: InputStream? { value.httpBodyStream }
        /// Whether the session's cookie storage is used.
        open var httpShouldHandleCookies: Bool { value.httpShouldHandleCookies }
        /// Without effect: see ``URLRequest/httpShouldUsePipelining``.
        open var httpShouldUsePipelining: Bool { value.httpShouldUsePipelining }
        /// What the transfer is for.
        open var networkServiceType: NetworkServiceType { value.networkServiceType }
        /// Whether it may go over a mobile network.
        open var allowsCellularAccess: Bool { value.allowsCellularAccess }
    }

    /// A request that can be changed where it is.
    open class NSMutableURLRequest: NSURLRequest {
        /// As ``URLRequest`` has them.
        fileprivate var request: URLRequest {
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
        /// Replaces a field's value; nil removes the field.
        open func setValue(_ value: String?, forHTTPHeaderField field: String) {
            self.value.setValue(value, forHTTPHeaderField: field)
        }
        /// Adds to a field's value, after a comma.
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
        /// For `request as NSURLRequest`.
        public func _bridgeToObjectiveC() -> NSURLRequest { NSURLRequest(self) }

        /// For `object as! URLRequest`.
        public static func _forceBridgeFromObjectiveC(
            _ source: NSURLRequest, result: inout URLRequest?
        ) {
            result = source.value
        }

        /// For `object as? URLRequest`.
        public static func _conditionallyBridgeFromObjectiveC(
            _ source: NSURLRequest, result: inout URLRequest?
        ) -> Bool {
            result = source.value
            return true
        }

        /// For `object as URLRequest`.
        public static func _unconditionallyBridgeFromObjectiveC(
            _ source: NSURLRequest?
        ) -> URLRequest {
            // The compiler inserts this where a request is expected; nil stays nil.
            var none = URLRequest(url: URL(filePath: "/"))
            none.url = nil
            return source?.value ?? none
        }
    }
#else
    /// Old files say `NSURLRequest.CachePolicy`.
    public typealias NSURLRequest = URLRequest
#endif
