import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// What a Nextcloud keeps of files that were replaced or deleted.
@Suite struct NextcloudRevisionTests {
    private static let base = "/cloud/remote.php/dav/files/ann/Club"
    private static let dav = "/cloud/remote.php/dav/"

    private typealias Interception = @Sendable (LoopbackRequest) -> [LoopbackStep]?

    private static func standIn(
        apps: Set<NextcloudApps.App> = [.versions, .trash], base: String = base,
        _ interception: @escaping Interception = { _ in nil },
        configure: (inout WebDAVStore.Configuration) -> Void = { _ in }
    ) throws -> WebDAVStandIn {
        try WebDAVStandIn(
            .init(apps: apps, base: base, interception: { interception($0) }),
            credentials: .password(user: "ann", password: "app password"), configure: configure)
    }

    /// A note that was deleted.
    private static func withDeletedNote(
        _ interception: @escaping Interception = { _ in nil }
    ) async throws -> (standIn: WebDAVStandIn, revision: Revision) {
        let standIn = try standIn(interception)
        standIn.plant("one", at: "/notes/a.txt")
        standIn.plantFolder(at: "/notes")
        standIn.trash("/notes/a.txt")
        let history = try await standIn.store.revisions(of: path("/notes/a.txt"), limit: 10)
        return (standIn, try #require(history.revisions.first).revision)
    }

    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromise(_ promise: ContractCheck) async throws {
        let standIn = try Self.standIn(configure: { configuration in
            configuration.clock.sleep = { try? await Pause.sleep(for: $0) }
            configuration.limits.shortestInterval = .milliseconds(100)
            configuration.limits.longestInterval = .milliseconds(100)
        })
        try await promise.check(standIn.store)
    }

    @Test func theRevisionsPartIsRun() async throws {
        let standIn = try Self.standIn()
        let store = standIn.store
        #expect(try await store.revisionStore != nil)
        #expect(try await store.trashStore != nil)
        #expect(store.isKnownToKeepDeletedFiles == true)
    }

    // MARK: - Versions

    @Test func theVersionsOfANoteAreListedAndRead() async throws {
        let standIn = try Self.standIn()
        let note = try path("/a b.txt")
        var file = try await standIn.store.put(data("one"), at: note, mode: .add)
        for text in ["two", "three"] {
            file = try await standIn.store.put(data(text), at: note, mode: .update(file.revision))
        }
        let history = try await standIn.store.revisions(of: note, limit: 10)
        #expect(!history.isDeleted)
        #expect(history.revisions.map(\.byteCount) == [5, 3, 3])
        #expect(history.revisions.first?.revision == file.revision)
        var texts: [String] = []
        for revision in history.revisions.map(\.revision) {
            let found = try await standIn.store.fetch(note, revision: revision)
            #expect(found.file.path == note)
            #expect(found.file.contentHash != nil)
            texts.append(String(decoding: found.data, as: UTF8.self))
        }
        #expect(texts == ["three", "two", "one"])
        #expect(try await standIn.store.revisions(of: note, limit: 2).revisions.count == 2)
    }

    @Test func anEarlierTextIsRestoredOnTheConditionThatTheFileIsUnchanged() async throws {
        let standIn = try Self.standIn()
        let note = try path("/a.txt")
        let first = try await standIn.store.put(data("one"), at: note, mode: .add)
        let second = try await standIn.store.put(
            data("two"), at: note, mode: .update(first.revision))
        let old = try #require(
            await standIn.store.revisions(of: note, limit: 10).revisions.last)
        let restored = try await standIn.store.restore(note, to: old.revision)
        #expect(restored.revision != second.revision)
        #expect(standIn.contents(of: "/a.txt") == "one")
        let put = try #require(standIn.requests.last { $0.method == "PUT" })
        #expect(put["If-Match"] == second.revision.rawValue)
        #expect(!standIn.requests.contains { $0.method == "MOVE" })
        let texts = try await standIn.store.revisions(of: note, limit: 10).revisions
        #expect(texts.count == 3)
    }

