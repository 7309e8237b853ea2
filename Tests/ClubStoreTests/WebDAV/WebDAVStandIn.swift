import DropboxAPI
import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

/// A small WebDAV server in memory that can imitate the quirks of real ones.
final class WebDAVStandIn: Sendable {
    /// Its quirks.
    struct Manners: Sendable {
        enum Tags: Equatable, Sendable {
            case strong, weak, none, unquoted
            /// Based on the second and the length.
            case coarse
            /// Based on the microsecond and the length, as Apache's. All writes from this version
            /// on fall into one tick of the file system's clock.
            case microseconds(oneTickFrom: Int)
        }

        var tags = Tags.strong
        /// More properties of each file, as XML.
        var properties = ""
        /// Of each file instead of its own; empty for none.
        var modified: String?
        /// What is stored of the bytes of a `PUT`.
        var storing: @Sendable ([UInt8]) -> [UInt8] = { $0 }
        var honorsConditions = true
        /// Rejects each `If-Match`, whether it holds or not.
        var refusesIfMatch = false
        var honorsIf = true
        /// Rejects each `If` with a tag, whether it holds or not, as rclone does.
        var refusesIf = false
        /// A prefix of the folder's path in hrefs.
        var hrefPrefix = ""
        /// The origin in hrefs: `http://inner:8080`.
        var hrefOrigin = ""
        var lowercaseEscapes = false
        var tellsTagOfPut = true
        var knowsMove = true
        /// Whether a `MOVE` is subject to `Overwrite: F` and to conditions.
        var checksMoves = true
        /// nginx leaves them out.
        var listsHiddenNames = true
        /// Whether `getcontentlength` is among the properties.
        var tellsLengths = true

        enum Ranges: Sendable {
            /// As Apache does it.
            case placed
            case refused
            /// Treated as the whole file.
            case ignored
        }

        /// How it handles a `PUT` with `Content-Range`.
        var ranges = Ranges.refused
        /// Its response to a `MOVE` that it has performed, or is about to perform.
        var moveAnswer: String?
        /// Decodes `Destination` before parsing it, so that names end at a `?` or a `;`.
        var decodesDestinationFirst = false
        /// Supports sync tokens (RFC 6578), and reports this many changes at once.
        var reports: Int?
        /// Also reports changes in subfolders.
        var reportsDeep = true
        /// Its response to an expired token.
        var refusalOfToken = "403 Forbidden"
        /// Its `Date` header.
        var date: String?
        /// Nextcloud's apps that are switched on, and keep what is replaced or deleted.
        var apps: Set<NextcloudApps.App> = []
        /// The path of the club's folder.
        var base = "/dav"
        /// Responds instead of the server, if it returns steps.
        var interception: @Sendable (LoopbackRequest) -> [LoopbackStep]? = { _ in nil }
    }

    enum Node: Equatable {
        case folder
        case file(bytes: [UInt8], version: Int)
    }

    struct State {
        var nodes: [String: Node] = [:] {
            didSet {
                if countsChanges { noteChanges(from: oldValue) }
                numberFiles()
            }
        }
        /// What Nextcloud's apps keep.
        var kept = KeptFiles()
        var version = 0
        /// Each changed path, in order, and how many were dropped before.
        var changes: (forgotten: Int, paths: [String]) = (0, [])
        var countsChanges = false
        /// Closures to run before the request with that number.
        var intrusions: [Int: @Sendable (WebDAVStandIn) -> Void] = [:]
        /// The next `PUT` requests' faults; nil for none.
        var brokenPuts: [BrokenPut?] = []
        /// Files whose names are not UTF-8, as written in hrefs.
        var unnameable: [String] = []
    }

    /// How a `PUT` fails.
    enum BrokenPut: Sendable {
        /// It stores this many bytes and sends no response.
        case keeping(Int)
        /// It stores this many bytes and responds with an error status.
        case refusing(String, keeping: Int)
    }

    let server: LoopbackServer
    let store: WebDAVStore
    let state: Mutex<State>
    let manners: Manners
    private let waitsSoFar: Waits

    var requests: [LoopbackRequest] { server.requests }

    /// Methods, with the part of their targets after the base: `PUT /a.txt`.
    var calls: [String] {
        requests.map { $0.method + " " + $0.target.dropFirst(manners.base.count) }
    }

    /// The calls since this was last called.
    func newCalls() -> [String] {
        let calls = calls
        let seen = waitsSoFar.seen.withLock { seen in
            defer { seen = calls.count }
            return seen
        }
        return Array(calls[seen...])
    }

