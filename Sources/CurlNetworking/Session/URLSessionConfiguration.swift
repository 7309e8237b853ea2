public import FoundationEssentials
import Synchronization

/// The settings of a session and its tasks.
///
/// A session copies its configuration when it is created; later changes have no effect on it.
///
/// Subclasses can add properties, which a session does not copy.
open class URLSessionConfiguration: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: its one stored property is a Mutex, and a subclass declares
    // its own conformance.

    let settings: Mutex<SessionSettings>

    init(_ settings: SessionSettings) {
        self.settings = Mutex(settings)
        super.init()
    }

    /// Creates a configuration with the defaults, like ``default``. For subclasses and older code.
    public override init() {
        settings = Mutex(.standard)
        super.init()
    }

    /// Returns a new configuration with the defaults.
    open class var `default`: URLSessionConfiguration {
        URLSessionConfiguration(.standard)
    }

    /// Returns a new configuration that stores nothing on disk: it has its own storages and cache in memory,
    /// which the sessions created with it share.
    open class var ephemeral: URLSessionConfiguration {
        URLSessionConfiguration(.ephemeral)
    }

    /// Returns a new configuration for a session whose transfers continue when this program is suspended,
    /// quits or is killed. A later session with the same identifier, in this or another program of the user,
    /// receives the events that were not reported yet.
    ///
    /// ``BackgroundTransfers`` describes the helper process and its files.
    ///
    /// - Parameter identifier: A text that is unique among the programs of the user, such as
    ///   `org.example.app.photos`.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        URLSessionConfiguration(.background(BackgroundIdentity(identifier: identifier)))
    }

    /// Returns a configuration for a background session.
    ///
    /// - Parameter environment: Replaces the process's environment for the locations of files.
    class func background(
        withIdentifier identifier: String, environment: [String: String]
    ) -> URLSessionConfiguration {
        URLSessionConfiguration(
            .background(BackgroundIdentity(identifier: identifier, environment: environment)))
    }

    /// The identifier of a background session; nil for all others.
    public var identifier: String? { settings.withLock { $0.background?.identifier } }

    /// Returns a configuration with the same values, which can be changed independently. Both share storages
    /// and caches.
    open override func copy() -> Any { URLSessionConfiguration(snapshot) }

    var snapshot: SessionSettings { settings.withLock { $0 } }

    /// Reads or changes the settings, for properties in other files.
    func withSettings<Value>(_ body: (inout SessionSettings) -> Value) -> Value {
        settings.withLock { body(&$0) }
    }

    /// Header fields for each request that does not set them itself.
    ///
    /// Names and values that are not strings are converted to their descriptions. Authorization, cookies and
    /// similar fields are not sent after a redirect to another origin.
    public var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { settings.withLock { $0.additionalHeaders?.dictionary } }
        set {
            let fields = newValue.map { fields in
                HTTPHeaderFields(
                    Dictionary(
                        fields.map {
                            (String(describing: $0.key.base), String(describing: $0.value))
                        },
                        uniquingKeysWith: { _, last in last }))
            }
            settings.withLock { $0.additionalHeaders = fields }
        }
    }

    /// The timeout for a transfer without progress, in seconds; 60 by default. Time suspended or waiting for
    /// a connection does not count.
    public var timeoutIntervalForRequest: TimeInterval {
        get { settings.withLock { $0.timeouts.request } }
        set { settings.withLock { $0.timeouts.request = newValue } }
    }

    /// The timeout for a whole transfer, in seconds; seven days by default. Time suspended or waiting for a
    /// connection does not count.
    public var timeoutIntervalForResource: TimeInterval {
        get { settings.withLock { $0.timeouts.resource } }
        set { settings.withLock { $0.timeouts.resource = newValue } }
    }

    /// The maximum number of connections to one host; 6 by default. Further tasks wait, ordered by priority.
    ///
    /// With HTTP/2, up to a hundred tasks share a connection; another one is opened only when the server
    /// accepts no more requests on the existing ones. While the server closes a connection, one more may be
    /// open.
    public var httpMaximumConnectionsPerHost: Int {
        get { settings.withLock { $0.connectionsPerHost } }
        set { settings.withLock { $0.connectionsPerHost = max(1, newValue) } }
    }

    /// The storage that is searched for credentials before the delegate is asked, and that stores credentials
    /// according to their persistence. `.shared` by default, an empty one in ephemeral configurations; nil
    /// for none.
    public var urlCredentialStorage: URLCredentialStorage? {
        get { settings.withLock { $0.credentialStorage } }
        set { settings.withLock { $0.credentialStorage = newValue } }
    }

    /// A Unix socket to connect to, whatever the host in the URL. nil uses TCP.
    ///
    /// Not part of Apple's API. A path longer than the system's limit of 107 bytes fails the task with
    /// `.badURL`.
    ///
    /// Behind a socket is another server than the URL's host. So setting it replaces the shared cache by none and
    /// the shared cookie storage by one in memory; later assignments to `urlCache` and `httpCookieStorage` hold.
    public var unixSocketPath: String? {
        get { settings.withLock { $0.unixSocketPath } }
        set {
            settings.withLock { settings in
                settings.unixSocketPath = newValue
                guard newValue != nil else { return }
                if settings.web.cache === URLCache.shared { settings.web.cache = nil }
                if settings.web.cookies === HTTPCookieStorage.shared {
                    settings.web.cookies = HTTPCookieStorage()
                }
            }
        }
    }

    /// A PEM file of certificate authorities to trust instead of the system's; nil for the system's.
    ///
    /// Not part of Apple's API. For servers with a private authority.
    ///
    /// Other sessions do not trust these servers, and must not get their responses or policies from a storage either.
    /// So setting it replaces the shared cache and the shared HSTS storage by empty ones in memory; later assignments
    /// to `urlCache` and `hstsStorage` hold. Cookies and credentials stay shared.
    public var certificateAuthoritiesFile: URL? {
        get { settings.withLock { $0.tls.authoritiesFile } }
        set {
            settings.withLock { settings in
                settings.tls.authoritiesFile = newValue
                guard newValue != nil else { return }
                if settings.web.cache === URLCache.shared { settings.web.cache = .inMemory }
                if settings.web.hsts === HSTSStorage.shared { settings.web.hsts = HSTSStorage() }
            }
        }
    }
}

