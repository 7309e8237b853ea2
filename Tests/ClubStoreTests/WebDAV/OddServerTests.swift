import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// The errors for nonconforming servers.
@Suite struct OddServerTests {
    /// “Not available” would be wrong: the server is there.
    @Test func tellsThatAFileIsLocked() async throws {
        let left = Mutex(2)
        let standIn = try store { request in
            guard request.method == "GET" else { return nil }
            let isLocked = left.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            return isLocked ? [.answer("423 Locked")] : nil
        }
        standIn.plant("words", at: "/a")
        let reasons = Mutex<[RetryNotice.Reason]>([])
        let note = try await RetryNotice.$observer.withValue({ notice in
            if case .silent = notice.reason { return }
            reasons.withLock { $0.append(notice.reason) }
        }) {
            try await standIn.store.fetch(path("/a"))
        }
        #expect(note.data == data("words"))
        #expect(reasons.withLock { $0 } == [.locked, .locked])
    }

    /// gzip of "words, words, words, words\n".
    private static let zipped: [UInt8] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x2b, 0xcf, 0x2f, 0x4a, 0x29, 0xd6, 0x51, 0x28, 0xc7,
        0xa4, 0xb8, 0, 0xa4, 0xd1, 0x1a, 0xa6, 0x1b, 0, 0, 0,
    ]

    @Test func whatIsCompressedUnaskedIsReadAllTheSame() async throws {
        let standIn = try store { request in
            guard request.method == "GET" else { return nil }
            return [
                .answer("200 OK", ["ETag: \"v1\"", "Content-Encoding: gzip"], body: Self.zipped)
            ]
        }
        standIn.plant("words, words, words, words\n", at: "/a")
        let note = try await standIn.store.fetch(path("/a"))
        #expect(note.data == data("words, words, words, words\n"))
    }

    /// Some servers say of it what they say of a file that they compress.
    @Test func aFileThatIsCompressedItselfStaysAsItIs() async throws {
        let standIn = try store { request in
            guard request.method == "GET" else { return nil }
            return [
                .answer("200 OK", ["ETag: \"v1\"", "Content-Encoding: gzip"], body: Self.zipped)
            ]
        }
        standIn.plant(Self.zipped, at: "/a.gz")
        #expect(try await standIn.store.fetch(path("/a.gz")).data == Data(Self.zipped))
        #expect(standIn.requests.count { $0.method == "GET" } == 1)
    }

    @Test(arguments: [WebDAVStandIn.Manners.Tags.strong, .none])
    func aServerThatListsNoLengths(tags: WebDAVStandIn.Manners.Tags) async throws {
        let standIn = try WebDAVStandIn(.init(tags: tags, tellsLengths: false))
        standIn.plant("words", at: "/a")
        #expect(try await standIn.store.list(.root).files.map(\.byteCount) == [5])
        #expect(try await standIn.store.fetch(path("/a")).data == data("words"))
        let saved = try await standIn.store.put(data("more words"), at: path("/b"), mode: .create)
        #expect(saved.byteCount == 10)
        let edited = try await standIn.store.put(
            data("other words"), at: path("/b"), mode: .update(saved.revision))
        #expect(edited.byteCount == 11)
        #expect(standIn.contents(of: "/b") == "other words")
        // Without a tag, a fresh file may have changed.
        guard tags == .strong else { return }
        _ = try await standIn.store.list(.root)
        let count = standIn.requests.count { $0.method == "HEAD" }
        _ = try await standIn.store.list(.root)
        #expect(standIn.requests.count { $0.method == "HEAD" } == count)
    }

    @Test(arguments: [true, false])
    func namesThatBeginWithADotMayBeLeftOut(areListed: Bool) async throws {
        let standIn = try WebDAVStandIn(.init(listsHiddenNames: areListed))
        #expect(await standIn.store.probeHiddenNames() == (areListed ? .listed : .leftOut))
        #expect(standIn.paths == [])
        let count = standIn.requests.count
        #expect(await standIn.store.probeHiddenNames() == (areListed ? .listed : .leftOut))
        #expect(standIn.requests.count == count)
    }

    private func store(
        _ answer: @escaping @Sendable (LoopbackRequest) -> [LoopbackStep]?
    ) throws -> WebDAVStandIn {
        try WebDAVStandIn(WebDAVStandIn.Manners(interception: { answer($0) }))
    }

    @Test(arguments: [
        "<html><body>Please accept our terms</body></html>", "", "{}",
        "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href></D:resp",
        "<D:multistatus xmlns:D=\"DAV:\"></D:multistatus>",
        "<!DOCTYPE m [<!ENTITY a \"b\">]><D:multistatus xmlns:D=\"DAV:\">&a;</D:multistatus>",
        "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/else/a</D:href></D:response>"
            + "<D:response><D:href>/where/b/c</D:href></D:response></D:multistatus>",
    ])
    func noMultistatusIsABadAnswer(_ body: String) async throws {
        for status in ["207 Multi-Status", "200 OK"] {
            let standIn = try store { _ in
                [.answer(status, ["Content-Type: text/html"], body: body)]
            }
            await expectFailure(.badAnswer) { _ = try await standIn.store.list(.root) }
            await expectFailure(.badAnswer) { _ = try await standIn.store.account() }
        }
    }

    @Test(arguments: [
        // With a length, chunked, and until the connection closes.
        ("Content-Length: 1000\r\n\r\n", StoreError.Code.offline),
        ("Transfer-Encoding: chunked\r\n\r\n400\r\n", .offline), ("\r\n", .badAnswer),
    ])
    func aMultistatusCutInTheMiddleIsNoListing(_ head: String, _ code: StoreError.Code) async throws
    {
        let half =
            "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href></D:response>"
            + "<D:response><D:href>/dav/a</D:href></D:response>"
        let standIn = try store { _ in
            [.send("HTTP/1.1 207 Multi-Status\r\n" + head + half), .close]
        }
        await expectFailure(code) { _ = try await standIn.store.list(.root) }
    }

    @Test func aHundredMegabytesAreNoListing() async throws {
        let standIn = try store { _ in
            let end = "--></D:multistatus>"
            let begin =
                "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href>"
                + "<D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>"
                + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response><!--"
            let count = 100 << 20
            return [
                .send(
                    "HTTP/1.1 207 Multi-Status\r\n"
                        + "Content-Length: \(begin.utf8.count + count + end.utf8.count)\r\n\r\n"
                        + begin), .fill(UInt8(ascii: "x"), byteCount: count), .send(end),
            ]
        }
        // All of it would have to be in memory.
        await expectFailure(.badAnswer) { _ = try await standIn.store.list(.root) }
        let junk = try store { _ in
            let begin = "<D:multistatus xmlns:D=\"DAV:\"><junk>"
            let count = 100 << 20
            return [
                .send(
                    "HTTP/1.1 207 Multi-Status\r\n"
                        + "Content-Length: \(begin.utf8.count + count)\r\n\r\n" + begin),
                .fill(UInt8(ascii: "x"), byteCount: count),
            ]
        }
        await expectFailure(.badAnswer) { _ = try await junk.store.list(.root) }
    }

    @Test func anotherServerNeverSeesThePassword() async throws {
        let other = try LoopbackServer { _ in [.answer("200 OK", body: "elsewhere")] }
        let target = other.url("/dav/a").absoluteString
        let standIn = try WebDAVStandIn(
            WebDAVStandIn.Manners(interception: { request in
                guard request["Authorization"] != nil else {
                    return [.answer("401 No", [#"WWW-Authenticate: Basic realm="r""#])]
                }
                return request.target.contains("moved")
                    ? [.answer("302 Found", ["Location: \(target)"])] : nil
            }), credentials: .password(user: "ann", password: "secret"))
        for call in [
            { (store: WebDAVStore) in _ = try await store.list(path("/moved")) },
            { _ = try await $0.put(data("x"), at: path("/moved"), mode: .overwrite) },
        ] {
            await expectFailure(.badAnswer) { try await call(standIn.store) }
        }
        #expect(other.requests.isEmpty)
        let shown = standIn.requests.dropFirst()
        #expect(shown.allSatisfy { $0["Authorization"]?.hasPrefix("Basic ") == true })
        // Downloads may be redirected to another server, which gets no credentials.
        for await (_, result) in standIn.store.thumbnails(
            of: [try path("/moved")], size: .w64h64)
        {
            #expect(throws: StoreError.self) { try result.get() }
        }
        #expect(other.requests.count == 1)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test func aRedirectKeepsMethodAndBody() async throws {
        let standIn = try WebDAVStandIn(
            WebDAVStandIn.Manners(interception: { request in
                request.target.hasPrefix("/dav/old")
                    ? [
                        .answer(
                            "301 Moved Permanently",
                            ["Location: " + request.target.replacing("/dav/old", with: "/dav")])
                    ] : nil
            }))
        _ = try await standIn.store.put(data("x"), at: path("/a"), mode: .add)
        _ = standIn.newCalls()
        #expect(try await standIn.store.list(path("/old")).files.map(\.name) == ["a"])
        #expect(standIn.newCalls() == ["PROPFIND /old/", "PROPFIND /"])
    }

    @Test func aLoopOfRedirectsEnds() async throws {
        let standIn = try store { [.answer("302 Found", ["Location: \($0.target)"])] }
        await expectFailure(.badAnswer) { _ = try await standIn.store.list(.root) }
        #expect(standIn.requests.count == 6)
    }

    @Test func aPasswordDoesNotTravelBare() throws {
        let credentials = WebDAVCredentials.password(user: "ann", password: "secret")
        let url = try #require(URL(string: "http://h.example/"))
        let far = try #require(WebDAVAddress(url))
        let signIn = WebDAVAuthenticator(credentials, at: far)
        #expect(signIn.authorization(isSecure: false) == nil)
        #expect(signIn.authorization(isSecure: true) == "Basic YW5uOnNlY3JldA==")
        #expect(!"\(credentials)".contains("secret"))
        #expect(!String(reflecting: credentials).contains("secret"))
    }

    @Test func aServerThatCountsItsChangesIsOnlyAskedForTheCount() async throws {
        let count = Mutex(7)
        // Delays are not real, and no poll times out.
        let standIn = try WebDAVStandIn(
            .init(interception: { request in
                guard request["Depth"] == "0" else { return nil }
                return .multistatus(
                    "<d:response><d:href>/dav/</d:href><d:propstat><d:prop><d:resourcetype>"
                        + "<d:collection/></d:resourcetype><d:sync-token>t:\(count.withLock { $0 })"
                        + "</d:sync-token></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>"
                        + "</d:response>")
            })
        ) {
            $0.limits.shortestInterval = .seconds(500)
            $0.limits.longestInterval = .seconds(5000)
        }
        let cursor = try await standIn.store.list(.root, recursive: true).cursor
        #expect(try await !standIn.store.waitForChanges(after: cursor, atMost: .seconds(1400)))
        #expect(standIn.requests.map { $0["Depth"] } == ["1", "0", "1", "0", "0"])
        #expect(standIn.waits.first == .seconds(500))
        count.withLock { $0 = 8 }
        #expect(try await standIn.store.waitForChanges(after: cursor, atMost: .seconds(1400)))
    }

    @Test func aServersClockNeedNotGoAsOurs() async throws {
        let standIn = try WebDAVStandIn(
            WebDAVStandIn.Manners(interception: { _ in
                [
                    .answer(
                        "503 Service Unavailable",
                        [
                            "Date: Sun, 06 Nov 1994 08:49:30 GMT",
                            "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT",
                        ])
                ]
            }))
        await expectFailure(.serverUnavailable(retryAfter: nil)) {
            _ = try await standIn.store.list(.root)
        }
        #expect(standIn.waits.first == .seconds(7))
    }

    @Test func aServerThatAsksForAPauseGetsIt() async throws {
        let standIn = try WebDAVStandIn(
            WebDAVStandIn.Manners(interception: { request in
                request["Depth"] == "0"
                    ? [.answer("503 Service Unavailable", ["Retry-After: 7"])] : nil
            }))
        await expectFailure(.serverUnavailable(retryAfter: nil)) {
            _ = try await standIn.store.metadata(of: path("/a"))
        }
        #expect(standIn.waits == [.seconds(7), .seconds(7), .seconds(7), .seconds(7)])
    }
}
