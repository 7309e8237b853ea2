import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Who decides about a server, and the result.
@Suite(.timeLimit(.minutes(2)), .enabled(if: OpenSSLCommand.isInstalled))
struct TrustTests {
    private let shop: CertificateShop
    private let own: CertificateShop.Item

    init() throws {
        shop = try CertificateShop()
        own = try shop.make()
    }

    private static let acceptance: @Sendable () -> ChallengeBook = { .acceptingAll() }

    // MARK: - Dispositions

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func aDelegateCanAccept(version: String) async throws {
        let host = try TLSHost(own, [version])
        let book = Self.acceptance()
        let (body, response) = try await makeSession(ChallengeDelegate(book)).data(from: host.url())
        #expect(status(response) == 200)
        #expect(body == Data("in".utf8))
        #expect(book.methods == ["session"])
        let challenge = try #require(book.challenges.first)
        let space = challenge.protectionSpace
        #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
        #expect(space.host == "localhost")
        #expect(space.port == host.port)
        #expect(space.protocol == NSURLProtectionSpaceHTTPS)
        #expect(challenge.previousFailureCount == 0)
        #expect((challenge.error as? URLError)?.code == .serverCertificateUntrusted)
        let trust = try #require(space.serverTrust)
        #expect((challenge.error as? URLError)?.failureURLPeerTrust == trust)
        #expect(!trust.isTrusted)
        #expect(trust.certificates.map(\.subject) == ["CN=localhost"])
        #expect(trust.certificates.first?.hosts == ["localhost"])
    }

    @Test(arguments: [false, true])
    func onlyResponsesOfServersThatTheSystemTrustsAreCached(isTrusted: Bool) async throws {
        let host = try TLSHost(own, fields: ["Cache-Control: max-age=6000"])
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        let session = makeSession(ChallengeDelegate(Self.acceptance())) {
            $0.urlCache = cache
            if isTrusted { $0.certificateAuthoritiesFile = own.file }
        }
        let request = URLRequest(url: host.url())
        _ = try await session.data(for: request)
        await session.flush()
        await withCheckedContinuation { continuation in
            cache.queue.async { continuation.resume() }
        }
        #expect((cache.cachedResponse(for: request) != nil) == isTrusted)
    }

