import CurlNetworking
import Dispatch
public import FoundationEssentials
import Synchronization

/// A club on a WebDAV server: Nextcloud, a Synology, Apache, or another.
///
/// Servers deviate from the standard, so little is taken on trust: URLs are built from names, a
/// revision is the normalized tag, and support for conditional writes is probed
/// (``ServerCapabilities``). Without it, the state is checked just before each write, which leaves
/// a small window: see ``writeProtection``.
///
/// Source: RFC 4918; Nextcloud's developer manual for chunked uploads and previews.
public final class WebDAVStore: RemoteStore {
    public struct Configuration: Sendable {
        /// The URL of the folder on the server, as
        /// `https://cloud.example/remote.php/dav/files/ann/Club`.
        public var baseURL: URL

        public var credentials: WebDAVCredentials

        /// The folder below ``baseURL`` that is the club's root.
        public var folder = RemotePath.root

        /// How the server's identity is verified.
        public var trust = WebDAVTrust()

        /// How long a server may take over a request without a byte moving.
        public var timeout: Duration = .seconds(60)

        /// Whether requests fail as offline while the network is metered.
        public var avoidsMeteredNetworks = false

        /// How many connections uploads share. One sends them in turn; each uses one at a time.
        public var uploadConnectionLimit = 1

        /// Where to store the server's capabilities, so that not every run of the program probes
        /// them. Holds no secrets. Nil to keep nothing.
        public var capabilitiesFile: URL?

        /// Where to store writes until they are confirmed: a folder of this club's own. The next
        /// run of the program then does not take such a write for another member's. Nil to remember
        /// them only while the program runs.
        public var unconfirmedWritesFolder: URL?

        /// Makes thumbnails that the server does not make; without one there are none.
        public var thumbnailer: (any Thumbnailer)?
        var limits = Limits()
        var policy = RetryPolicy()
        var clock = WaitingClock()

        public init(baseURL: URL, credentials: WebDAVCredentials) {
            self.baseURL = baseURL
            self.credentials = credentials
        }
    }

    /// The sizes that select how files are transferred.
    struct Limits: Hashable, Sendable {
        /// Up to this size, a file is overwritten directly in one request. A larger one is
        /// staged under a temporary name, since a lost connection leaves half a file at many
        /// servers.
        var directByteCount: Int64 = 256 << 10

        /// The parts of an upload to Nextcloud, as large as the line is fast: it takes none below 5 MB but the
        /// last. A file without a second part goes in one request.
        var partByteCounts: ClosedRange<Int64> = 5 << 20...20 << 20

        /// The pieces of an upload to a server that places them in a file, which may have any size.
        var pieceByteCounts: ClosedRange<Int64> = 1 << 20...20 << 20

        /// One size for parts and pieces.
        var chunkByteCount: Int64 {
            get { partByteCounts.lowerBound }
            set { (partByteCounts, pieceByteCounts) = (newValue...newValue, newValue...newValue) }
        }

        /// How much of a picture to fetch in search of an embedded thumbnail.
        var pictureBeginning = 128 << 10

        /// Larger pictures are not fetched for thumbnails.
        var pictureByteCount = 64 << 20

        /// How many folders are listed concurrently.
        var foldersAtOnce = 4

        /// The minimum delay between two polls.
        var shortestInterval = Duration.seconds(5)
        var longestInterval = Duration.seconds(60)
    }

    let configuration: Configuration

    let address: WebDAVAddress
    let connection: WebDAVConnection
    let nextcloud: NextcloudPlace?
    let nextcloudApps = NextcloudApps()

    /// For requests with small bodies.
    let loader: HTTPLoader
    /// For uploads: one connection, with callbacks on the main queue.
    let uploader: HTTPLoader
    /// For downloads to files: callbacks on a separate queue, where the files are written.
    let downloader: HTTPLoader

    let memory = WebDAVMemory()
    let unconfirmed: UnconfirmedWrites
    let snapshots = WebDAVSnapshots()
    let pace: Mutex<PollingInterval>

