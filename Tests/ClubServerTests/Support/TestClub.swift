import ClubServer
import DropboxAPI
import Foundation
import Synchronization
import Testing

/// A club with its server, in a folder of its own, for one test.
final class TestClub: Sendable {
    let home: String
    let folder: String
    let configuration: ClubServer.Configuration
    let address: ClubServer.Address
    let token: String
    private let server: ClubServer
    private let running: Task<ClubServerError?, Never>
    private let hasLeft = Mutex(false)

    /// Runs a test against a club with some files in it, and takes everything away afterwards.
    static func with(
        _ files: [String: String] = [:], endpoint: ClubServer.Endpoint? = nil,
        change: (inout ClubServer.Configuration) -> Void = { _ in },
        _ body: (TestClub) async throws -> Void
    ) async throws {
        let home = try makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let folder = home + "/club"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let club = try await TestClub(
            home: home, files: files, endpoint: endpoint, change: change)
        do {
            try await body(club)
            await club.stop()
        } catch {
            await club.stop()
            throw error
        }
    }

    /// Starts a server on a folder that may have had one before.
    init(
        home: String, files: [String: String] = [:], endpoint: ClubServer.Endpoint? = nil,
        change: (inout ClubServer.Configuration) -> Void = { _ in }
    ) async throws {
        await ServerGate.shared.enter()
        self.home = home
        folder = home + "/club"
        var configuration = Self.configuration(home: home, endpoint: endpoint)
        change(&configuration)
        self.configuration = configuration
        for (path, text) in files { try Self.write(text, to: folder + "/" + path) }
        let server = ClubServer(configuration: configuration)
        let (addresses, continuation) = AsyncStream<ClubServer.Address>.makeStream()
        self.server = server
        running = Task {
            defer { continuation.finish() }
            do throws(ClubServerError) {
                try await server.run { continuation.yield($0) }
                return nil
            } catch {
                return error
            }
        }
        guard let address = await addresses.first(where: { _ in true }) else {
            await ServerGate.shared.leave()
            throw await running.value ?? ClubServerError(.cannotListen, "It never began to listen.")
        }
        self.address = address
        token = try String(contentsOfFile: configuration.tokenFile, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }

    static func makeHome(with folders: [String] = []) throws -> String {
        let home = NSTemporaryDirectory() + "byteclub-test-" + UUID().uuidString.prefix(8)
        for folder in [home] + folders.map({ home + "/" + $0 }) {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        return home
    }

    static func configuration(
        home: String, endpoint: ClubServer.Endpoint? = nil
    ) -> ClubServer.Configuration {
        ClubServer.Configuration(
            folder: home + "/club", stateFolder: home + "/state", cacheFolder: home + "/cache",
            endpoint: endpoint
                ?? .unixSocket(path: home + "/sock", leasePath: home + "/sock.lease"),
            tokenFile: home + "/token", lockFile: home + "/lock")
    }

    /// Stops the server and returns the error it ended with.
    @discardableResult
    func stop() async -> ClubServerError? {
        server.stop()
        return await end()
    }

    /// Cancels the task that runs the server, as a signal does, and returns the error it ended with.
    func cancel() async -> ClubServerError? {
        running.cancel()
        return await end()
    }

    /// Waits until the server exits on its own.
    func end() async -> ClubServerError? {
        let error = await running.value
        let isFirst = hasLeft.withLock { left in
            defer { left = true }
            return !left
        }
        if isFirst { await ServerGate.shared.leave() }
        return error
    }

    // MARK: - The folder, as other programs see it

    func write(_ text: String, to path: String) throws {
        try Self.write(text, to: folder + "/" + path)
    }

    func read(_ path: String) -> String? {
        try? String(contentsOfFile: folder + "/" + path, encoding: .utf8)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + path)
    }

    /// What lies in the hidden folder for unfinished files.
    var staged: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/.byteclub")) ?? []
    }

    static func write(_ text: String, to path: String) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}