    @Test func aTextThatWasSavedInThisMomentIsNotReplaced() async throws {
        let box = Mutex<WebDAVStandIn?>(nil)
        let standIn = try Self.standIn { request in
            if request.method == "GET", request.target.contains("/versions/") {
                box.withLock { $0?.plant("theirs", at: "/a.txt") }
            }
            return nil
        }
        let note = try path("/a.txt")
        let first = try await standIn.store.put(data("one"), at: note, mode: .add)
        _ = try await standIn.store.put(data("two"), at: note, mode: .update(first.revision))
        let old = try #require(
            await standIn.store.revisions(of: note, limit: 10).revisions.last)
        box.withLock { $0 = standIn }
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.restore(note, to: old.revision)
        }
        #expect(standIn.contents(of: "/a.txt") == "theirs")
        box.withLock { $0 = nil }
    }

    @Test func aVersionThatDisappearsIsNotFound() async throws {
        let standIn = try Self.standIn()
        let note = try path("/a.txt")
        let first = try await standIn.store.put(data("one"), at: note, mode: .add)
        _ = try await standIn.store.put(data("two"), at: note, mode: .update(first.revision))
        let old = try #require(
            await standIn.store.revisions(of: note, limit: 10).revisions.last)
        standIn.forgetKeptFiles()
        await expectFailure(.notFound) {
            _ = try await standIn.store.fetch(note, revision: old.revision)
        }
        await expectFailure(.notFound) {
            _ = try await standIn.store.restore(note, to: old.revision)
        }
        #expect(standIn.contents(of: "/a.txt") == "two")
    }

    @Test(arguments: [
        ([LoopbackStep.answer("404 Not Found")], StoreError.Code.notFound),
        (
            [.answer("200 OK", ["Content-Type: text/html"], body: "<html>Please sign in</html>")],
            .badAnswer
        ),
    ])
    func aVersionWithoutItsBytesIsNotRestored(
        _ answer: [LoopbackStep], code: StoreError.Code
    ) async throws {
        let standIn = try Self.standIn { request in
            request.method == "GET" && request.target.contains("/versions/") ? answer : nil
        }
        let note = try path("/a.txt")
        let first = try await standIn.store.put(data("one"), at: note, mode: .add)
        _ = try await standIn.store.put(data("two"), at: note, mode: .update(first.revision))
        let old = try #require(
            await standIn.store.revisions(of: note, limit: 10).revisions.last)
        let error = await failure {
            _ = try await standIn.store.restore(note, to: old.revision)
        }
        #expect(error?.code == code)
        #expect(standIn.contents(of: "/a.txt") == "two")
    }

    @Test func aVersionOfAnotherFileIsNotFound() async throws {
        let standIn = try Self.standIn()
        let first = try await standIn.store.put(data("one"), at: path("/a.txt"), mode: .add)
        _ = try await standIn.store.put(
            data("two"), at: path("/a.txt"), mode: .update(first.revision))
        _ = try await standIn.store.put(data("other"), at: path("/b.txt"), mode: .add)
        let old = try #require(
            await standIn.store.revisions(of: path("/a.txt"), limit: 10).revisions.last)
        await expectFailure(.notFound) {
            _ = try await standIn.store.restore(path("/b.txt"), to: old.revision)
        }
        #expect(standIn.contents(of: "/b.txt") == "other")
    }

    @Test func hostileListsOfVersionsNameNothingElse() async throws {
        let hrefs = [
            "/cloud/remote.php/dav/versions/ann/versions/1/..", "/versions/1/%2e%2e",
            "/versions/1/a%2Fb", "/versions/2/1600000001", "http://evil.example/x/2/7", "", "..",
        ]
        let lines = hrefs.map { href in
            "<d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:resourcetype/>"
                + "<d:getcontentlength>-7</d:getcontentlength></d:prop>"
                + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        }
        let standIn = try Self.standIn { request in
            request.method == "PROPFIND" && request.target.contains("/versions/ann/versions/1")
                ? .multistatus(lines.joined()) : nil
        }
        _ = try await standIn.store.put(data("one"), at: path("/a.txt"), mode: .add)
        standIn.state.withLock { $0.kept.numbers[Self.base + "/a.txt"] = 1 }
        let history = try await standIn.store.revisions(of: path("/a.txt"), limit: 10)
        #expect(history.revisions.count == 1)
        for revision in ["version/1/..", "version/1/%2E%2E", "version/../1", "version/1/a%2Fb"] {
            await expectFailure(.notFound) {
                _ = try await standIn.store.fetch(
                    path("/a.txt"), revision: Revision(rawValue: revision))
            }
        }
    }

    @Test func aListThatIsCutOffIsNoList() async throws {
        let isCut = Mutex(false)
        let standIn = try Self.standIn { request in
            request.method == "PROPFIND" && request.target.contains("/versions/ann/versions/")
                && request["Depth"] == "1" && isCut.withLock { $0 }
                ? [.answer("207 Multi-Status", body: "<d:multistatus xmlns:d=\"DAV:\"><d:resp")]
                : nil
        }
        _ = try await standIn.store.put(data("one"), at: path("/a.txt"), mode: .add)
        isCut.withLock { $0 = true }
        await expectFailure(.badAnswer) {
            _ = try await standIn.store.revisions(of: path("/a.txt"), limit: 10)
        }
    }

    // MARK: - Trash

    @Test func aDeletedFileComesBackWithItsVersionsAndItsNumber() async throws {
        let standIn = try Self.standIn()
        let note = try path("/notes/a.txt")
        let first = try await standIn.store.put(data("one"), at: note, mode: .add)
        let file = try await standIn.store.put(
            data("two!"), at: note, mode: .update(first.revision))
        try await standIn.store.delete(note, ifRevision: file.revision)
        #expect(try await standIn.store.keepsDeleted(file))
        // Another run of the program knows nothing of the deletion.
        let next = try WebDAVStore(standIn.store.configuration)
        let kept = try await next.keptRevision(of: note, file.revision, byteCount: 4)
        #expect(try await next.fetch(note, revision: kept).data == data("two!"))
        let restored = try await next.restore(note, to: kept)
        #expect(restored.path == note)
        #expect(standIn.contents(of: "/notes/a.txt") == "two!")
        #expect(standIn.trash.allSatisfy { !$0.hasPrefix("a.txt") })
        #expect(try await next.revisions(of: note, limit: 10).revisions.count == 2)
    }

    @Test func theLatestDeletionOfThatLengthIsMeant() async throws {
        let standIn = try Self.standIn()
        for text in ["long text", "one", "two"] {
            standIn.plant(text, at: "/a.txt")
            standIn.trash("/a.txt")
        }
        let store = standIn.store
        let unknown = Revision(rawValue: "\"gone\"")
        let history = try await store.revisions(of: path("/a.txt"), limit: 10)
        #expect(history.isDeleted)
        #expect(history.revisions.map(\.byteCount) == [3, 3, 9])
        for (count, text) in [(3, "two"), (9, "long text")] as [(Int64, String)] {
            let kept = try await store.keptRevision(of: path("/a.txt"), unknown, byteCount: count)
            #expect(try await store.fetch(path("/a.txt"), revision: kept).data == data(text))
        }
        await expectFailure(.notFound) {
            _ = try await store.keptRevision(of: path("/a.txt"), unknown, byteCount: 4)
        }
    }

    @Test func aTakenNameIsNotOverwritten() async throws {
        let (standIn, revision) = try await Self.withDeletedNote()
        standIn.plant("theirs", at: "/notes/a.txt")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
        }
        #expect(standIn.contents(of: "/notes/a.txt") == "theirs")
        #expect(!standIn.requests.contains { $0.method == "MOVE" })
        #expect(standIn.trash.count == 1)
    }

    @Test func aNameThatIsTakenInThisMomentIsNotOverwritten() async throws {
        let box = Mutex<WebDAVStandIn?>(nil)
        let (standIn, revision) = try await Self.withDeletedNote { request in
            if request.method == "MOVE" {
                box.withLock { $0?.plant("theirs", at: "/notes/a.txt") }
            }
            return nil
        }
        box.withLock { $0 = standIn }
        let restored = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
        #expect(restored.path == (try path("/notes/a.txt (restored)")))
        #expect(standIn.contents(of: "/notes/a.txt") == "theirs")
        #expect(standIn.contents(of: "/notes/a.txt (restored)") == "one")
        box.withLock { $0 = nil }
    }

    @Test func aMissingFolderIsMadeFirst() async throws {
        let (standIn, revision) = try await Self.withDeletedNote()
        standIn.uproot("/notes")
        let restored = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
        #expect(restored.path == (try path("/notes/a.txt")))
        #expect(standIn.contents(of: "/notes/a.txt") == "one")
    }

    @Test(arguments: ["201 Created", "204 No Content", "200 OK"])
    func aYesWithoutEffectIsAFailure(_ status: String) async throws {
        let (standIn, revision) = try await Self.withDeletedNote { request in
            request.method == "MOVE" ? [.answer(status, body: "<html>")] : nil
        }
        await expectFailure(.withoutEffect) {
            _ = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
        }
        #expect(standIn.contents(of: "/notes/a.txt") == nil)
        #expect(standIn.trash.count == 1)
    }

    @Test func aRestoredFileIsFoundThoughTheAnswerIsLost() async throws {
        let box = Mutex<WebDAVStandIn?>(nil)
        let (standIn, revision) = try await Self.withDeletedNote { request in
            guard request.method == "MOVE", let standIn = box.withLock({ $0 }) else { return nil }
            _ = standIn.answer(request)
            return [.answer("502 Bad Gateway")]
        }
        box.withLock { $0 = standIn }
        _ = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
        #expect(standIn.contents(of: "/notes/a.txt") == "one")
        box.withLock { $0 = nil }
    }

    @Test func whatLeavesTheTrashMeanwhileIsNotFound() async throws {
        let box = Mutex<WebDAVStandIn?>(nil)
        let (standIn, revision) = try await Self.withDeletedNote { request in
            if request.method == "MOVE" { box.withLock { $0?.forgetKeptFiles() } }
            return nil
        }
        box.withLock { $0 = standIn }
        for _ in 0..<2 {
            await expectFailure(.notFound) {
                _ = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
            }
        }
        box.withLock { $0 = nil }
    }

    @Test(arguments: [
        ("403 Forbidden", StoreError.Code.forbidden), ("507 Insufficient Storage", .overQuota),
    ])
    func aRefusalIsToldAndChangesNothing(_ status: String, _ code: StoreError.Code) async throws {
        let (standIn, revision) = try await Self.withDeletedNote { request in
            request.method == "MOVE" ? [.answer(status)] : nil
        }
        await expectFailure(code) {
            _ = try await standIn.store.restore(path("/notes/a.txt"), to: revision)
        }
        #expect(standIn.trash.count == 1)
    }

    @Test func hostileListsOfTheTrashNameNothingElse() async throws {
        let entries = [
            ("..", "Club/a.txt"), ("%2e%2e", "Club/a.txt"), ("a%2Fb.d1", "Club/a.txt"),
            ("a.txt.d1", "Club/../a.txt"), ("a.txt.d2", "Other/a.txt"), ("a.txt.d3", ""),
            ("a.txt.d4", "a.txt"),
        ]
        let lines = entries.map { name, location in
            "<d:response><d:href>\(Self.dav)trashbin/ann/trash/\(name)</d:href><d:propstat><d:prop>"
                + "<d:resourcetype/><n:trashbin-original-location>\(location)"
                + "</n:trashbin-original-location><n:trashbin-deletion-time>99999999999999999999"
                + "</n:trashbin-deletion-time></d:prop><d:status>HTTP/1.1 200 OK</d:status>"
                + "</d:propstat></d:response>"
        }
        let standIn = try Self.standIn { request in
            request["Depth"] == "1" && request.target.contains("/trashbin/")
                ? .multistatus(lines.joined()) : nil
        }
        await expectFailure(.notFound) {
            _ = try await standIn.store.revisions(of: path("/a.txt"), limit: 10)
        }
        for revision in ["trash/..", "trash/a.txt.d2", "trash/a%2Fb.d1", "trash/", "trash"] {
            await expectFailure(.notFound) {
                _ = try await standIn.store.restore(
                    path("/a.txt"), to: Revision(rawValue: revision))
            }
        }
        #expect(!standIn.requests.contains { $0.method == "MOVE" })
    }

    @Test func asksAsOftenAsTheTableSays() async throws {
        let (standIn, _) = try await Self.withDeletedNote()
        let (store, note) = (standIn.store, try path("/notes/a.txt"))
        _ = standIn.newCalls()
        let kept = try await store.keptRevision(
            of: note, Revision(rawValue: "\"gone\""), byteCount: 3)
        await expectFailure(.notFound) { _ = try await store.metadata(of: note) }
        _ = try await store.restore(note, to: kept)
        #expect(standIn.newCalls().count == 7)
        _ = try await store.revisions(of: note, limit: 10)
        #expect(standIn.newCalls().count == 2)
    }

    // MARK: - Which apps are on

    @Test(arguments: ["404 Not Found", "405 Method Not Allowed", "501 Not Implemented"])
    func anAppThatIsSwitchedOffKeepsNothing(_ status: String) async throws {
        let standIn = try Self.standIn { request in
            request.target.contains("/dav/versions/") || request.target.contains("/dav/trashbin/")
                ? [.answer(status)] : nil
        }
        let file = try await standIn.store.put(data("one"), at: path("/a.txt"), mode: .add)
        #expect(try await standIn.store.revisionStore == nil)
        #expect(try await standIn.store.trashStore == nil)
        #expect(standIn.store.isKnownToKeepDeletedFiles == false)
        // Asked once.
        let count = standIn.requests.count
        _ = try await standIn.store.trashStore
        #expect(standIn.requests.count == count)
        let history = try await standIn.store.revisions(of: path("/a.txt"), limit: 10)
        #expect(history.revisions.map(\.revision) == [file.revision])
        try await standIn.store.delete(path("/a.txt"))
        await expectFailure(.notFound) {
            _ = try await standIn.store.revisions(of: path("/a.txt"), limit: 10)
        }
    }

    @Test func oneAppMayBeOnAlone() async throws {
        let versions = try Self.standIn(apps: [.versions])
        #expect(try await versions.store.revisionStore != nil)
        #expect(try await versions.store.trashStore == nil)
        let trash = try Self.standIn(apps: [.trash])
        #expect(try await trash.store.revisionStore == nil)
        #expect(try await trash.store.trashStore != nil)
    }

    @Test func aServerThatDoesNotAnswerIsNotTakenForOneWithoutApps() async throws {
        let isDown = Mutex(true)
        let standIn = try Self.standIn { request in
            request.target.contains("/dav/trashbin/") && isDown.withLock { $0 }
                ? [.answer("403 Forbidden")] : nil
        }
        #expect(standIn.store.isKnownToKeepDeletedFiles == nil)
        await expectFailure(.forbidden) { _ = try await standIn.store.trashStore }
        isDown.withLock { $0 = false }
        #expect(try await standIn.store.trashStore != nil)
    }

    @Test func anAnswerCountsForAWhile() async throws {
        let lead = Mutex(0.0)
        let now = Date()
        let standIn = try Self.standIn(
            configure: { $0.clock.date = { now + lead.withLock { $0 } } })
        _ = try await standIn.store.trashStore
        let count = standIn.requests.count
        lead.withLock { $0 = 299 }
        _ = try await standIn.store.trashStore
        #expect(standIn.requests.count == count)
        lead.withLock { $0 = 301 }
        _ = try await standIn.store.trashStore
        #expect(standIn.requests.count == count + 1)
    }

    @Test func otherServersAreNotAsked() async throws {
        let standIn = try WebDAVStandIn()
        #expect(try await standIn.store.revisionStore == nil)
        #expect(try await standIn.store.trashStore == nil)
        #expect(standIn.store.isKnownToKeepDeletedFiles == false)
        #expect(standIn.requests.isEmpty)
    }

    @Test(arguments: [
        "/remote.php/webdav/Club", "/remote.php/dav/files/ann", "/x/remote.php/dav/files/ann/A/B",
    ])
    func addressesAreThoseOfTheUser(_ base: String) async throws {
        let targets = Mutex<[String]>([])
        let standIn = try Self.standIn(base: base) { request in
            guard request.target.contains("/trashbin/") else { return nil }
            targets.withLock { $0.append(request.target) }
            return nil
        }
        _ = try await standIn.store.trashStore
        let prefix = base.prefix(
            upTo: base.firstRange(of: "/remote.php")?.lowerBound ?? base.startIndex)
        #expect(targets.withLock { $0 } == [prefix + "/remote.php/dav/trashbin/ann/trash/"])
    }

    @Test func revisionsAreReadAsTheyWereWritten() throws {
        let states: [NextcloudRevision] = [
            .version(fileID: "12", name: "1600000001"), .deleted(name: "a b.txt.d1"),
            .deleted(name: "100% ⚡️/".replacingOccurrences(of: "/", with: "")),
            .deleted(name: "line\nfeed"),
        ]
        for state in states {
            #expect(NextcloudRevision(state.revision) == state)
            #expect(state.revision.rawValue.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(!state.revision.isEntityTag)
        }
        for other in ["\"tag\"", "", "version", "version/1", "version/1/", "trash/a/b", "1-2"] {
            #expect(NextcloudRevision(Revision(rawValue: other)) == nil)
        }
    }
}
