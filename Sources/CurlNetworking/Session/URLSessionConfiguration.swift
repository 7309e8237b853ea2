public import FoundationEssentials
import Synchronization

/// How the tasks of a session behave.
///
/// A session copies its configuration when it is made: later changes have no effect on it.
///
/// Subclasses may add what a program wants to keep beside it; a session copies only what is here.
open class URLSessionConfiguration: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: its one stored property is a Mutex, and a subclass makes
    // the same promise with its own conformance.

    let settings: Mutex<SessionSettings>

    init(_ settings: SessionSettings) {
        self.settings = Mutex(settings)
        super.init()
    }

    /// The same as ``default``. For subclasses, and files of before that was the way to it.
    public override init() {
        settings = Mutex(.standard)
        super.init()
    }

    /// A new configuration with the defaults.
    open class var `default`: URLSessionConfiguration {
        URLSessionConfiguration(.standard)
    }

    /// A new configuration that keeps nothing on disk: with storages and a cache of its own, in
    /// memory, which the sessions made with it share.
    open class var ephemeral: URLSessionConfiguration {
        URLSessionConfiguration(.ephemeral)
    }

    /// A new configuration for a session whose transfers go on when this program is suspended, quits or
    /// is killed. A session that is made later with the same identifier, by this program or another of
    /// the user's, gets what was not reported yet.
    ///
    /// See ``BackgroundTransfers`` for what the helper process keeps where.
    ///
    /// - Parameter identifier: Any text that no other program of the user would think of, such as
    ///   `org.example.app.photos`.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        URLSessionConfiguration(.background(BackgroundIdentity(identifier: identifier)))
    }

    /// - Parameter environment: In place of the process's own, for where things are.
    class func background(
        withIdentifier identifier: String, environment: [String: String]
    ) -> URLSessionConfiguration {
        URLSessionConfiguration(
            .background(BackgroundIdentity(identifier: identifier, environment: environment)))
    }

    /// What a background session is known by; nil for all others.
    public var identifier: String? { settings.withLock { $0.background?.identifier } }

    /// A configuration that starts with the same values; what is changed in one is not changed in the
    /// other. They share storages and caches.
    open override func copy() -> Any { URLSessionConfiguration(snapshot) }

    var snapshot: SessionSettings { settings.withLock { $0 } }

    /// Reads or changes the settings, for properties in other files.
    func withSettings<Value>(_ body: (inout SessionSettings) -> Value) -> Value {
        settings.withLock { body(&$0) }
    }

    /// Fields added to each request that does not set them itself.
    ///
    /// Names and values that are not strings are sent as they print. Authorization, cookies and
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

    /// How long a transfer may rest without a byte moving, in seconds; 60 unless set. Time spent
    /// suspended, or queueing for a connection, does not count.
    public var timeoutIntervalForRequest: TimeInterval {
        get { settings.withLock { $0.timeouts.request } }
        set { settings.withLock { $0.timeouts.request = newValue } }
    }

    /// How long a transfer may last in all, in seconds; seven days unless set. Time spent suspended,
    /// or queueing for a connection, does not count.
    public var timeoutIntervalForResource: TimeInterval {
        get { settings.withLock { $0.timeouts.resource } }
        set { settings.withLock { $0.timeouts.resource = newValue } }
    }

    /// How many connections to one host the session opens at most; 6 unless set. Further tasks
    /// queue, those of higher priority first.
    ///
    /// With HTTP/2 a hundred tasks share a connection, and another is opened only when the server takes no more on
    /// those there are. Beyond the number one more may be opened while the server closes one.
    public var httpMaximumConnectionsPerHost: Int {
        get { settings.withLock { $0.connectionsPerHost } }
        set { settings.withLock { $0.connectionsPerHost = max(1, newValue) } }
    }

    /// Where credentials are looked up before a delegate is asked, and kept according to their
    /// persistence. `.shared` unless set, an empty one of its own in an ephemeral configuration; nil: none.
    public var urlCredentialStorage: URLCredentialStorage? {
        get { settings.withLock { $0.credentialStorage } }
        set { settings.withLock { $0.credentialStorage = newValue } }
    }

    /// A unix socket to speak HTTP through, whatever host the URL names. nil: TCP.
    ///
    /// Not in Apple's suite. A path longer than the system's 107 bytes fails the task with `.badURL`.
    public var unixSocketPath: String? {
        get { settings.withLock { $0.unixSocketPath } }
        set { settings.withLock { $0.unixSocketPath = newValue } }
    }

    /// A PEM file of certificate authorities to trust instead of the system's. nil: the system's.
    ///
    /// Not in Apple's suite. For a server with an authority of its own.
    public var certificateAuthoritiesFile: URL? {
        get { settings.withLock { $0.tls.authoritiesFile } }
        set { settings.withLock { $0.tls.authoritiesFile = newValue } }
    }
}

extension URLSessionConfiguration {
    /// Where the parts of downloads are kept that can be gone on with: a folder of the user's alone, made
    /// when it is needed. nil: `$XDG_CACHE_HOME/CurlNetworking/Downloads`.
    ///
    /// Not in Apple's suite. Resume data only works with the folder it was made with. Parts that nobody
    /// has touched for 14 days are removed.
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

/// The values of a configuration, as a session keeps them.
struct SessionSettings: Sendable {
    var additionalHeaders: HTTPHeaderFields?
    var timeouts = Timeouts()
    var connectionsPerHost = 6
    var httpVersion = HTTPVersionPreference.automatic
    var credentialStorage: URLCredentialStorage? = .shared
    var tls = TLSSettings()
    /// nil: from the environment.
    var proxies: ProxySettings?
    var unixSocketPath: String?
    var partialDownloadsFolder: String?
    var web = WebSettings()
    var access = AccessSettings()
    var protocolClasses: [URLProtocol.Type] = []
    var hints = SessionHints()
    /// Who hears of what happens; nil: the environment's, if there is one.
    var tracer: Tracer?
    /// nil for a session whose transfers are this process's own.
    var background: BackgroundIdentity?

    struct Timeouts: Sendable {
        /// For as long as no byte moves.
        var request: TimeInterval = 60
        /// In all.
        var resource: TimeInterval = 7 * 24 * 3600
    }

    /// What `.default` configurations and the shared session have.
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
            cache: URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, folder: nil),
            hsts: HSTSStorage())
        return settings
    }
}
