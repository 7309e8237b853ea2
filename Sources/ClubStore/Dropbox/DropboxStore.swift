import CurlNetworking
import Dispatch
import DropboxAPI
public import FoundationEssentials
import Synchronization

/// A club on a server that speaks version 2 of the Dropbox API: Dropbox itself, a gateway,
/// or the embedded club.
///
/// Every request carries the access provider's token, except the long poll, which must not.
/// Retries (see ``RemoteStore``): 429 and 503 after the server's `Retry-After`, 5xx and
/// lost connections where the call is idempotent. Uploads use one connection, one after
/// another, with progress on the main queue.
///
/// Source: <https://www.dropbox.com/developers/documentation/http/documentation>.
public final class DropboxStore: RemoteStore {
    /// The base URLs of the API. They may all be the same.
    public struct Hosts: Hashable, Sendable {
        /// Calls with JSON in and out.
        public var api: URL
        /// Calls that move bytes.
        public var content: URL
        /// Long polls.
        public var notify: URL

        public init(api: URL, content: URL, notify: URL) {
            self.api = api
            self.content = content
            self.notify = notify
        }

        /// One base URL for everything.
        public init(all base: URL) {
            self.init(api: base, content: base, notify: base)
        }

        /// Dropbox's own servers.
        public static let dropbox = Hosts(
            api: address("https://api.dropboxapi.com"),
            content: address("https://content.dropboxapi.com"),
            notify: address("https://notify.dropboxapi.com"))

        /// For a server on a Unix socket: the name is never resolved.
        public static let local = Hosts(all: address("http://localhost"))

        private static func address(_ text: String) -> URL {
            guard let url = URL(string: text) else { preconditionFailure("no URL: \(text)") }
            return url
        }
    }

    public struct Configuration: Sendable {
        public var hosts: Hosts

        /// The Unix socket that leads to the hosts; nil for TCP.
        public var unixSocketPath: String?

        /// The folder on the server that is the club's root.
        public var folder = RemotePath.root

        /// How many thumbnails to request at once, up to the API's 25. Use few where a
        /// request costs next to nothing: they arrive sooner.
        public var thumbnailsPerRequest = 25

        /// How long the server may take over a request without a byte moving.
        public var timeout: Duration = .seconds(60)

        /// Whether requests fail as offline while the network is metered.
        public var avoidsMeteredNetworks = false

        /// How many connections uploads share. One sends them in turn; each uses one at a time.
        public var uploadConnectionLimit = 1

        /// Where to store writes until they are confirmed: a folder of this club's own. The next
        /// run of the program then does not take such a write for another member's. Nil to remember
        /// them only while the program runs.
        public var unconfirmedWritesFolder: URL?

        var limits = UploadLimits()
        var policy = RetryPolicy()
        var clock = WaitingClock()

        public init(hosts: Hosts, unixSocketPath: String? = nil) {
            self.hosts = hosts
            self.unixSocketPath = unixSocketPath
        }
    }

    /// The request size limits.
    struct UploadLimits: Hashable, Sendable {
        /// 150 MiB, according to the documentation.
        var wholeFileByteCount: Int64 = 150 << 20
        /// The largest chunk: a multiple of 4 MiB, the size of the blocks that the server hashes.
        var chunkByteCount: Int64 = 8 << 20
        /// The first chunk, and those of a slow line. The server takes any size in a session whose requests
        /// follow each other.
        var smallestChunkByteCount: Int64 = 256 << 10
    }

    let configuration: Configuration
    let connection: DropboxConnection
    let paths: DropboxPaths

    /// For calls with small bodies.
    let loader: HTTPLoader
    /// For long polls, which would otherwise occupy connections.
    let waitingLoader: HTTPLoader
    /// For uploads: one connection, with callbacks on the main queue.
    let uploader: HTTPLoader
    /// For downloads to files: callbacks on a separate queue, where the files are written.
    let downloader: HTTPLoader

