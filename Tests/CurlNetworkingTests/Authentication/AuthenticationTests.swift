import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// Basic and Digest over a real connection.
@Suite(.timeLimit(.minutes(1))) struct AuthenticationTests {
    private let ada = URLCredential(user: "ada", password: "pw", persistence: .forSession)

    // MARK: - Dispositions

    /// With FoundationNetworking this task never completes.
    @Test func withoutCredentialsThe401IsTheAnswer() async throws {
        let server = try GuardedServer(.basic)
        let (body, response) = try await makeSession().data(from: server.url)
        #expect(status(response) == 401)
        #expect(body == Data("out".utf8))
        let silent = try await makeSession(SilentDelegate()).data(from: server.url)
        #expect(status(silent.1) == 401)
        #expect(server.log == ["-", "-"])
    }

    @Test(arguments: [
        "MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess",
    ])
    func logsInByDigest(algorithm: String) async throws {
        let server = try GuardedServer(.digest(algorithm))
        let book = ChallengeBook(user: "ada", password: "pw")
        let session = makeSession(TaskChallengeDelegate(book))
        let (body, response) = try await session.data(from: server.url)
        #expect(status(response) == 200)
        #expect(body == Data("in".utf8))
        #expect(server.log == ["-", "ok"])
        let challenge = try #require(book.challenges.first)
        let space = challenge.protectionSpace
        #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest)
        #expect(space.realm == "house")
        #expect(space.host == "127.0.0.1")
        #expect(space.port == Int(server.server.port))
        #expect(challenge.previousFailureCount == 0)
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func logsInByBasicOnTheSameConnection() async throws {
        let server = try GuardedServer(.basic)
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        let (_, response) = try await session.data(from: server.url)
        #expect(status(response) == 200)
        #expect(server.server.connectionCount == 1)
    }

    @Test func handlerTasksAndDelegateTasksAreAskedAlike() async throws {
        let server = try GuardedServer(.basic)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.urlCredentialStorage = nil }
        session.dataTask(with: server.url).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 401", "data", "completed"])

        let book = ChallengeBook(user: "ada", password: "pw", persistence: .none)
        let asked = makeSession(TaskChallengeDelegate(book))
        let done = Signal()
        asked.dataTask(with: server.url) { body, response, error in
            #expect(body == Data("in".utf8))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(error == nil)
            done.add()
        }.resume()
        await done.wait()
        let (file, response) = try await asked.download(from: server.url)
        try FileManager.default.removeItem(at: file)
        #expect(status(response) == 200)
        #expect(book.challenges.count == 2)
    }

    @Test func cancelEndsTheTask() async throws {
        let server = try GuardedServer(.basic)
        let book = ChallengeBook { _ in (.cancelAuthenticationChallenge, nil) }
        await #expect {
            try await makeSession(TaskChallengeDelegate(book)).data(from: server.url)
        } throws: { ($0 as? URLError)?.code == .cancelled }
    }

    @Test func rejectGoesOnToTheNextOffer() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"] == "Basic YWRhOnB3"
                ? [.answer(body: [])]
                : [
                    .answer(
                        "401 No",
                        [
                            "WWW-Authenticate: Basic realm=a", "WWW-Authenticate: Negotiate",
                            "WWW-Authenticate: Digest realm=a, nonce=n, qop=auth",
                        ], body: [])
                ]
        }
        let credential = ada
        let book = ChallengeBook { challenge in
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
                ? (.rejectProtectionSpace, nil) : (.useCredential, credential)
        }
        let session = makeSession(TaskChallengeDelegate(book))
        let (_, response) = try await session.data(from: server.url())
        #expect(status(response) == 200)
        #expect(
            book.challenges.map(\.protectionSpace.authenticationMethod) == [
                NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodHTTPBasic,
            ])
        #expect(server.requests.count == 2)
    }

    @Test func countsFailures() async throws {
        let server = try GuardedServer(.digest("SHA-256"))
        let book = ChallengeBook { challenge in
            let count = challenge.previousFailureCount
            guard count < 3 else { return (.performDefaultHandling, nil) }
            #expect(challenge.proposedCredential?.password == (count == 0 ? nil : "no\(count - 1)"))
            return (
                .useCredential,
                URLCredential(user: "ada", password: "no\(count)", persistence: .forSession)
            )
        }
        let session = makeSession(TaskChallengeDelegate(book))
        let (_, response) = try await session.data(from: server.url)
        #expect(status(response) == 401)
        #expect(book.challenges.map(\.previousFailureCount) == [0, 1, 2, 3])
        #expect(server.log == ["-", "wrong", "wrong", "wrong"])
    }

    @Test func theTasksOwnDelegateIsAskedBeforeTheSessions() async throws {
        let server = try GuardedServer(.basic)
        let own = ChallengeBook(user: "ada", password: "pw", persistence: .none)
        let shared = ChallengeBook(user: "ada", password: "pw", persistence: .none)
        let session = makeSession(TaskChallengeDelegate(shared))
        let (_, response) = try await session.data(
            for: URLRequest(url: server.url), delegate: TaskChallengeDelegate(own))
        #expect(status(response) == 200)
        #expect(own.challenges.count == 1)
        #expect(shared.challenges.isEmpty)
        // One without the method leaves it to the session's.
        let (_, second) = try await session.data(
            for: URLRequest(url: server.url), delegate: SilentDelegate())
        #expect(status(second) == 200)
        #expect(shared.challenges.count == 1)
    }

    @Test func theSessionsMethodIsNotForPasswords() async throws {
        let server = try GuardedServer(.basic)
        let book = ChallengeBook(user: "ada", password: "pw")
        let (_, response) = try await makeSession(ChallengeDelegate(book)).data(from: server.url)
        #expect(status(response) == 200)
        #expect(book.methods == ["task"])
    }

    // MARK: - Where credentials come from

    @Test func aStoredDefaultIsUsedWithoutAsking() async throws {
        let server = try GuardedServer(.digest("MD5"))
        let storage = URLCredentialStorage()
        storage.setDefaultCredential(
            ada,
            for: URLProtectionSpace(
                host: "127.0.0.1", port: Int(server.server.port), protocol: "http", realm: "house",
                authenticationMethod: NSURLAuthenticationMethodHTTPDigest))
        let session = makeSession { $0.urlCredentialStorage = storage }
        let (_, response) = try await session.data(from: server.url)
        #expect(status(response) == 200)
        // A delegate sees it proposed, and its default takes it.
        let credential = ada
        let book = ChallengeBook { challenge in
            #expect(challenge.proposedCredential == credential)
            return (.performDefaultHandling, nil)
        }
        let asked = makeSession(TaskChallengeDelegate(book)) { $0.urlCredentialStorage = storage }
        #expect(status(try await asked.data(from: server.url).1) == 200)
        #expect(book.challenges.count == 1)
    }

    @Test func permanentOnesAreInTheFileForTheNextProgram() async throws {
        let folder = try ScratchFolder()
        let server = try GuardedServer(.basic)
        let file = folder.url(of: "credentials")
        let first = makeSession(
            TaskChallengeDelegate(
                ChallengeBook(user: "ada", password: "pw", persistence: .permanent))
        ) {
            $0.urlCredentialStorage = try? URLCredentialStorage(file: file)
        }
        #expect(status(try await first.data(from: server.url).1) == 200)
        let known = first.configuration.urlCredentialStorage?.allCredentials
        #expect(known?.values.first?["ada"]?.password == "pw")
        await fileQueueIsDone()
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let storage = try URLCredentialStorage(file: file)
        let second = makeSession { $0.urlCredentialStorage = storage }
        #expect(status(try await second.data(from: server.url).1) == 200)
    }

    @Test func aProgramThatExitsRightAfterItsAnswerHasKeptThem() async throws {
        let home = try BackgroundHome()
        let server = try GuardedServer(.basic)
        for number in 0..<12 {
            let file = URL(filePath: home.path(of: "credentials-\(number)"))
            let program = try BackgroundProgram(home)
            program.say("login \(server.url) \(file.path)")
            await program.end()
            let kept = try URLCredentialStorage(file: file).allCredentials
            #expect(kept.values.first?["ada"]?.password == "pw")
        }
    }

    @Test func forSessionMeansLaterTasksAndNoneMeansThisOne() async throws {
        let server = try GuardedServer(.basic)
        let kept = ChallengeBook(user: "ada", password: "pw", persistence: .forSession)
        let session = makeSession(TaskChallengeDelegate(kept))
        for _ in 0..<3 { _ = try await session.data(from: server.url) }
        #expect(kept.challenges.count == 1)
        #expect(server.log == ["-", "ok", "ok", "ok"])
        let forgotten = ChallengeBook(user: "ada", password: "pw", persistence: .none)
        let other = makeSession(TaskChallengeDelegate(forgotten))
        for _ in 0..<2 { _ = try await other.data(from: server.url) }
        #expect(forgotten.challenges.count == 2)
        #expect(other.configuration.urlCredentialStorage?.allCredentials.isEmpty == true)
    }

    @Test func aURLsNameAndPasswordAreUsedWhenAskedFor() async throws {
        let server = try GuardedServer(.digest("SHA-256"), user: "ad a", password: "p:w@")
        let text = server.url.absoluteString.replacing("http://", with: "http://ad%20a:p%3Aw%40@")
        let url = try #require(URL(string: text))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: url)
        task.resume()
        await delegate.completion()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(server.log == ["-", "ok"])
        #expect(task.currentRequest?.url == server.url)
        #expect(task.response?.url == server.url)
        #expect(task.originalRequest?.url == url)
    }

    // MARK: - Reuse of a proof

    @Test func aDigestIsCountedOnAndNotAskedForAgain() async throws {
        let server = try GuardedServer(.digest("SHA-256"))
        let book = ChallengeBook(user: "ada", password: "pw")
        let session = makeSession(TaskChallengeDelegate(book))
        for path in ["/room/a", "/room/b?c=%20d", "/other"] {
            #expect(status(try await session.data(from: server.url(path)).1) == 200)
        }
        #expect(book.challenges.count == 1)
        #expect(server.log == ["-", "ok", "ok", "ok"])
        let counts = server.server.requests.compactMap { request in
            request["Authorization"]?.split(separator: ", ").first { $0.hasPrefix("nc=") }
        }
        #expect(counts == ["nc=00000001", "nc=00000002", "nc=00000003"])
    }

    @Test func basicIsShownBelowItsFolderOnly() async throws {
        let server = try GuardedServer(.basic)
        let book = ChallengeBook(user: "ada", password: "pw")
        let session = makeSession(TaskChallengeDelegate(book))
        for path in ["/room/a", "/room/deeper/b", "/else"] {
            _ = try await session.data(from: server.url(path))
        }
        // Outside of the folder the server has to ask, and the storage knows.
        #expect(server.log == ["-", "ok", "ok", "-", "ok"])
    }

    @Test func anAgedNonceIsRenewedWithoutAsking() async throws {
        let server = try GuardedServer(.digest("MD5", uses: 2))
        let book = ChallengeBook(user: "ada", password: "pw")
        let session = makeSession(TaskChallengeDelegate(book))
        for _ in 0..<4 { #expect(status(try await session.data(from: server.url).1) == 200) }
        #expect(book.challenges.count == 1)
        #expect(server.log == ["-", "ok", "ok", "stale", "ok", "ok"])
    }

    @Test func theNextNonceIsTaken() async throws {
        let server = try GuardedServer(.digest("MD5", uses: 1, nextNonce: true))
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        for _ in 0..<3 { #expect(status(try await session.data(from: server.url).1) == 200) }
        #expect(server.log == ["-", "ok", "ok", "ok"])
    }

    @Test func manyTasksAtOnceNeverUseACountTwice() async throws {
        let server = try GuardedServer(.digest("SHA-256"))
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        _ = try await session.data(from: server.url)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    status(try await session.data(from: server.url("/room/\(number)")).1)
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(!server.log.contains("replay"))
    }

    @Test func anotherSessionHasToProveItself() async throws {
        let server = try GuardedServer(.basic)
        let book = ChallengeBook(user: "ada", password: "pw")
        _ = try await makeSession(TaskChallengeDelegate(book)).data(from: server.url)
        let (_, response) = try await makeSession().data(from: server.url)
        #expect(status(response) == 401)
    }

    // MARK: - Bodies

    @Test func aBodyIsSentAgain() async throws {
        let server = try GuardedServer(.digest("MD5"))
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        let body = makeBytes(300_000)
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let (_, response) = try await session.upload(for: request, from: body)
        #expect(status(response) == 200)
        #expect(server.server.requests.map(\.body.count) == [300_000, 300_000])
        #expect(server.server.requests.last?.body == Array(body))
    }

    @Test func aStreamIsAskedForAgain() async throws {
        let server = try GuardedServer(.basic)
        let credential = ada
        let delegate = RecordingDelegate { $0.body = { makeStream(["streamed ", "body"]) } }
        let session = makeSession(delegate)
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        session.configuration.urlCredentialStorage?.setDefaultCredential(
            credential,
            for: URLProtectionSpace(
                host: "127.0.0.1", port: Int(server.server.port), protocol: "http", realm: "house",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(delegate.calls.filter { $0 == "bodyStream" }.count == 2)
        #expect(server.server.requests.map(\.text) == ["streamed body", "streamed body"])
    }

    @Test(arguments: [false, true]) func theBodyIsCoveredByAuthInt(fromFile: Bool) async throws {
        let server = try GuardedServer(.digest("SHA-256", protection: "auth-int"))
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        let body = makeBytes(2_500_000)
        let folder = try ScratchFolder()
        let file = try folder.put(body)
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        for _ in 0..<2 {
            let (_, response) =
                fromFile
                ? try await session.upload(for: request, fromFile: file)
                : try await session.upload(for: request, from: body)
            #expect(status(response) == 200)
        }
        #expect(status(try await session.data(from: server.url).1) == 200)
        #expect(server.log == ["-", "ok", "ok", "ok"])
    }

    /// libcurl sends no body with HEAD: what the proof covers is empty.
    @Test func aHeadWhoseBodyStaysBehindIsCoveredWithoutIt() async throws {
        let server = try GuardedServer(.digest("SHA-256", protection: "auth-int"))
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        var request = URLRequest(url: server.url)
        request.httpMethod = "HEAD"
        request.httpBody = Data("stays behind".utf8)
        for _ in 0..<2 { #expect(status(try await session.data(for: request).1) == 200) }
        #expect(server.log == ["-", "ok", "ok"])
    }

    /// The body of a suspended task is opened, but not hashed before it is resumed.
    @Test func aTaskThatWasSuspendedWhileItsBodyWasOpenedIsCoveredToo() async throws {
        let server = try GuardedServer(.digest("SHA-256", protection: "auth-int"))
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        #expect(status(try await session.data(from: server.url).1) == 200)
        let folder = try ScratchFolder()
        let file = try folder.put(makeBytes(1000))
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let done = Signal()
        let task = session.uploadTask(with: request, fromFile: file) { _, response, _ in
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            done.add()
        }
        Engine.shared.thread.submit { engine in  // in one turn: the file is not open before its end
            task.resume()
            engine.start(task)
            task.suspend()
            engine.lifeChanged(of: task)
        }
        #expect(await engine(has: task) { $0.isReadyToConnect })
        task.resume()
        await done.wait()
        #expect(server.log == ["-", "ok", "ok"])
    }

    // MARK: - Never elsewhere

    /// FoundationNetworking sends it on.
    @Test func nothingFollowsARedirectToAnotherOrigin() async throws {
        let other = try LoopbackServer { _ in [.answer(body: [])] }
        let target = other.url("/elsewhere").absoluteString
        let server = try GuardedServer(.basic) { _ in
            "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"
        }
        let session = makeSession(TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw")))
        _ = try await session.data(from: server.url)
        _ = try await session.data(from: server.url)
        #expect(server.log == ["-", "ok", "ok"])
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test func aRedirectsOwnNameAndPasswordAreNotUsed() async throws {
        let other = try GuardedServer(.basic)
        let target = other.url.absoluteString.replacing("http://", with: "http://ada:pw@")
        let server = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: \(target)"], body: [])]
        }
        let (_, response) = try await makeSession().data(from: server.url())
        #expect(status(response) == 401)
        #expect(other.log == ["-"])
        #expect(response.url == other.url)
    }

    /// A session may know one user's credential when another's is in a URL.
    @Test func theURLsOwnNameWinsOverWhatTheSessionKnows() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"].map { [.answer(body: $0)] }
                ?? [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""], body: "no")]
        }
        let session = makeSession()
        func load(_ user: String) async throws -> String {
            let text = server.url("/me").absoluteString.replacing(
                "http://", with: "http://\(user)@")
            let (data, _) = try await session.data(from: try #require(URL(string: text)))
            return String(decoding: data, as: UTF8.self)
        }
        let ada = "Basic \(Data("ada:a".utf8).base64EncodedString())"
        let bob = "Basic \(Data("bob:b".utf8).base64EncodedString())"
        #expect(try await load("ada:a") == ada)
        #expect(try await load("bob:b") == bob)
        #expect(try await load("ada:a") == ada)
    }

    @Test func theURLsNameIsNotForTheRedirectsTarget() async throws {
        let other = try GuardedServer(.basic)
        let target = other.url.absoluteString
        let server = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: \(target)"], body: [])]
        }
        let text = server.url().absoluteString.replacing("http://", with: "http://ada:pw@")
        let (_, response) = try await makeSession().data(from: try #require(URL(string: text)))
        #expect(status(response) == 401)
        #expect(other.log == ["-"])
    }

    // MARK: - In between

    @Test func noTimerRunsWhileTheDelegateThinks() async throws {
        let server = try GuardedServer(.basic)
        let credential = ada
        let (asked, proceed, done) = (Signal(), DispatchSemaphore(value: 0), Signal())
        let book = ChallengeBook { _ in
            asked.add()
            proceed.wait()
            return (.useCredential, credential)
        }
        let session = makeSession(TaskChallengeDelegate(book))
        let task = session.dataTask(with: server.url) { _, response, _ in
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            done.add()
        }
        task.resume()
        await asked.wait()
        let facts = await engineFacts(of: task)
        proceed.signal()
        #expect(facts?.isAsking == true)
        #expect(facts?.requestDeadline == nil)
        await done.wait()
    }

    @Test func cancelWhileTheDelegateThinks() async throws {
        let server = try GuardedServer(.basic)
        let (asked, proceed) = (Signal(), DispatchSemaphore(value: 0))
        let book = ChallengeBook { _ in
            asked.add()
            proceed.wait()
            return (.performDefaultHandling, nil)
        }
        let session = makeSession(TaskChallengeDelegate(book))
        let done = Signal()
        let task = session.dataTask(with: server.url) { _, _, error in
            #expect((error as? URLError)?.code == .cancelled)
            done.add()
        }
        task.resume()
        await asked.wait()
        task.cancel()
        proceed.signal()
        await done.wait()
    }

    @Test func aChallengeIsNoRedirectAndNoResponse() async throws {
        let server = try GuardedServer(.basic)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        session.configuration.urlCredentialStorage?.setDefaultCredential(
            ada,
            for: URLProtectionSpace(
                host: "127.0.0.1", port: Int(server.server.port), protocol: "http", realm: "house",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
        session.dataTask(with: server.url).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "data", "completed"])
        #expect(delegate.body == Data("in".utf8))
    }

    // MARK: - Secrets

    @Test func noSecretInWhatIsPrinted() async throws {
        let secret = URLCredential(user: "ada", password: "tOp5ecret", persistence: .forSession)
        var text = "\(secret) \(String(reflecting: secret))"
        dump(secret, to: &text)
        let identity = ClientIdentity(.pkcs12(URL(filePath: "/key")), passphrase: "tOp5ecret")
        dump(identity, to: &text)
        text += "\(identity) \(String(reflecting: identity))"
        let holder = URLCredential(identity: identity, persistence: .forSession)
        dump(holder, to: &text)
        dump(["a": [secret]], to: &text)
        let storage = URLCredentialStorage()
        storage.set(
            secret,
            for: URLProtectionSpace(
                host: "h", port: 1, protocol: "http", realm: nil, authenticationMethod: nil))
        dump(storage, to: &text)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: URLProtectionSpace(
                host: "h", port: 1, protocol: "http", realm: nil, authenticationMethod: nil),
            proposedCredential: secret, previousFailureCount: 0, failureResponse: nil, error: nil)
        dump(challenge, to: &text)
        #expect(!text.contains("tOp5ecret"))
    }

    @Test func noProofAndNoPasswordInWhatATaskTells() async throws {
        let server = try GuardedServer(.basic)
        let text = server.url.absoluteString.replacing("http://", with: "http://ada:tOp5ecret@")
        let url = try #require(URL(string: text))
        let session = makeSession(
            TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw", persistence: .none)))
        let done = Signal()
        let task = session.dataTask(with: url) { _, response, _ in
            #expect(response?.url == server.url)
            done.add()
        }
        task.resume()
        await done.wait()
        #expect(task.currentRequest?.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(task.currentRequest?.url == server.url)
        server.server.stop()
        let refused = try #require(
            URL(string: "http://ada:tOp5ecret@no-such-host.invalid/"))
        await #expect { try await session.data(from: refused) } throws: { error in
            var text = "\(error) \(error.localizedDescription)"
            dump(error, to: &text)
            #expect((error as? URLError)?.failingURL?.host() == "no-such-host.invalid")
            return !text.contains("tOp5ecret")
        }
        let foreign = try #require(URL(string: "ftp://ada:tOp5ecret@no-such-host.invalid/"))
        await #expect { try await session.data(from: foreign) } throws: {
            !"\($0)".contains("tOp5ecret")
        }
    }
}

private func fileQueueIsDone() async { await drain(FileQueue.queue) }
