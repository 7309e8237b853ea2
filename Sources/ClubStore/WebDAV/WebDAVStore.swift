import CurlNetworking
import Dispatch
public import FoundationEssentials
import Synchronization

/// A club on a WebDAV server: Nextcloud, a Synology, Apache, or another.
///
/// Servers differ more than the standard would have it, so that little is taken on trust: addresses
/// are built from names, a revision is what is left of the server's tag, and whether the server
/// honours conditions on writes is tried out once (``ServerCapabilities``). Where it does not, what is
/// there is looked at just before each write, which leaves a moment's gap: ``writeProtection``
/// tells.
///
/// Source: RFC 4918; Nextcloud's developer manual for chunked uploads and previews.
public final class WebDAVStore: RemoteStore {
    public struct Configuration: Sendable {
        /// The folder on the server, as `https://cloud.example/remote.php/dav/files/ann/Club`.
        public var baseURL: URL

        public var credentials: WebDAVCredentials

        /// The folder below ``baseURL`` that is the club's root.
        public var folder = RemotePath.root

        /// Whose word is taken for it that the server is who it says.
        public var trust = WebDAVTrust()

        /// How long a server may take over a request without a byte moving.
        public var timeout: Duration = .seconds(60)

        /// Where to keep what was found out about the server, so that it is not tried out again by
        /// each run of the program. Holds no secret. Nil to keep nothing.
        public var capabilitiesFile: URL?

        /// Where to keep what was sent until it is known to have arrived: a folder of this club's own.
        /// The next run of the program then takes such a write for no other member's. Nil to know it
        /// only as long as the program runs.
        public var unsettledWritesFolder: URL?

        var limits = Limits()
        var policy = RetryPolicy()
        var clock = WaitingClock()

        public init(baseURL: URL, credentials: WebDAVCredentials) {
            self.baseURL = baseURL
            self.credentials = credentials
        }
    }

    /// How much goes where.
    struct Limits: Hashable, Sendable {
        /// What is written in one request straight over the file. More than this goes under
        /// another name first, since a broken connection leaves half a file at many servers.
        var directByteCount: Int64 = 256 << 10

        /// Above this, Nextcloud gets a file in parts, of this size.
        var chunkByteCount: Int64 = 10 << 20

        /// How much of a picture is fetched to look for the small one that a camera has put in.
        var pictureBeginning = 128 << 10

        /// Pictures larger than this are not fetched to be made small.
        var pictureByteCount = 64 << 20

        /// How many folders are listed at once.
        var foldersAtOnce = 4

        /// Between two looks for changes.
        var shortestRest = Duration.seconds(5)
        var longestRest = Duration.seconds(60)
    }

    let configuration: Configuration
    let address: WebDAVAddress
    let connection: WebDAVConnection
    let nextcloud: NextcloudPlace?

    /// For requests that move little.
    let loader: HTTPLoader
    /// For uploads: one connection at a time, and told of on the main queue.
    let uploader: HTTPLoader
    /// For downloads to files: told of on a queue of their own, where the files are written.
    let downloader: HTTPLoader

    let memory = WebDAVMemory()
    let unsettled: UnconfirmedWrites
    let snapshots = WebDAVSnapshots()
    let pace: Mutex<PollingInterval>

    /// Whether the server counts the changes below a folder; nil until it was asked.
    let countsChanges = Mutex<Bool?>(nil)
    /// How far down it has refused to tell of them one by one.
    let refusedReports = Mutex<Set<ReportDepth>>([])

    /// Files left behind by killed programs that were seen, and removed if that was allowed.
    let leftovers = Mutex<Set<RemotePath>>([])
    let capabilities: CapabilityProbe

    /// - Throws: `.badRequest` for a base URL that is none of http or https.
    public init(_ configuration: Configuration) throws(StoreError) {
        guard let address = WebDAVAddress(configuration.baseURL, folder: configuration.folder)
        else {
            throw StoreError(.badRequest, during: .connect, detail: "no address of a WebDAV folder")
        }
        self.configuration = configuration
        self.address = address
        let capabilities = CapabilityProbe(file: configuration.capabilitiesFile, address: address)
        self.capabilities = capabilities
        connection = WebDAVConnection(
            signIn: WebDAVAuthenticator(
                configuration.credentials, at: address, pinnedKey: configuration.trust.pinnedKey,
                way: capabilities.signInWay, didLearn: { capabilities.learn(signInWay: $0) }),
            policy: configuration.policy, clock: configuration.clock)
        nextcloud = NextcloudPlace(address, user: configuration.credentials.user)
        pace = Mutex(
            PollingInterval(
                from: configuration.limits.shortestRest, upTo: configuration.limits.longestRest))
        unsettled = UnconfirmedWrites(folder: configuration.unsettledWritesFolder)
        let session = HTTPLoader.makeConfiguration(timeout: configuration.timeout)
        session.certificateAuthoritiesFile = configuration.trust.authoritiesFile
        let signIn = connection.signIn
        let answer: HTTPLoader.ChallengeAnswer = { signIn.answer(to: $0, of: $1) }
        loader = HTTPLoader(configuration: session, challengeAnswer: answer)
        downloader = HTTPLoader(
            configuration: session, queue: DispatchQueue(label: "byteclub.downloads"),
            challengeAnswer: answer)
        session.httpMaximumConnectionsPerHost = 1
        uploader = HTTPLoader(configuration: session, queue: .main, challengeAnswer: answer)
    }

    /// The server that was refused last because nobody vouches for it, or because its key is not the
    /// pinned one; nil when none was.
    public var untrustedServer: UntrustedServer? { connection.signIn.untrustedServer }

    /// A club at an address.
    ///
    /// - Throws: `.badRequest` for a base URL that is none of http or https.
    public convenience init(
        baseURL: URL, credentials: WebDAVCredentials
    ) throws(StoreError) {
        try self.init(Configuration(baseURL: baseURL, credentials: credentials))
    }
}

/// Whom to believe that a server is who it says.
public struct WebDAVTrust: Hashable, Sendable {
    /// A PEM file of authorities to believe instead of the system's.
    public var authoritiesFile: URL?

    /// The one key to believe, whoever vouches for it or does not.
    public var pinnedKey: ServerKey?

    public init(authoritiesFile: URL? = nil, pinnedKey: ServerKey? = nil) {
        self.authoritiesFile = authoritiesFile
        self.pinnedKey = pinnedKey
    }
}

extension WebDAVStore {
    func send(
        _ request: WebDAVRequest, limit: Int = WebDAVConnection.answerLimit,
        during operation: StoreError.Operation, at path: RemotePath?,
        attempts: AttemptLog? = nil
    ) async throws(StoreError) -> HTTPLoader.Answer {
        try await connection.send(
            during: operation, at: path, through: loader, limit: limit, attempts: attempts
        ) { request }
    }

    /// Sends what is answered with a multistatus.
    func ask(
        _ request: WebDAVRequest, during operation: StoreError.Operation, at path: RemotePath?
    ) async throws(StoreError) -> Multistatus {
        let sink = MultistatusSink(during: operation, at: path)
        _ = try await connection.send(
            during: operation, at: path, through: loader,
            observers: HTTPLoader.Observers(sink: sink)
        ) { request }
        return try sink.finish()
    }
}
