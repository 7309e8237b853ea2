import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Interrupted writes: what they left on the server is ours, and no conflict; what someone else has
/// written is one.
@Suite struct UnconfirmedWriteTests {
    private let standIn: WebDAVStandIn
    private let old: RemoteFile

    init() async throws {
        standIn = try WebDAVStandIn()
        // Probes the server.
        _ = try await standIn.store.put(data("1st"), at: path("/first"), mode: .add)
        standIn.plant("old", at: "/a")
        old = try await standIn.store.metadata(of: path("/a"))
    }

    /// One attempt to replace the original text.
    private func save(_ text: String) async throws {
        _ = try await standIn.store.put(data(text), at: path("/a"), mode: .update(old.revision))
    }

    /// An attempt that fails after the server has stored this many bytes.
    private func saveUnconfirmed(_ text: String, keeping count: Int) async throws {
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: count))
        await expectFailure(.timedOut) { try await save(text) }
    }

    @Test(arguments: [0, 5, 10])
    func halfOfOurOwnBytesAreNobodys(_ count: Int) async throws {
        standIn.breakPuts(.keeping(count))
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test func aConnectionThatBreaksEachTimeIsNoConflict() async throws {
        standIn.breakPuts(.keeping(1), .keeping(2), .keeping(3), .keeping(4))
        await expectFailure(.offline) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a ne")
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test(arguments: [0, 5])
    func whatAMemberWritesMeanwhileIsNoConflictWithIt(_ count: Int) async throws {
        try await saveUnconfirmed("a new text", keeping: count)
        let saved = try await standIn.store.put(
            data("another text"), at: path("/a"), mode: .update(old.revision))
        #expect(standIn.contents(of: "/a") == "another text")
        #expect(try await standIn.store.metadata(of: path("/a")).revision == saved.revision)
    }

    @Test func aWriteThatIsThereWholeIsDoneWhateverWasSaid() async throws {
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: 10))
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test(arguments: ["408 Request Timeout", "507 Insufficient Storage"])
    func whatTheServerGaveUpOnIsOursToo(_ status: String) async throws {
        standIn.breakPuts(.refusing(status, keeping: 4))
        _ = await failure { try await save("a new text") }
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test func aWriteThatCouldNotBeLookedAtIsRecognizedLater() async throws {
        let server = try FaultyWebDAV()
        let store = server.store
        _ = try await store.put(data("1st"), at: path("/first"), mode: .add)
        server.after("PUT") { _ in
            server.set(.answers("403 Forbidden", isPage: false), for: "PROPFIND")
        }
        _ = await failure {
            _ = try await store.put(data("mine"), at: path("/new"), mode: .create)
        }
        server.set(nil, for: "PROPFIND")
        #expect(server.standIn.contents(of: "/new") == "mine")
        _ = try await store.put(data("mine"), at: path("/new"), mode: .create)
        server.after("MOVE") { _ in server.set(.page, for: "PROPFIND") }
        _ = await failure { _ = try await store.move(path("/new"), to: path("/newer")) }
        server.set(nil, for: "PROPFIND")
        #expect(server.standIn.contents(of: "/newer") == "mine")
        _ = try await store.move(path("/new"), to: path("/newer"))
    }

    /// The look at the new file succeeds, and the fetch that compares its bytes does not.
    @Test func aWriteThatCouldNotBeReadIsRecognizedLater() async throws {
        let server = try FaultyWebDAV(.init(tags: .coarse))
        let store = server.store
        _ = try await store.put(data("1st"), at: path("/first"), mode: .add)
        server.after("PUT") { _ in
            server.set(.answers("403 Forbidden", isPage: false), for: "GET")
        }
        _ = await failure {
            _ = try await store.put(data("mine"), at: path("/new"), mode: .create)
        }
        server.set(nil, for: "GET")
        _ = try await store.put(data("mine"), at: path("/new"), mode: .create)
    }

    /// A gateway may give up while the server behind it does the work.
    @Test func whatAGatewayGaveUpOnIsOursToo() async throws {
        standIn.breakPuts(
            .refusing("503 Service Unavailable", keeping: 4),
            .refusing("503 Service Unavailable", keeping: 4),
            .refusing("503 Service Unavailable", keeping: 4),
            .refusing("503 Service Unavailable", keeping: 4))
        _ = await failure { try await save("a new text") }
        standIn.breakPuts()
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    /// At a server that rejects each `If`, what a killed program has left is replaced nevertheless.
    @Test func whatIsLeftAtAServerThatRejectsConditionsIsReplaced() async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(tags: .coarse, refusesIfMatch: true, refusesIf: true))
        let file = try await standIn.store.put(data("old"), at: path("/a"), mode: .add)
        standIn.breakPuts(.keeping(5), .keeping(6), .keeping(7), .keeping(8))
        func save() async throws {
            _ = try await standIn.store.put(
                data("a new text"), at: path("/a"),
                mode: .update(file.revision, contentHash: file.contentHash))
        }
        await expectFailure(.offline) { try await save() }
        standIn.breakPuts()
        try await save()
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test func whatSomebodyElseMadeOfItIsAConflict() async throws {
        try await saveUnconfirmed("a new text", keeping: 5)
        standIn.plant("a new idea", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a new idea")
        // The conflict was reported, so it stands.
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
    }

    @Test func whatSomebodyElseMadeShorterIsAConflictUnlessOursMayHaveArrived() async throws {
        standIn.plant("a new", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a new")
    }

    // MARK: - A text that somebody has shortened

    private static let list = "milk\neggs\nbread"

    /// The request is cut before the server has done anything, and waits. What a rival leaves of the old text is also
    /// the beginning of the new one.
    @Test(arguments: ["", "milk", "milk\neggs\n", list], [true, false])
    func whatSomebodyElseHasShortenedIsAConflict(_ rest: String, isNextRun: Bool) async throws {
        let folder = try TemporaryFolder()
        let server = try FaultyWebDAV { $0.unconfirmedWritesFolder = folder.url }
        let store = server.store
        _ = try await store.put(data("1st"), at: path("/first"), mode: .add)
        server.standIn.plant(Self.list, at: "/a")
        let old = try await store.fetch(path("/a")).file
        let mode = RemoteWriteMode.update(old.revision, contentHash: old.contentHash)
        let new = data(Self.list + "\nbutter")
        server.set(.answers("408 Request Timeout", isPage: false), for: "PUT")
        await expectFailure(.timedOut) {
            _ = try await store.put(new, at: path("/a"), mode: mode)
        }
        server.set(nil, for: "PUT")
        server.standIn.plant(rest, at: "/a")
        let copy = try folder.copyWithoutLocks()
        var configuration = store.configuration
        configuration.unconfirmedWritesFolder = copy.url
        let next = isNextRun ? try WebDAVStore(configuration) : store
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await next.put(new, at: path("/a"), mode: mode)
        }
        #expect(server.standIn.contents(of: "/a") == rest)
    }

    /// The same within one write that is repeated.
    @Test func whatSomebodyElseShortensMeanwhileIsAConflict() async throws {
        let server = try FaultyWebDAV()
        _ = try await server.store.put(data("1st"), at: path("/first"), mode: .add)
        server.standIn.plant(Self.list, at: "/a")
        let old = try await server.store.metadata(of: path("/a"))
        server.store.noteBase(data(Self.list))
        server.set(.answers("502 Bad Gateway", isPage: false), for: "PUT", times: 1)
        server.after("PUT") { $0.plant("milk", at: "/a") }
        let hash = ContentHash(of: data(Self.list)).hexadecimal
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await server.store.put(
                data(Self.list + "\nbutter"), at: path("/a"),
                mode: .update(old.revision, contentHash: hash))
        }
        #expect(server.standIn.contents(of: "/a") == "milk")
    }

    /// Only this write can have left the beginning of a line that the old text does not have.
    @Test func aBeginningThatTheOldTextDoesNotHaveIsOurs() async throws {
        standIn.plant(Self.list, at: "/a")
        let old = try await standIn.store.fetch(path("/a")).file
        standIn.breakPuts(.keeping(8))
        _ = try await standIn.store.put(
            data("milk\nbutter\neggs\nbread"), at: path("/a"),
            mode: .update(old.revision, contentHash: old.contentHash))
        #expect(standIn.contents(of: "/a") == "milk\nbutter\neggs\nbread")
    }

    @Test func aWriteThatEndedWellIsForgotten() async throws {
        try await saveUnconfirmed("a new text", keeping: 5)
        try await save("a new text")
        standIn.plant("a new", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a new")
    }

    @Test func aPhotoThatBrokeOffIsAddedAfterAll() async throws {
        let folder = try TemporaryFolder()
        let photo = try folder.write(data("0123456789"), to: "photo")
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: 3))
        await expectFailure(.timedOut) {
            _ = try await Recorder.upload(photo, to: path("/photo"), in: standIn.store)
        }
        _ = try await Recorder.upload(photo, to: path("/photo"), in: standIn.store)
        #expect(standIn.contents(of: "/photo") == "0123456789")
    }

    // MARK: - In another run of the program

    /// The same club for a program that starts after the first has ended: its files are no longer
    /// locked.
    private func nextRun(after folder: TemporaryFolder) throws -> (WebDAVStore, TemporaryFolder) {
        let copy = try folder.copyWithoutLocks()
        var configuration = standIn.store.configuration
        configuration.unconfirmedWritesFolder = copy.url
        return (try WebDAVStore(configuration), copy)
    }

    /// A run that knows the server's capabilities.
    private func keepingRun(in folder: TemporaryFolder) async throws -> WebDAVStore {
        var configuration = standIn.store.configuration
        configuration.unconfirmedWritesFolder = folder.url
        let store = try WebDAVStore(configuration)
        _ = try await store.put(data("2nd"), at: path("/second"), mode: .add)
        #expect(try folder.names.isEmpty)
        return store
    }

    @Test(arguments: [0, 5])
    func theNextRunKnowsWhatWasSent(_ count: Int) async throws {
        let folder = try TemporaryFolder()
        let store = try await keepingRun(in: folder)
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: count))
        await expectFailure(.timedOut) {
            _ = try await store.put(
                data("a new text"), at: path("/a"), mode: .update(old.revision))
        }
        let (next, copy) = try nextRun(after: folder)
        _ = try await next.put(
            data("a new text, and more"), at: path("/a"), mode: .update(old.revision))
        #expect(standIn.contents(of: "/a") == "a new text, and more")
        #expect(try copy.names.isEmpty)
    }

    @Test func whatWasSentIsKeptBeforeItIsSent() async throws {
        let folder = try TemporaryFolder()
        let store = try await keepingRun(in: folder)
        let kept = Mutex<[String]>([])
        standIn.before(standIn.requests.count) { _ in
            kept.withLock { $0 = (try? folder.names) ?? [] }
        }
        _ = try await store.put(data("a new text"), at: path("/a"), mode: .update(old.revision))
        #expect(kept.withLock { $0 }.count == 1)
        #expect(try folder.names.isEmpty)
    }

    @Test func whatSomebodyElseMadeOfItIsAConflictToTheNextRun() async throws {
        let folder = try TemporaryFolder()
        let store = try await keepingRun(in: folder)
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: 5))
        _ = await failure {
            _ = try await store.put(
                data("a new text"), at: path("/a"), mode: .update(old.revision))
        }
        standIn.plant("a new idea", at: "/a")
        let (next, _) = try nextRun(after: folder)
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await next.put(
                data("a new text, and more"), at: path("/a"), mode: .update(old.revision))
        }
        #expect(standIn.contents(of: "/a") == "a new idea")
    }

    @Test func aProgramThatLivesSpeaksForItself() throws {
        let folder = try TemporaryFolder()
        let write = UnconfirmedWrite(byteCount: 1, hash: "h", data: nil)
        let (first, other) = (
            UnconfirmedWrites(folder: folder.url), UnconfirmedWrites(folder: folder.url)
        )
        first.begin(write, at: try path("/a"))
        #expect(first.writes(at: try path("/a")).isEmpty)
        #expect(other.writes(at: try path("/a")).isEmpty)
        first.note(write, at: try path("/a"))
        #expect(first.writes(at: try path("/a")) == [write])
        other.forget(try path("/a"))
        #expect(try folder.names.count == 1)
        first.drop(write, at: try path("/a"))
        #expect(first.writes(at: try path("/a")) == [write])
        first.forget(try path("/a"))
        #expect(try folder.names.isEmpty)
    }

    @Test func whatIsNoNoteOrVeryOldIsNone() throws {
        let folder = try TemporaryFolder()
        let writes = UnconfirmedWrites(folder: folder.url)
        for (index, text) in ["", "null", "{", #"{"path":"/a"}"#].enumerated() {
            _ = try folder.write(data(text), to: "\(index).json")
        }
        let old = try folder.write(
            data(#"{"path":"/a","write":{"byteCount":1,"hash":"h"}}"#), to: "old.json")
        #expect(writes.writes(at: try path("/a")).count == 1)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -100 * 86_400)],
            ofItemAtPath: old.path)
        #expect(writes.writes(at: try path("/a")).isEmpty)
        #expect(try !folder.names.contains("old.json"))
    }

    @Test func onlySoManyAreKept() throws {
        let writes = UnconfirmedWrites()
        let write = UnconfirmedWrite(byteCount: 1, hash: "h", data: nil)
        for index in 0..<20 { writes.note(write, at: try path("/\(index)")) }
        #expect(writes.writes(at: try path("/0")).isEmpty)
        #expect(writes.writes(at: try path("/19")) == [write])
        writes.note(write, at: try path("/19"))
        #expect(writes.writes(at: try path("/19")) == [write])
    }
}