    /// The earliest time the server accepts the next poll.
    let nextPoll = Mutex<ContinuousClock.Instant?>(nil)

    let unconfirmed: UnconfirmedWrites

    let seen = SeenFiles()

    /// What uploads have learnt about the line.
    let chunkPacing: Mutex<ChunkPacing>

    public init(_ configuration: Configuration, access: any AccessProvider) {
        self.configuration = configuration
        connection = DropboxConnection(
            hosts: configuration.hosts, access: access, clock: configuration.clock)
        paths = DropboxPaths(root: configuration.folder)
        unconfirmed = UnconfirmedWrites(folder: configuration.unconfirmedWritesFolder)
        chunkPacing = Mutex(
            ChunkPacing(
                smallest: configuration.limits.smallestChunkByteCount,
                largest: configuration.limits.chunkByteCount))
        let session = HTTPLoader.makeConfiguration(
            timeout: configuration.timeout,
            avoidsMeteredNetworks: configuration.avoidsMeteredNetworks)
        session.unixSocketPath = configuration.unixSocketPath
        loader = HTTPLoader(configuration: session)
        // A long poll is silent until something changes.
        waitingLoader = HTTPLoader(configuration: session, silenceInterval: .seconds(86_400))
        downloader = HTTPLoader(
            configuration: session, queue: DispatchQueue(label: "byteclub.downloads"))
        session.httpMaximumConnectionsPerHost = configuration.uploadConnectionLimit
        uploader = HTTPLoader(configuration: session, queue: .main)
    }

    public func noteConfirmed(_ file: RemoteFile) { unconfirmed.forget(file.path) }
}

extension DropboxStore {
    /// Sends a call and decodes the JSON response.
    func call<Argument, Result, Failure>(
        _ route: Route<Argument, Result, Failure>, _ argument: Argument,
        isRepeatable: Bool = true, during operation: StoreError.Operation, at path: RemotePath?
    ) async throws(StoreError) -> Result {
        var call = try DropboxCall(route, argument)
        call.isRepeatable = isRepeatable
        let answer = try await send(call, during: operation, at: path)
        return try decode(answer.body, during: operation, at: path)
    }

    func send(
        _ call: DropboxCall, body: HTTPLoader.Body = .none,
        limit: Int = DropboxConnection.answerLimit,
        during operation: StoreError.Operation, at path: RemotePath?
    ) async throws(StoreError) -> HTTPLoader.Answer {
        try await connection.send(
            during: operation, at: path, policy: configuration.policy,
            makeCall: { call },
            perform: { [loader] request throws(HTTPLoader.Failure) in
                try await loader.load(request, body: body, limit: limit)
            })
    }

    func decode<Result: Decodable>(
        _ data: Data, during operation: StoreError.Operation, at path: RemotePath?
    ) throws(StoreError) -> Result {
        do {
            return try WireJSON.decode(from: data)
        } catch {
            throw StoreError(
                .badAnswer, during: operation, at: path,
                detail: "\(data.count) bytes of another form", underlying: error)
        }
    }

    /// The file metadata in a header of the response.
    func fileBesideBytes(
        _ response: HTTPURLResponse, during operation: StoreError.Operation, at path: RemotePath
    ) throws(StoreError) -> RemoteFile {
        guard let field = response.value(forHTTPHeaderField: "Dropbox-API-Result") else {
            throw StoreError(
                .badAnswer, during: operation, at: path, detail: "no Dropbox-API-Result")
        }
        let metadata: FileMetadata = try decode(Data(field.utf8), during: operation, at: path)
        return try paths.file(metadata, askedFor: path, during: operation)
    }

    /// Adds the current revision to a conflict, so that the caller can show or replace it.
    func addingServerRevision(to error: StoreError) async -> StoreError {
        guard case .conflict(serverRevision: nil) = error.code, let path = error.path,
            let file = try? await metadata(of: path)
        else { return error }
        var error = error
        error.code = .conflict(serverRevision: file.revision)
        return error
    }
}