extension URLSessionConfiguration {
    /// The folder for partial files of downloads that can be resumed. It is created when needed, accessible
    /// to the user only. nil for `$XDG_CACHE_HOME/CurlNetworking/Downloads`.
    ///
    /// Not part of Apple's API. Resume data can only be used with the folder that it was created with.
    /// Partial files are removed after 14 days without use.
    public var partialDownloadsFolder: URL? {
        get {
            settings.withLock { settings in
                settings.partialDownloadsFolder.map {
                    URL(filePath: $0, directoryHint: .isDirectory)
                }
            }
        }
        set {
            settings.withLock {
                $0.partialDownloadsFolder = newValue?.path(percentEncoded: false)
            }
        }
    }
}

/// The values of a configuration, as a session stores them.
struct SessionSettings: Sendable {
    var additionalHeaders: HTTPHeaderFields?
    var timeouts = Timeouts()
    var connectionsPerHost = 6
    var httpVersion = HTTPVersionPreference.automatic
    var credentialStorage: URLCredentialStorage? = .shared
    var tls = TLSSettings()
    /// nil uses the environment.
    var proxies: ProxySettings?
    var unixSocketPath: String?
    var partialDownloadsFolder: String?
    var web = WebSettings()
    var access = AccessSettings()
    var protocolClasses: [URLProtocol.Type] = []
    var hints = SessionHints()
    /// Receives trace events; nil uses the environment's tracer, if there is one.
    var tracer: Tracer?
    /// nil for a session whose transfers run in this process.
    var background: BackgroundIdentity?

    struct Timeouts: Sendable {
        /// For a transfer without progress.
        var request: TimeInterval = 60
        /// For a whole transfer.
        var resource: TimeInterval = 7 * 24 * 3600
    }

    /// The values of `.default` configurations and the shared session.
    static var standard: SessionSettings {
        var settings = SessionSettings()
        settings.web = WebSettings(cookies: .shared, cache: .shared, hsts: .shared)
        return settings
    }

    static func background(_ identity: BackgroundIdentity) -> SessionSettings {
        var settings = SessionSettings.standard
        settings.web.cache = nil
        settings.background = identity
        return settings
    }

    static var ephemeral: SessionSettings {
        var settings = SessionSettings()
        settings.credentialStorage = URLCredentialStorage()
        settings.web = WebSettings(
            cookies: HTTPCookieStorage(),
            cache: .inMemory, hsts: HSTSStorage())
        return settings
    }
}

extension URLCache {
    /// A new cache of the size that ephemeral sessions have.
    fileprivate static var inMemory: URLCache {
        URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, folder: nil)
    }
}