/// Lets a few servers run at once: each watches its folder, and a user has 128 watchers in all.
private actor ServerGate {
    static let shared = ServerGate()

    private var free = 12
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

/// What a call was refused with.
struct CallFailure<Failure: RouteError>: Error {
    let status: Int
    let error: Failure
}

/// What a call was refused with when its route has no word for it.
struct CallRefused: Error {
    let status: Int
    let text: String
}

extension TestClub {
    func connect() throws -> TestConnection { try TestConnection(to: address) }

    /// Calls a route in its own style on a connection of its own.
    func send<A, R, F>(
        _ route: Route<A, R, F>, _ argument: A, body: [UInt8] = [],
        headers: [(String, String)] = []
    ) async throws -> TestReply {
        var headers = headers
        if route.takesToken { headers.append(("Authorization", "Bearer \(token)")) }
        let json = try WireJSON.encode(argument)
        var content = body
        switch route.style {
        case .rpc:
            headers.append(("Content-Type", "application/json"))
            content = Array(json)
        case .upload:
            headers.append(("Content-Type", "application/octet-stream"))
            headers.append(("Dropbox-API-Arg", try WireJSON.encodeForHeader(argument)))
        case .download:
            headers.append(("Dropbox-API-Arg", try WireJSON.encodeForHeader(argument)))
        }
        return try await send(path: route.path, headers: headers, body: content)
    }

    func send(
        method: String = "POST", path: String, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws -> TestReply {
        try await TestConnection.run {
            let connection = try self.connect()
            try connection.request(method, path, headers, body)
            return try connection.readReply(to: method)
        }
    }

    /// Calls a route and decodes its result.
    ///
    /// - Throws: `CallFailure` with the route's error, or `CallRefused`.
    @discardableResult
    func call<A, R, F>(
        _ route: Route<A, R, F>, _ argument: A, body: String = ""
    ) async throws -> R {
        try await call(route, argument, bytes: Array(body.utf8))
    }

    @discardableResult
    func call<A, R, F>(
        _ route: Route<A, R, F>, _ argument: A, bytes: [UInt8]
    ) async throws -> R {
        let reply = try await send(route, argument, body: bytes)
        if reply.status == 409 {
            let answer: ErrorAnswer<F> = try WireJSON.decode(from: Data(reply.body))
            throw CallFailure(status: 409, error: answer.error)
        }
        guard reply.status == 200 || reply.status == 206 else {
            throw CallRefused(status: reply.status, text: reply.text)
        }
        if route.style == .download {
            let text = try #require(reply.headers["dropbox-api-result"])
            return try WireJSON.decode(from: Data(text.utf8))
        }
        return try WireJSON.decode(from: Data(reply.body))
    }

    /// The error a call ends with.
    func failure<A, R, F>(
        _ route: Route<A, R, F>, _ argument: A, body: String = ""
    ) async throws -> F {
        do {
            let result = try await call(route, argument, body: body)
            throw CallRefused(status: 200, text: "it succeeded: \(result)")
        } catch let failure as CallFailure<F> {
            return failure.error
        }
    }

    // MARK: - Short forms

    @discardableResult
    func upload(
        _ text: String, to path: String, mode: WriteMode = .add, autorename: Bool = false,
        strict: Bool = false
    ) async throws -> FileMetadata {
        try await call(
            Routes.upload,
            UploadArg(
                commit: CommitInfo(
                    path: path, mode: mode, autorename: autorename, strictConflict: strict)),
            body: text)
    }

    func uploadFailure(
        _ text: String, to path: String, mode: WriteMode = .add, strict: Bool = false
    ) async throws -> UploadError {
        try await failure(
            Routes.upload,
            UploadArg(commit: CommitInfo(path: path, mode: mode, strictConflict: strict)),
            body: text)
    }

    func list(
        _ path: String = "", recursive: Bool = false, limit: UInt32? = nil
    ) async throws -> (entries: [Metadata], cursor: String) {
        var page = try await call(
            Routes.listFolder, ListFolderArg(path: path, recursive: recursive, limit: limit))
        var entries = page.entries
        while page.hasMore {
            page = try await call(
                Routes.listFolderContinue, ListFolderContinueArg(cursor: page.cursor))
            entries += page.entries
        }
        return (entries, page.cursor)
    }

    /// What has changed since a cursor, and the next one.
    func changes(since cursor: String) async throws -> (entries: [Metadata], cursor: String) {
        let page = try await call(Routes.listFolderContinue, ListFolderContinueArg(cursor: cursor))
        return (page.entries, page.cursor)
    }

    /// Waits for a change and returns what it was. The club must say so; nothing is polled.
    func nextChanges(since cursor: String) async throws -> (entries: [Metadata], cursor: String) {
        let answer = try await call(
            Routes.longpoll, ListFolderLongpollArg(cursor: cursor, timeout: 60))
        #expect(answer.changes)
        return try await changes(since: cursor)
    }

    func metadata(_ path: String) async throws -> Metadata {
        try await call(Routes.getMetadata, GetMetadataArg(path: path))
    }

    func download(_ path: String) async throws -> String {
        try await send(Routes.download, DownloadArg(path: path)).text
    }
}

extension Metadata {
    /// `+name` for a file, `/name` for a folder, `-name` for what is gone.
    var sketch: String {
        switch self {
        case .file(let file): "+" + (file.pathDisplay ?? file.name)
        case .folder(let folder): "/" + (folder.pathDisplay ?? folder.name)
        case .deleted(let deleted): "-" + (deleted.pathDisplay ?? deleted.name)
        case .other(let tag): "?" + tag
        }
    }

    var file: FileMetadata? { if case .file(let file) = self { file } else { nil } }
    var folder: FolderMetadata? { if case .folder(let folder) = self { folder } else { nil } }
}
