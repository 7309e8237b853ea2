import DropboxAPI
import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

/// A small WebDAV server in memory that can be as odd as real ones are.
final class WebDAVStandIn: Sendable {
    /// In which ways it is odd.
    struct Manners: Sendable {
        enum Tags: Sendable {
            case strong, weak, none, unquoted
            /// Made of the second and the length.
            case coarse
        }

        var tags = Tags.strong
        var honoursConditions = true
        /// Refuses each `If-Match`, whether it holds or not.
        var refusesIfMatch = false
        var honoursIf = true
        /// What stands before the folder's own path in hrefs.
        var hrefPrefix = ""
        /// What hrefs begin with: `http://inner:8080`.
        var hrefOrigin = ""
        var lowercaseEscapes = false
        var tellsTagOfPut = true
        var knowsMove = true

        enum Ranges: Sendable {
            /// As Apache does it.
            case placed
            case refused
            /// Taken for the whole file.
            case ignored
        }

        /// What becomes of a `PUT` with `Content-Range`.
        var ranges = Ranges.refused
        /// What it says to a `MOVE` that it has done, or is about to do.
        var moveAnswer: String?
        /// Decodes `Destination` before it takes it apart, so that names end at a `?` or a `;`.
        var decodesDestinationFirst = false
        /// Counts its changes (RFC 6578), and tells of so many at once.
        var reports: Int?
        /// Tells of what is in folders below, too.
        var reportsDeep = true
        /// What it says to a moment too long ago.
        var refusalOfToken = "403 Forbidden"
        /// What its clock says.
        var date: String?
        /// The path of the club's folder.
        var base = "/dav"
        /// Answers instead of the server, where it answers at all.
        var interception: @Sendable (LoopbackRequest) -> [LoopbackStep]? = { _ in nil }
    }

    enum Node: Equatable {
        case folder
        case file(bytes: [UInt8], version: Int)
    }

    struct State {
        var nodes: [String: Node] = [:] {
            didSet { if countsChanges { noteChanges(from: oldValue) } }
        }
        var version = 0
        /// Each path that changed, in order, and how often before that of the oldest still known.
        var changes: (forgotten: Int, paths: [String]) = (0, [])
        var countsChanges = false
        /// What a test does behind the client's back, before the request of that number.
        var intrusions: [Int: @Sendable (WebDAVStandIn) -> Void] = [:]
        /// What becomes of the next ones; nil for what should.
        var brokenPuts: [BrokenPut?] = []
        /// Files whose names are no UTF-8, as hrefs write them.
        var unnameable: [String] = []
    }

    /// How a `PUT` breaks off.
    enum BrokenPut: Sendable {
        /// So many bytes are kept, and no answer comes.
        case keeping(Int)
        /// So many bytes are kept, and the server gives up with a status.
        case refusing(String, keeping: Int)
    }

    let server: LoopbackServer
    let store: WebDAVStore
    let state: Mutex<State>
    let manners: Manners
    private let waitsSoFar: Waits

    var requests: [LoopbackRequest] { server.requests }

    /// Methods, with what follows the base in their targets: `PUT /a.txt`.
    var calls: [String] {
        requests.map { $0.method + " " + $0.target.dropFirst(manners.base.count) }
    }

    /// The calls since the last time this was asked.
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
        configuration.clock.jitter = { 1 }
        // What is found out by doing things quickly does not depend on the machine.
        let now = Date()
        configuration.clock.date = { now }
        configuration.clock.sleep = { wait in waits.all.withLock { $0.append(wait) } }
        configure(&configuration)
        store = try WebDAVStore(configuration)
        box.standIn.withLock { $0.value = self }
    }

    private final class Box: Sendable {
        struct Weak: Sendable { weak var value: WebDAVStandIn? }
        let standIn = Mutex(Weak())
    }

    private final class Waits: Sendable {
        let all = Mutex<[Duration]>([])
        let seen = Mutex(0)
    }

    /// Puts a file there as another member would.
    func plant(_ text: String, at path: String) {
        plant(Array(text.utf8), at: path)
    }

    func plant(_ bytes: some Sequence<UInt8>, at path: String) {
        state.withLock { state in
            state.version += 1
            state.nodes[manners.base + path] = .file(bytes: Array(bytes), version: state.version)
        }
    }

    /// Puts an empty file there whose name no path can have.
    func plantUnnameable(_ href: String) {
        state.withLock { $0.unnameable.append(manners.base + href) }
    }

    /// Makes a folder as another member would.
    func plantFolder(at path: String) {
        state.withLock { $0.nodes[manners.base + path] = .folder }
    }

    /// Removes something, and all in it, as another member would.
    func uproot(_ path: String) {
        let gone = manners.base + path
        state.withLock { state in
            state.nodes = state.nodes.filter { $0.key != gone && !$0.key.hasPrefix(gone + "/") }
        }
    }

    /// Forgets what has changed until now.
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

    /// Does something just before the request of a number, counted from 0, is answered.
    func before(_ number: Int, do intrusion: @escaping @Sendable (WebDAVStandIn) -> Void) {
        state.withLock { $0.intrusions[number] = intrusion }
    }

    /// Breaks the next writes, each in its way, of those whose conditions hold.
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
