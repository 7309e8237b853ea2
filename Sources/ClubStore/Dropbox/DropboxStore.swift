import CurlNetworking
import Dispatch
import DropboxAPI
public import FoundationEssentials
import Synchronization

/// A club on a server that speaks version 2 of the Dropbox API: Dropbox itself, a gateway,
/// or the embedded club.
///
/// Every request carries the access provider's token, except the long poll, which must not.
/// What may help is repeated (see ``RemoteStore``): 429 and 503 after the time the server
/// asks for, 5xx and broken connections where twice does no harm. Bodies of uploads go one
/// at a time over one connection, with progress on the main queue.
///
/// Source: <https://www.dropbox.com/developers/documentation/http/documentation>.
public final class DropboxStore: RemoteStore {
    /// Where the parts of the API are. They may all be the same.
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

        /// One address for everything.
        public init(all base: URL) {
            self.init(api: base, content: base, notify: base)
        }

        /// Dropbox's own.
        public static let dropbox = Hosts(
            api: address("https://api.dropboxapi.com"),
            content: address("https://content.dropboxapi.com"),
            notify: address("https://notify.dropboxapi.com"))

        /// For a server behind a unix socket: the name is never looked up.
        public static let local = Hosts(all: address("http://localhost"))

        private static func address(_ text: String) -> URL {
            guard let url = URL(string: text) else { preconditionFailure("no URL: \(text)") }
            return url
        }
    }

    public struct Configuration: Sendable {
        public var hosts: Hosts

        /// A unix socket to reach the hosts through; nil for TCP.
        public var unixSocketPath: String?

        /// The folder on the server that is the club's root.
        public var folder = RemotePath.root

        /// How many thumbnails to ask for in one request, up to the API's 25. Few where a
        /// request costs next to nothing: they come sooner.
        public var thumbnailsPerRequest = 25

        /// How long a server may take over a request without a byte moving.
        public var timeout: Duration = .seconds(60)

        /// Where to keep what was sent until it is known to have arrived: a folder of this club's own.
        /// The next run of the program then takes such a write for no other member's. Nil to know it
        /// only as long as the program runs.
        public var unsettledWritesFolder: URL?

        var limits = UploadLimits()
        var policy = RetryPolicy()
        var clock = WaitingClock()

        public init(hosts: Hosts, unixSocketPath: String? = nil) {
            self.hosts = hosts
            self.unixSocketPath = unixSocketPath
        }
    }

    /// How much goes into one request.
    struct UploadLimits: Hashable, Sendable {
        /// 150 MiB, says the documentation.
        var wholeFileByteCount: Int64 = 150 << 20
        /// A multiple of 4 MiB, since the server hashes blocks of that.
        var chunkByteCount: Int64 = 8 << 20
    }

    let configuration: Configuration
    let connection: DropboxConnection
    let paths: DropboxPaths

    /// For calls without a body worth speaking of.
    let loader: HTTPLoader
    /// For long polls, which would keep connections from others.
    let waitingLoader: HTTPLoader
    /// For uploads: one connection at a time, and told of on the main queue.
    let uploader: HTTPLoader
    /// For downloads to files: told of on a queue of their own, where the files are written.
    let downloader: HTTPLoader

    /// When the server would like to be asked for changes again.
    let nextPoll = Mutex<ContinuousClock.Instant?>(nil)

    let unsettled: UnconfirmedWrites

    public init(_ configuration: Configuration, access: any AccessProvider) {
        self.configuration = configuration
        connection = DropboxConnection(
            hosts: configuration.hosts, access: access, clock: configuration.clock)
        paths = DropboxPaths(root: configuration.folder)
        unsettled = UnconfirmedWrites(folder: configuration.unsettledWritesFolder)
        let session = HTTPLoader.makeConfiguration(timeout: configuration.timeout)
        session.unixSocketPath = configuration.unixSocketPath
        loader = HTTPLoader(configuration: session)
        waitingLoader = HTTPLoader(configuration: session)
        downloader = HTTPLoader(
            configuration: session, queue: DispatchQueue(label: "byteclub.downloads"))
        session.httpMaximumConnectionsPerHost = 1
        uploader = HTTPLoader(configuration: session, queue: .main)
    }
}

extension DropboxStore {
    /// Sends a call and decodes the JSON that comes back.
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
                detail: String(decoding: data.prefix(300), as: UTF8.self), underlying: error)
        }
    }

    /// The facts about a file that come in a header, beside its bytes.
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

    /// Adds to a conflict which revision is there, for whoever wants to show or replace it.
    func addingServerRevision(to error: StoreError) async -> StoreError {
        guard case .conflict(serverRevision: nil) = error.code, let path = error.path,
            let file = try? await metadata(of: path)
        else { return error }
        var error = error
        error.code = .conflict(serverRevision: file.revision)
        return error
    }
}