    /// A resumed handshake has no certificates, but its TLS session tells whether the system has verified them.
    @Test(arguments: [false, true])
    func soAreThoseAfterAResumedHandshake(isTrusted: Bool) async throws {
        let host = try TLSHost(own, fields: ["Cache-Control: max-age=6000", "Connection: close"])
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        let book = Self.acceptance()
        let session = makeSession(ChallengeDelegate(book)) {
            $0.urlCache = cache
            if isTrusted { $0.certificateAuthoritiesFile = own.file }
        }
        // All sessions share the TLS sessions that libcurl keeps, which are few: other tests may take their place.
        var paths: [String] = []
        while !host.transcript.contains("Reused session-id"), paths.count < 50 {
            paths.append("/\(paths.count)")
            _ = try await session.data(from: host.url(paths[paths.count - 1]))
        }
        #expect(host.transcript.contains("Reused session-id"))
        #expect(book.challenges.count < paths.count)
        await session.flush()
        let last = URLRequest(url: host.url(try #require(paths.last)))
        #expect((cache.cachedResponse(for: last) != nil) == isTrusted)
    }

    @Test func withoutTheSessionsMethodTheTasksIsAsked() async throws {
        let host = try TLSHost(own)
        let book = Self.acceptance()
        let session = makeSession(TaskChallengeDelegate(book))
        #expect(status(try await session.data(from: host.url()).1) == 200)
        #expect(book.methods == ["task"])
    }

    @Test func aTasksOwnDelegateIsAskedToo() async throws {
        let host = try TLSHost(own)
        let book = Self.acceptance()
        let (_, response) = try await makeSession().data(
            for: URLRequest(url: host.url()), delegate: TaskChallengeDelegate(book))
        #expect(status(response) == 200)
        #expect(book.methods == ["task"])
    }

    @Test func defaultHandlingIsTheSystemsVerdict() async throws {
        let host = try TLSHost(own)
        let book = ChallengeBook { _ in (.performDefaultHandling, nil) }
        let strict = makeSession(ChallengeDelegate(book))
        await expect(.serverCertificateUntrusted, strict, host.url())
        #expect(book.challenges.count == 1)
        let silent = makeSession(SilentDelegate())
        await expect(.serverCertificateUntrusted, silent, host.url())
        #expect(host.requestCount == 0)
        let item = own
        let trusting = makeSession(ChallengeDelegate(book)) {
            $0.certificateAuthoritiesFile = item.file
        }
        #expect(status(try await trusting.data(from: host.url()).1) == 200)
        #expect(book.challenges.last?.error == nil)
        #expect(book.challenges.last?.protectionSpace.serverTrust?.isTrusted == true)
    }

    @Test func cancelAndReject() async throws {
        let host = try TLSHost(own)
        let item = own
        for (disposition, code) in [
            (URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge, URLError.cancelled),
            (.rejectProtectionSpace, .serverCertificateUntrusted),
        ] {
            let book = ChallengeBook { _ in (disposition, nil) }
            let session = makeSession(ChallengeDelegate(book)) {
                $0.certificateAuthoritiesFile = item.file
            }
            await expect(code, session, host.url())
        }
        #expect(host.requestCount == 0)
    }

    @Test func aCredentialForAnotherServerIsNoTrust() async throws {
        let other = ServerTrust(
            host: "localhost", chain: [Sample.der], verificationResult: 0)
        let host = try TLSHost(own)
        let book = ChallengeBook { _ in (.useCredential, URLCredential(trust: other)) }
        await expect(
            .serverCertificateUntrusted, makeSession(ChallengeDelegate(book)), host.url())
        #expect(host.requestCount == 0)
    }

    // MARK: - Pinning

    @Test func pinsAKey() async throws {
        let host = try TLSHost(own)
        let seen = Self.acceptance()
        _ = try await makeSession(ChallengeDelegate(seen)).data(from: host.url())
        let certificate = try #require(
            seen.challenges.first?.protectionSpace.serverTrust?.certificates.first)
        let pin = { (key: Data) in
            ChallengeBook { challenge in
                guard let trust = challenge.protectionSpace.serverTrust,
                    trust.certificates.first?.publicKeySHA256 == key
                else { return (.cancelAuthenticationChallenge, nil) }
                return (.useCredential, URLCredential(trust: trust))
            }
        }
        // A host serves one connection at a time, and the first session keeps its own.
        let second = try TLSHost(own)
        let right = makeSession(ChallengeDelegate(pin(certificate.publicKeySHA256)))
        #expect(status(try await right.data(from: second.url()).1) == 200)
        let third = try TLSHost(own)
        let wrong = makeSession(ChallengeDelegate(pin(certificate.sha256)))
        await expect(.cancelled, wrong, third.url())
        #expect(third.requestCount == 0)
    }

    /// The chain as it was built, up to the authority.
    @Test func tellsTheWholeChain() async throws {
        let authority = try shop.make("Root", isAuthority: true)
        let leaf = try shop.make(by: authority)
        let host = try TLSHost(leaf)
        let book = ChallengeBook { _ in (.performDefaultHandling, nil) }
        let session = makeSession(ChallengeDelegate(book)) {
            $0.certificateAuthoritiesFile = authority.file
        }
        #expect(status(try await session.data(from: host.url()).1) == 200)
        let trust = book.challenges.first?.protectionSpace.serverTrust
        #expect(trust?.certificates.map(\.subject) == ["CN=localhost", "CN=Root"])
    }

    // MARK: - Connections

    @Test func aReusedConnectionIsNotAskedAboutAgain() async throws {
        let host = try TLSHost(own)
        let book = Self.acceptance()
        let session = makeSession(ChallengeDelegate(book))
        for _ in 0..<3 { #expect(status(try await session.data(from: host.url()).1) == 200) }
        #expect(book.challenges.count == 1)
    }

    @Test func whatOneSessionTrustsIsNotForAnother() async throws {
        let host = try TLSHost(own)
        let accepting = makeSession(ChallengeDelegate(Self.acceptance()))
        #expect(status(try await accepting.data(from: host.url()).1) == 200)
        // The host serves one connection at a time: it is free again with the end of the first.
        let others = [
            makeSession(SilentDelegate()), makeSession(),
            makeSession(ChallengeDelegate(ChallengeBook { _ in (.performDefaultHandling, nil) })),
        ]
        let second = try TLSHost(own)
        for session in others {
            await expect(.serverCertificateUntrusted, session, second.url())
        }
        #expect(status(try await accepting.data(from: second.url()).1) == 200)
        let counts = (host.requestCount, second.requestCount)
        for session in others {
            // Not over the accepted connection, which is kept open.
            var request = URLRequest(url: second.url())
            request.timeoutInterval = 0.5
            await #expect(throws: (any Error).self) { try await session.data(for: request) }
        }
        #expect((host.requestCount, second.requestCount) == counts)
    }

    @Test func whatATasksDelegateAcceptsIsNotForOtherTasks() async throws {
        let host = try TLSHost(own)
        let session = makeSession()
        let accepting = TaskChallengeDelegate(Self.acceptance())
        for _ in 0..<2 {
            let (_, response) = try await session.data(
                for: URLRequest(url: host.url()), delegate: accepting)
            #expect(status(response) == 200)
        }
        #expect(accepting.book.challenges.count == 2)
        let strict = TaskChallengeDelegate(ChallengeBook { _ in (.performDefaultHandling, nil) })
        await #expect {
            try await session.data(for: URLRequest(url: host.url()), delegate: strict)
        } throws: { ($0 as? URLError)?.code == .serverCertificateUntrusted }
        #expect(strict.book.challenges.count == 1)
    }

    // MARK: - While it is asked

    /// A second is all there is: while it is asked longer than that, no timer of the engine may run, nor
    /// libcurl's own timeout end.
    @Test func noTimerRunsAndNothingLeavesWhileItIsAsked() async throws {
        let host = try TLSHost(own)
        let (turns, proceed) = (Signal(), DispatchSemaphore(value: 0))
        let book = ChallengeBook { challenge in
            turns.add()
            proceed.wait()
            return (
                .useCredential,
                challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:))
            )
        }
        defer { proceed.signal() }
        let session = makeSession(ChallengeDelegate(book)) { $0.timeoutIntervalForRequest = 1 }
        let codes = Mutex<[Int]>([])
        var task: URLSessionDataTask
        // A machine that is too busy to come to the question within the second begins again.
        repeat {
            let count = turns.count
            task = session.dataTask(with: host.url()) { _, response, _ in
                codes.withLock { $0.append((response as? HTTPURLResponse)?.statusCode ?? 0) }
                turns.add()
            }
            task.resume()
            await turns.wait(for: count + 1)
        } while book.challenges.isEmpty
        // Another task ends at the same time limit, so this one's has passed as well.
        let stalling = try LoopbackServer(scripts: [[.readHead, .stall]])
        let other = makeSession { $0.timeoutIntervalForRequest = 1 }
        await #expect {
            try await other.data(from: stalling.url())
        } throws: { ($0 as? URLError)?.code == .timedOut }
        let facts = await engineFacts(of: task)
        #expect(facts?.isAsking == true)
        #expect(facts?.requestDeadline == nil)
        #expect(host.requestCount == 0)
        // What comes after it may take as long as it likes.
        let asked = ObjectIdentifier(task)
        Engine.shared.thread.submit {
            $0.transfers[asked]?.timers.request = Countdown(seconds: 600)
        }
        let count = turns.count
        proceed.signal()
        await turns.wait(for: count + 1)
        #expect(codes.withLock { $0.last } == 200)
        #expect(book.challenges.count == 1)
        #expect(host.requestCount == 1)
    }

    /// A socket that takes no bytes is ready for them all the time.
    @Test func nothingSpinsWhileItIsAsked() async throws {
        let host = try TLSHost(own)
        let (asked, proceed) = (Signal(), DispatchSemaphore(value: 0))
        let book = ChallengeBook { challenge in
            asked.add()
            proceed.wait()
            return (
                .useCredential,
                challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:))
            )
        }
        let session = makeSession(ChallengeDelegate(book))
        let done = Signal()
        session.dataTask(with: host.url(host: "localhost", "/spin")) { _, response, _ in
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            done.add()
        }.resume()
        await asked.wait()
        try await RequestsAside().run(50)
        let count = await withCheckedContinuation { continuation in
            Engine.shared.thread.submit { engine in
                let transfer = engine.transfers.values.first {
                    $0.request.url == host.url(host: "localhost", "/spin")
                }
                continuation.resume(returning: transfer?.attempt.tls.handshake?.blockedCount ?? 0)
            }
        }
        #expect((1...3).contains(count))
        proceed.signal()
        await done.wait()
    }

    @Test func aServerThatWasTiredOfWaitingIsMetAgain() async throws {
        let host = Box(try TLSHost(own))
        let item = own
        let url = host.value.url()
        let book = ChallengeBook { challenge in
            host.value.stop()
            host.value = (try? TLSHost(item, at: host.value.place)) ?? host.value
            return (
                .useCredential,
                challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:))
            )
        }
        let session = makeSession(ChallengeDelegate(book))
        #expect(status(try await session.data(from: url).1) == 200)
        #expect(book.challenges.count == 1)
    }

    @Test func cancelledWhileItIsAsked() async throws {
        let host = try TLSHost(own)
        let (asked, proceed, done) = (Signal(), DispatchSemaphore(value: 0), Signal())
        let book = ChallengeBook { _ in
            asked.add()
            proceed.wait()
            return (.performDefaultHandling, nil)
        }
        let session = makeSession(ChallengeDelegate(book))
        let task = session.dataTask(with: host.url()) { _, _, error in
            #expect((error as? URLError)?.code == .cancelled)
            done.add()
        }
        task.resume()
        await asked.wait()
        task.cancel()
        proceed.signal()
        await done.wait()
    }

    @Test func suspendedWhileItIsAsked() async throws {
        let host = try TLSHost(own)
        let (asked, proceed, done) = (Signal(), DispatchSemaphore(value: 0), Signal())
        let book = ChallengeBook { challenge in
            asked.add()
            proceed.wait()
            return (
                .useCredential,
                challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:))
            )
        }
        let session = makeSession(ChallengeDelegate(book))
        let task = session.dataTask(with: host.url()) { _, response, error in
            #expect(error == nil)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            done.add()
        }
        task.resume()
        await asked.wait()
        task.suspend()
        proceed.signal()
        await drain(session.delegateQueue)
        await engineIsDone()
        #expect(done.count == 0)
        #expect(host.requestCount == 0)
        task.resume()
        await done.wait()
        #expect(book.challenges.count == 1)
    }

    @Test func aHeldSocketIsNotWatched() throws {
        let easy = try #require(EasyHandle())
        let other = try #require(EasyHandle())
        var sockets = HandshakeSockets()
        sockets.begin(easy)
        let before = [sockets.note(easy.raw, 7, 1), sockets.note(other.raw, 8, 1)]
        #expect(before == [.allowed, .allowed])
        let held = sockets.pause(easy)
        #expect(held == [7])
        let during = [sockets.note(easy.raw, 7, 2), sockets.note(other.raw, 8, 2)]
        #expect(during == [.paused, .allowed])
        let freed = sockets.resume(easy)
        #expect(freed == [7: 2])
        let after = [sockets.note(easy.raw, 7, 1), sockets.note(easy.raw, 7, 4)]
        #expect(after == [.allowed, .allowed])
        #expect(sockets.sockets(of: easy) == [])
    }

    @Test func anotherSpellingIsTheSameFileAndNoOthers() throws {
        let path = own.certificate
        let names = (0..<200).map { CertificateAuthorities.spelling(of: path, number: $0) }
        #expect(Set(names + [path]).count == 201)
        for name in [names[0], names[77], names[199]] {
            #expect(FileManager.default.contents(atPath: name) != nil)
        }
    }

    // MARK: -

    private func expect(_ code: URLError.Code, _ session: URLSession, _ url: URL) async {
        await #expect { try await session.data(from: url) } throws: { error in
            #expect((error as? URLError)?.code == code, "\(error)")
            #expect((error as? URLError)?.failingURL == url)
            return true
        }
    }
}

/// A value that one thread after another uses.
private final class Box<Value>: @unchecked Sendable {
    // Unchecked because the test that waits for the session's end does not touch it before.
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