    var waits: [Duration] { waitsSoFar.all.withLock { $0 } }

    init(
        _ manners: Manners = Manners(), credentials: WebDAVCredentials = .none,
        configure: (inout WebDAVStore.Configuration) -> Void = { _ in }
    ) throws {
        self.manners = manners
        var state = State(nodes: [manners.base: .folder])
        state.countsChanges = manners.reports != nil
        self.state = Mutex(state)
        let box = Box()
        server = try LoopbackServer { request in
            manners.interception(request) ?? box.standIn.withLock { $0.value }?.answer(request)
                ?? [.answer("500 Internal Server Error")]
        }
        let waits = Waits()
        waitsSoFar = waits
        var configuration = WebDAVStore.Configuration(
            baseURL: server.url(manners.base), credentials: credentials)
        configuration.thumbnailer = TestThumbnailer()
        configuration.clock.jitter = { 1 }
        // The result of timing-dependent probes must not depend on the machine.
        let now = Date()
        configuration.clock.date = { now }
        configuration.clock.sleep = { wait in waits.all.withLock { $0.append(wait) } }
        configure(&configuration)
        store = try WebDAVStore(configuration)
        box.standIn.withLock { $0.value = self }
    }

    /// One whose capabilities are known, with a file `/first`.
    static func probed(
        _ manners: Manners = Manners(),
        configure: (inout WebDAVStore.Configuration) -> Void = { _ in }
    ) async throws -> WebDAVStandIn {
        let standIn = try WebDAVStandIn(manners, configure: configure)
        _ = try await standIn.store.put(data("1st"), at: path("/first"), mode: .add)
        _ = standIn.newCalls()
        return standIn
    }

    private final class Box: Sendable {
        struct Weak: Sendable { weak var value: WebDAVStandIn? }
        let standIn = Mutex(Weak())
    }

    private final class Waits: Sendable {
        let all = Mutex<[Duration]>([])
        let seen = Mutex(0)
    }

    /// Writes a file as another member would.
    func plant(_ text: String, at path: String) {
        plant(Array(text.utf8), at: path)
    }

    func plant(_ bytes: some Sequence<UInt8>, at path: String) {
        state.withLock { state in
            state.version += 1
            state.nodes[manners.base + path] = .file(bytes: Array(bytes), version: state.version)
        }
    }

    /// Creates an empty file whose name no path can have.
    func plantUnnameable(_ href: String) {
        state.withLock { $0.unnameable.append(manners.base + href) }
    }

    /// Creates a folder as another member would.
    func plantFolder(at path: String) {
        state.withLock { $0.nodes[manners.base + path] = .folder }
    }

    /// Removes an item with its contents, as another member would.
    func uproot(_ path: String) {
        let gone = manners.base + path
        state.withLock { state in
            state.nodes = state.nodes.filter { $0.key != gone && !$0.key.hasPrefix(gone + "/") }
        }
    }

    /// Drops the changes so far.
    func forgetChanges() {
        state.withLock { state in
            state.changes = (state.changes.forgotten + state.changes.paths.count, [])
        }
    }

    func contents(of path: String) -> String? {
        state.withLock { state in
            guard case .file(let bytes, _) = state.nodes[manners.base + path] else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// All paths below the base.
    var paths: [String] {
        state.withLock { state in
            state.nodes.keys.filter { $0.hasPrefix(manners.base + "/") }
                .map { String($0.dropFirst(manners.base.count)) }.sorted()
        }
    }

    /// Runs a closure just before the request with a number, counted from 0, gets its response.
    func before(_ number: Int, do intrusion: @escaping @Sendable (WebDAVStandIn) -> Void) {
        state.withLock { $0.intrusions[number] = intrusion }
    }

    /// Fails the next writes whose conditions hold, each in its way.
    func breakPuts(_ ways: BrokenPut?...) {
        state.withLock { $0.brokenPuts = ways }
    }
}

extension [LoopbackStep] {
    /// Responses with the prefixes `d`, `o` and `n` for DAV, ownCloud and Nextcloud.
    static func multistatus(_ responses: String, date: String? = nil) -> Self {
        [
            .answer(
                "207 Multi-Status",
                ["Content-Type: application/xml; charset=utf-8"]
                    + (date.map { ["Date: \($0)"] } ?? []),
                body: """
                    <?xml version="1.0"?>
                    <d:multistatus xmlns:d="DAV:" xmlns:o="http://owncloud.org/ns" \
                    xmlns:n="http://nextcloud.org/ns">\(responses)</d:multistatus>
                    """)
        ]
    }
}
