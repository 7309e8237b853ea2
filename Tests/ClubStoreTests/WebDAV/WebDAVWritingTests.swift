import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// The requests of a write, and its result with concurrent writers.
@Suite struct WebDAVWritingTests {
    @Test func whatTheServerCanDoIsTriedOutOnce() async throws {
        let home = try TemporaryFolder()
        let file = home.url.appending(path: "clubs/work/abilities.json")
        let standIn = try WebDAVStandIn { $0.capabilitiesFile = file }
        #expect(standIn.store.writeProtection == nil)
        _ = try await standIn.store.put(data("x"), at: path("/a"), mode: .add)
        #expect(
            standIn.newCalls().map { String($0.prefix(while: { $0 != " " })) }
                == [
                    "PUT", "PUT", "PUT", "PROPFIND", "PUT", "PUT", "PUT", "DELETE", "PUT",
                    "PROPFIND",
                ])
        #expect(standIn.store.writeProtection == .byServer)
        #expect(standIn.paths == ["/a"])
        _ = try await standIn.store.put(data("x"), at: path("/b"), mode: .add)
        #expect(standIn.newCalls() == ["PUT /b", "PROPFIND /b"])
        // The next run of the program knows the capabilities.
        var configuration = standIn.store.configuration
        configuration.capabilitiesFile = file
        let next = try WebDAVStore(configuration)
        #expect(next.writeProtection == .byServer)
    }

    /// Only a sign-in makes a club's folder: what a write would make in place of a lost one is another, empty club.
    @Test(arguments: [false, true])
    func noWriteMakesALostClub(isProbed: Bool) async throws {
        let standIn = try WebDAVStandIn(.init(base: "/dav/club")) { $0.limits.directByteCount = 8 }
        standIn.state.withLock { $0.nodes["/dav"] = .folder }
        let store = standIn.store
        if isProbed { _ = try await store.put(data("1st"), at: path("/first"), mode: .add) }
        standIn.uproot("")
        let home = try TemporaryFolder()
        let large = try home.write(data("more than eight"), to: "large")
        let writes: [() async throws -> Void] = [
            { _ = try await store.put(data("x"), at: path("/a"), mode: .create) },
            { _ = try await store.put(data("x"), at: path("/f/g/a"), mode: .add) },
            { _ = try await Recorder.upload(large, to: path("/large"), in: store) },
            { _ = try await Recorder.upload(large, to: path("/f/large"), in: store) },
            { try await store.createFolder(path("/new")) },
            { try await store.createFolder(path("/f/new")) },
        ]
        for (index, write) in writes.enumerated() {
            let error = await failure { try await write() }
            #expect(error?.code == .notFound, "\(index)")
            #expect(error?.path == .root, "\(index)")
        }
        #expect(standIn.state.withLock { $0.nodes.keys.sorted() } == ["/dav"])
        try await store.makeRoot()
        _ = try await store.put(data("x"), at: path("/f/a"), mode: .add)
        #expect(standIn.contents(of: "/f/a") == "x")
    }

    @Test func aPageOfTheNetworkTellsNothingOfTheServer() async throws {
        let isThere = Mutex(true)
        let standIn = try WebDAVStandIn(
            .init(interception: { _ in
                isThere.withLock { $0 }
                    ? [.answer("200 OK", ["Content-Type: text/html"], body: "<html/>")] : nil
            }))
        await expectFailure(.badAnswer) {
            _ = try await standIn.store.put(data("x"), at: path("/a"), mode: .add)
        }
        #expect(standIn.store.writeProtection == nil)
        isThere.withLock { $0 = false }
        _ = try await standIn.store.put(data("x"), at: path("/a"), mode: .add)
        #expect(standIn.store.writeProtection == .byServer)
    }

    @Test func aServerThatMindsNoConditionsIsKnownAsSuch() async throws {
        let standIn = try await WebDAVStandIn.probed(.init(honorsConditions: false))
        #expect(standIn.store.writeProtection == .byCheckingFirst)
        let file = try await standIn.store.put(data("mine"), at: path("/a"), mode: .add)
        standIn.plant("theirs", at: "/a")
        _ = standIn.newCalls()
        let error = await failure {
            _ = try await standIn.store.put(
                data("mine 2"), at: path("/a"), mode: .update(file.revision))
        }
        let theirs = try await standIn.store.metadata(of: path("/a"))
        #expect(error?.code == .conflict(serverRevision: theirs.revision))
        #expect(standIn.contents(of: "/a") == "theirs")
        #expect(!standIn.newCalls().contains("PUT /a"))
    }

    @Test func anUpdateSaysWhatItReplaces() async throws {
        let standIn = try await WebDAVStandIn.probed()
        let file = try await standIn.store.put(data("one"), at: path("/a"), mode: .add)
        _ = try await standIn.store.put(
            data("two"), at: path("/a"), mode: .update(file.revision))
        let puts = standIn.requests.filter { $0.method == "PUT" && $0.target == "/dav/a" }
        #expect(puts.map { $0["If-None-Match"] } == ["*", nil])
        #expect(puts.map { $0["If-Match"] } == [nil, file.revision.rawValue])
        #expect(puts.allSatisfy { $0["Content-Length"] == "3" && $0["Expect"] == nil })
    }

    @Test func aTextThatIsNotChangedIsNotSent() async throws {
        let standIn = try await WebDAVStandIn.probed()
        let file = try await standIn.store.put(data("one"), at: path("/a"), mode: .add)
        _ = standIn.newCalls()
        let again = try await standIn.store.put(
            data("one"), at: path("/a"), mode: .update(file.revision))
        #expect(again == file)
        #expect(standIn.newCalls() == ["PROPFIND /a"])
    }

    @Test func aServerThatRefusesEachConditionIsNotAskedForEver() async throws {
        let standIn = try await WebDAVStandIn.probed(.init(refusesIfMatch: true, honorsIf: false))
        standIn.plant("one", at: "/a")
        let file = try await standIn.store.fetch(path("/a")).file
        _ = standIn.newCalls()
        _ = try await standIn.store.put(data("two"), at: path("/a"), mode: .update(file.revision))
        // Without a condition only after its bytes were read.
        #expect(
            standIn.newCalls() == [
                "PUT /a", "PROPFIND /a", "PROPFIND /a", "GET /a", "PUT /a", "PROPFIND /a",
            ])
        #expect(standIn.contents(of: "/a") == "two")
    }

    @Test func aWeakTagIsNoExcuse() async throws {
        let standIn = try await WebDAVStandIn.probed(.init(tags: .weak))
        standIn.plant("one", at: "/a")
        let file = try await standIn.store.metadata(of: path("/a"))
        _ = try await standIn.store.put(data("two"), at: path("/a"), mode: .update(file.revision))
        let put = try #require(standIn.requests.last { $0.method == "PUT" })
        #expect(put["If"]?.hasSuffix("/dav/a> ([\(file.revision.rawValue)])") == true)
        standIn.plant("theirs", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("three"), at: path("/a"), mode: .update(file.revision))
        }
        #expect(standIn.contents(of: "/a") == "theirs")
    }

    @Test func anotherTextOfTheSameSecondAndLengthIsNoticed() async throws {
        let standIn = try await WebDAVStandIn.probed(.init(tags: .coarse)) {
            $0.clock.date = { Date(timeIntervalSince1970: 1_600_000_001) }
        }
        let file = try await standIn.store.put(data("mine"), at: path("/a"), mode: .add)
        standIn.plant("hers", at: "/a")
        #expect(try await standIn.store.metadata(of: path("/a")).revision == file.revision)
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("mine 2"), at: path("/a"), mode: .update(file.revision))
        }
        #expect(standIn.contents(of: "/a") == "hers")
    }

    @Test func aWriteThatWouldNotShowIsWrittenOnceMoreASecondLater() async throws {
        let standIn = try await WebDAVStandIn.probed(.init(tags: .coarse))
        let file = try await standIn.store.put(data("one"), at: path("/a"), mode: .add)
        _ = try await standIn.store.put(data("two"), at: path("/a"), mode: .update(file.revision))
        #expect(standIn.waits == [.milliseconds(1100)])
        #expect(standIn.contents(of: "/a") == "two")
    }

    @Test func anAnswerThatWasLostIsNoConflict() async throws {
        let hasBroken = Mutex(false)
        let standIn = Mutex<WebDAVStandIn?>(nil)
        let made = try await WebDAVStandIn.probed(
            .init(interception: { request in
                guard request.method == "PUT", request.target == "/dav/a",
                    hasBroken.withLock({ broken in
                        defer { broken = true }
                        return !broken
                    })
                else { return nil }
                standIn.withLock { $0?.plant(request.text, at: "/a") }
                return [.close]
            }))
        standIn.withLock { $0 = made }
        let file = try await made.store.put(data("mine"), at: path("/a"), mode: .add)
        #expect(file.byteCount == 4)
        #expect(made.contents(of: "/a") == "mine")
        standIn.withLock { $0 = nil }
    }

    @Test func aLargeFileGoesUnderAnotherNameFirst() async throws {
        let standIn = try await WebDAVStandIn.probed { $0.limits.directByteCount = 4 }
        let file = try await standIn.store.put(data("12345"), at: path("/f/a"), mode: .add)
        #expect(file.byteCount == 5)
        let move = try #require(standIn.requests.last { $0.method == "MOVE" })
        #expect(move["Overwrite"] == "F")
        #expect(move["Destination"] == standIn.server.url("/dav/f/a").absoluteString)
        _ = standIn.newCalls()
        _ = try await standIn.store.put(
            data("67890"), at: path("/f/a"), mode: .update(file.revision))
        #expect(
            standIn.newCalls().map { String($0.prefix(while: { $0 != " " })) }
                == ["PROPFIND", "PUT", "PROPFIND", "PROPFIND", "MOVE", "PROPFIND"])
        #expect(standIn.contents(of: "/f/a") == "67890")
        #expect(standIn.paths == ["/f", "/f/a", "/first"])
    }

    /// As Apache, which answers 500 to a move into a folder that is missing.
    @Test func aMoveIntoANewFolderMakesItFirst() async throws {
        let standIn = try await WebDAVStandIn.probed()
        _ = try await standIn.store.move(path("/first"), to: path("/f/g/first"))
        #expect(standIn.contents(of: "/f/g/first") == "1st")
        let calls = standIn.newCalls().map { $0.prefix { $0 != " " } }
        let (made, moved) = (calls.lastIndex(of: "MKCOL"), calls.firstIndex(of: "MOVE"))
        #expect(try #require(made) < #require(moved))
        #expect(calls.count { $0 == "MOVE" } == 1)
    }

    @Test func whatDoesNotArriveLeavesNothingBehind() async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(interception: { request in
                request.method == "MOVE" ? [.answer("507 Insufficient Storage")] : nil
            })
        ) { $0.limits.directByteCount = 4 }
        standIn.plant("old", at: "/a")
        await expectFailure(.overQuota) {
            _ = try await standIn.store.put(data("12345"), at: path("/a"), mode: .overwrite)
        }
        #expect(standIn.contents(of: "/a") == "old")
        #expect(standIn.paths == ["/a", "/first"])
    }
}