    /// Whether the server supports sync tokens; nil until known.
    let countsChanges = Mutex<Bool?>(nil)
    /// The depths for which it has rejected change reports.
    let refusedReports = Mutex<Set<ReportDepth>>([])

    /// Files left behind by killed programs that were found, and removed if permitted.
    let leftovers = Mutex<Set<RemotePath>>([])
    let capabilities: CapabilityProbe

    /// What uploads have learned about the line: the sizes of Nextcloud's parts, and of pieces.
    let partPacing: Mutex<ChunkPacing>
    let piecePacing: Mutex<ChunkPacing>

    /// What a server says of a file is at most a tag of its own.
    public var reportsServerHashes: Bool { false }

    /// - Throws: `.badRequest` for a base URL that is not http or https.
    public init(_ configuration: Configuration) throws(StoreError) {
        guard let address = WebDAVAddress(configuration.baseURL, folder: configuration.folder)
        else {
            throw StoreError(.badRequest, during: .connect, detail: "no address of a WebDAV folder")
        }
        self.configuration = configuration
        self.address = address
        let (parts, pieces) = (
            configuration.limits.partByteCounts, configuration.limits.pieceByteCounts
        )
        partPacing = Mutex(ChunkPacing(smallest: parts.lowerBound, largest: parts.upperBound))
        piecePacing = Mutex(ChunkPacing(smallest: pieces.lowerBound, largest: pieces.upperBound))
        let capabilities = CapabilityProbe(file: configuration.capabilitiesFile, address: address)
        self.capabilities = capabilities
        connection = WebDAVConnection(
            signIn: WebDAVAuthenticator(
                configuration.credentials, at: address, pinnedKey: configuration.trust.pinnedKey,
                way: capabilities.signInWay, didLearn: { capabilities.learn(signInWay: $0) }),
            policy: configuration.policy, clock: configuration.clock,
            signature: capabilities.signature)
        nextcloud = NextcloudPlace(address, user: configuration.credentials.user)
        pace = Mutex(
            PollingInterval(
                from: configuration.limits.shortestInterval,
                upTo: configuration.limits.longestInterval))
        unconfirmed = UnconfirmedWrites(folder: configuration.unconfirmedWritesFolder)
        let session = HTTPLoader.makeConfiguration(
            timeout: configuration.timeout,
            avoidsMeteredNetworks: configuration.avoidsMeteredNetworks)
        session.certificateAuthoritiesFile = configuration.trust.authoritiesFile
        let signIn = connection.signIn
        let answer: HTTPLoader.ChallengeAnswer = { signIn.answer(to: $0, of: $1) }
        loader = HTTPLoader(configuration: session, challengeAnswer: answer)
        downloader = HTTPLoader(
            configuration: session, queue: DispatchQueue(label: "byteclub.downloads"),
            challengeAnswer: answer)
        session.httpMaximumConnectionsPerHost = configuration.uploadConnectionLimit
        uploader = HTTPLoader(configuration: session, queue: .main, challengeAnswer: answer)
    }

    public func noteConfirmed(_ file: RemoteFile) { unconfirmed.forget(file.path) }

    public func noteBase(_ text: Data) { memory.keep(text: text) }

    /// The server rejected last because its certificate is not trusted, or its key is not the
    /// pinned one; nil when none was.
    public var untrustedServer: UntrustedServer? { connection.signIn.untrustedServer }

    /// A club at a URL.
    ///
    /// - Throws: `.badRequest` for a base URL that is not http or https.
    public convenience init(
        baseURL: URL, credentials: WebDAVCredentials
    ) throws(StoreError) {
        try self.init(Configuration(baseURL: baseURL, credentials: credentials))
    }
}

/// How to verify a server's identity.
public struct WebDAVTrust: Hashable, Sendable {
    /// A PEM file of trusted authorities, instead of the system's.
    public var authoritiesFile: URL?

    /// The only key to accept, whether or not its certificate is trusted.
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

    /// Sends a request that returns a multistatus.
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
