import Foundation
import Testing

@testable import CurlNetworking

@Suite struct AuthenticationStateTests {
    private let ada = URLCredential(user: "ada", password: "pw", persistence: .forSession)
    private let bob = URLCredential(user: "bob", password: "pw", persistence: .forSession)

    // MARK: - Dispositions

    @Test func withoutADelegateThe401IsTheAnswer() throws {
        var task = try Play()
        let challenge = try task.expectQuestion(basic)
        #expect(challenge.protectionSpace.realm == "r")
        #expect(challenge.protectionSpace.host == "a.test")
        #expect(challenge.protectionSpace.port == 80)
        #expect(challenge.protectionSpace.protocol == "http")
        #expect(challenge.proposedCredential == nil)
        #expect(challenge.previousFailureCount == 0)
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
        #expect(task.answer(.performDefaultHandling) == "deliver")
    }

    @Test func usesTheCredentialItIsGiven() throws {
        var task = try Play()
        try task.expectQuestion(basic)
        #expect(task.answer(.useCredential, ada) == "retry")
        #expect(task.send() == ["Authorization: Basic YWRhOnB3"])
        #expect(task.receive(200) == "deliver")
    }

    @Test func noCredentialMeansGoingOnWithout() throws {
        var task = try Play()
        try task.expectQuestion(basic)
        #expect(task.answer(.useCredential, nil) == "deliver")
        #expect(task.send() == [])
    }

    @Test func cancelEndsTheTask() throws {
        var task = try Play()
        try task.expectQuestion(basic)
        #expect(task.answer(.cancelAuthenticationChallenge) == "fail -999")
    }

    @Test func rejectGoesOnToTheNextSpace() throws {
        var task = try Play()
        let first = try task.expectQuestion(basic + ", " + digest("n"))
        #expect(first.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest)
        #expect(task.answer(.rejectProtectionSpace) == "ask HTTPBasic 0")
        #expect(task.answer(.rejectProtectionSpace) == "deliver")
    }

    @Test func aRejectedSpaceStaysRejected() throws {
        var task = try Play()
        try task.expectQuestion(basic + ", " + digest("n"))
        #expect(task.answer(.rejectProtectionSpace) == "ask HTTPBasic 0")
        #expect(task.answer(.useCredential, ada) == "retry")
        _ = task.send()
        #expect(task.receive(401, basic + ", " + digest("n2")) == "ask HTTPBasic 1")
    }

    // MARK: - The strongest first

    @Test(
        arguments: [
            (["Basic realm=r", "Digest realm=r, nonce=n"], "HTTPDigest"),
            (["Digest realm=r, nonce=n, qop=odd", "Basic realm=r"], "HTTPBasic"),
            (["Negotiate", "Basic realm=r"], "HTTPBasic"),
        ])
    func theStrongestSchemeIsFirst(fields: [String], method: String) throws {
        var task = try Play()
        #expect(task.receive(401, fields.joined(separator: ", ")) == "ask \(method) 0")
    }

    @Test func theStrongestAlgorithmOfASpaceIsUsed() throws {
        var task = try Play()
        try task.expectQuestion(
            "Digest realm=r, nonce=m, algorithm=MD5, qop=auth, "
                + "Digest realm=r, nonce=s, algorithm=SHA-256, qop=auth")
        #expect(task.answer(.useCredential, ada) == "retry")
        #expect(task.send().first?.contains("algorithm=SHA-256") == true)
    }

    @Test(arguments: ["", "Negotiate", "Digest realm=r", "junk;;", "NTLM TlRM"])
    func aChallengeNobodyCanAnswerIsTheAnswer(field: String) throws {
        var task = try Play()
        #expect(task.receive(401, field) == "deliver")
    }

    // MARK: - Failures

    @Test func aFailureIsAskedAboutAgain() throws {
        var task = try Play()
        try task.expectQuestion(basic)
        #expect(task.answer(.useCredential, ada) == "retry")
        _ = task.send()
        let again = try task.expectQuestion(basic)
        #expect(again.previousFailureCount == 1)
        #expect(again.proposedCredential == ada)
        #expect(task.answer(.useCredential, bob) == "retry")
        #expect(task.send() == ["Authorization: Basic Ym9iOnB3"])
        #expect(task.receive(200) == "deliver")
    }

    @Test func aStubbornDelegateComesToAnEnd() throws {
        var task = try Play()
        var rounds = 0
        while task.receive(401, basic).hasPrefix("ask"), rounds < 1000 {
            rounds += 1
            #expect(task.answer(.useCredential, ada) == "retry")
            _ = task.send()
        }
        #expect(rounds == AuthenticationState.maximumQuestions)
    }

    @Test func aCredentialBasicCannotCarryIsNotSent() throws {
        var task = try Play()
        try task.expectQuestion(basic)
        let odd = URLCredential(user: "a:b", password: "p", persistence: .none)
        #expect(task.answer(.useCredential, odd) == "deliver")
    }

    // MARK: - Credentials that are known

    @Test func aStoredCredentialIsUsedByDefaultOnce() throws {
        var task = try Play()
        let space = try task.expectQuestion(basic).protectionSpace
        _ = task.answer(.performDefaultHandling)
        task.storage.set(ada, for: space)
        let challenge = try task.expectQuestion(basic)
        #expect(challenge.proposedCredential == ada)
        #expect(task.answer(.performDefaultHandling) == "retry")
        _ = task.send()
        #expect(task.receive(401, basic) == "ask HTTPBasic 1")
        #expect(task.answer(.performDefaultHandling) == "deliver")
    }

    @Test func theURLsOwnCredentialIsUsedForItsServerOnly() throws {
        var task = try Play("http://u%40x:p%3A@a.test/d/x")
        #expect(task.receive(401, basic) == "ask HTTPBasic 0")
        #expect(task.answer(.performDefaultHandling) == "retry")
        #expect(
            task.send() == ["Authorization: Basic " + Data("u@x:p:".utf8).base64EncodedString()])

        var away = try Play("http://u:p@a.test/d/x")
        away.go(to: "http://b.test/")
        #expect(away.receive(401, basic) == "ask HTTPBasic 0")
        #expect(away.answer(.performDefaultHandling) == "deliver")
    }

    @Test func aGoodCredentialIsKept() throws {
        var task = try Play()
        let space = try task.expectQuestion(basic).protectionSpace
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        #expect(task.storage.defaultCredential(for: space) == nil)
        #expect(task.receive(404) == "deliver")
        #expect(task.storage.defaultCredential(for: space) == ada)
        #expect(task.fieldsOfNext("http://a.test/d/other") == ["Authorization: Basic YWRhOnB3"])
        #expect(task.fieldsOfNext("http://a.test/elsewhere") == [])
        #expect(task.fieldsOfNext("http://b.test/d/x") == [])
        #expect(task.fieldsOfNext("https://a.test/d/x") == [])
        #expect(task.fieldsOfNext("http://a.test:81/d/x") == [])
    }

    @Test func aCredentialForOneTaskIsNotKept() throws {
        var task = try Play()
        let space = try task.expectQuestion(basic).protectionSpace
        _ = task.answer(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        _ = task.send()
        _ = task.receive(200)
        #expect(task.storage.defaultCredential(for: space) == nil)
        #expect(task.fieldsOfNext("http://a.test/d/x") == [])
        // The task itself goes on with it: to a redirect's target, for instance.
        #expect(task.send().count == 1)
        task.go(to: "http://b.test/d/x")
        #expect(task.send() == [])
    }

    @Test func aRememberedCredentialThatFailsIsForgotten() throws {
        var first = try Play()
        try first.expectQuestion(basic)
        _ = first.answer(.useCredential, ada)
        _ = first.send()
        _ = first.receive(200)
        var second = first.next("http://a.test/d/x")
        #expect(second.send().count == 1)
        let challenge = try second.expectQuestion(basic)
        #expect(challenge.previousFailureCount == 0)
        #expect(challenge.proposedCredential == nil)
        #expect(second.answer(.performDefaultHandling) == "deliver")
        #expect(second.fieldsOfNext("http://a.test/d/x") == [])
    }

    @Test func aFieldOfTheRequestsOwnStands() throws {
        var first = try Play()
        try first.expectQuestion(basic)
        _ = first.answer(.useCredential, ada)
        _ = first.send()
        _ = first.receive(200)
        var second = first.next("http://a.test/d/x")
        second.headers["Authorization"] = "Bearer mine"
        #expect(second.send() == [])
        try second.expectQuestion(basic)
        #expect(second.answer(.useCredential, bob) == "retry")
        #expect(second.send() == ["Authorization: Basic Ym9iOnB3"])
    }

    // MARK: - Digest

    @Test func anAgedNonceIsRenewedSilently() throws {
        var task = try Play()
        try task.expectQuestion(digest("n1"))
        _ = task.answer(.useCredential, ada)
        #expect(task.send().first?.contains("nonce=\"n1\"") == true)
        #expect(task.receive(401, digest("n2") + ", stale=true") == "retry")
        #expect(task.send().first?.contains("nonce=\"n2\"") == true)
        #expect(task.receive(200) == "deliver")
    }

    @Test func aServerThatAgesEveryNonceComesToAnEnd() throws {
        var task = try Play()
        try task.expectQuestion(digest("n"))
        _ = task.answer(.useCredential, ada)
        var rounds = 0
        repeat {
            _ = task.send()
            rounds += 1
        } while rounds < 100 && task.receive(401, digest("n\(rounds)") + ", stale=true") == "retry"
        #expect(rounds == AuthenticationState.maximumRenewals + 1)
    }

    @Test func theSameNonceIsNotAged() throws {
        var task = try Play()
        try task.expectQuestion(digest("n"))
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        #expect(task.receive(401, digest("n") + ", stale=true") == "ask HTTPDigest 1")
    }

    @Test func aNonceIsUsedAgainWithTheNextCount() throws {
        var task = try Play()
        try task.expectQuestion(digest("n"))
        _ = task.answer(.useCredential, ada)
        #expect(task.send().first?.contains("nc=00000001") == true)
        _ = task.receive(200)
        var second = task.next("http://a.test/anywhere")
        #expect(second.send().first?.contains("nc=00000002") == true)
        second.memoryComesBack(to: &task)
        #expect(task.fieldsOfNext("http://a.test/").first?.contains("nc=00000003") == true)
    }

    @Test func aRememberedNonceTheServerHasForgottenIsRenewed() throws {
        var task = try Play()
        try task.expectQuestion(digest("n"))
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        _ = task.receive(200)
        var second = task.next("http://a.test/x")
        _ = second.send()
        #expect(second.receive(401, digest("fresh")) == "retry")
        #expect(second.send().first?.contains("nonce=\"fresh\"") == true)
        #expect(second.receive(401, digest("fresher")) == "ask HTTPDigest 1")
    }

    @Test func theNextNonceIsTaken() throws {
        var task = try Play()
        try task.expectQuestion(digest("n"))
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        _ = task.receive(200, info: "nextnonce=\"later\"")
        let field = try #require(task.fieldsOfNext("http://a.test/").first)
        #expect(field.contains("nonce=\"later\""))
        #expect(field.contains("nc=00000001"))
    }

    @Test func aServerThatDoesNotKnowThePasswordIsNotRemembered() throws {
        var task = try Play()
        try task.expectQuestion(digest("n"))
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        #expect(task.receive(200, info: "rspauth=\"00\", nextnonce=\"evil\"") == "deliver")
        #expect(task.fieldsOfNext("http://a.test/") == [])
    }

    @Test func theDomainSaysWhereADigestIsGood() throws {
        var task = try Play()
        try task.expectQuestion(
            digest("n") + ", domain=\"/d/ http://a.test/more http://other.test/ file:///etc\"")
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        _ = task.receive(200)
        #expect(task.fieldsOfNext("http://a.test/d/y").count == 1)
        #expect(task.fieldsOfNext("http://a.test/more/x").count == 1)
        #expect(task.fieldsOfNext("http://a.test/else") == [])
        #expect(task.fieldsOfNext("http://other.test/") == [])
    }

    /// What is escaped in it stays as it is, whatever is not beside it.
    @Test func theDomainIsEscapedOnce() throws {
        var task = try Play()
        try task.expectQuestion(digest("n") + ", domain=\"/a%20b|\"")
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        _ = task.receive(200)
        #expect(task.fieldsOfNext("http://a.test/a%20b%7C/y").count == 1)
        #expect(task.fieldsOfNext("http://a.test/a%2520b%7C/y") == [])
    }

    @Test func theBodyIsHashedOnlyWhenAskedFor() throws {
        var task = try Play()
        #expect(task.bodyHashAlgorithm == nil)
        try task.expectQuestion("Digest realm=r, nonce=n, qop=auth-int, algorithm=SHA-256")
        _ = task.answer(.useCredential, ada)
        #expect(task.bodyHashAlgorithm == .sha256)
    }

    @Test func theStrongerOfTwoRememberedProofsIsSent() throws {
        var task = try Play("http://a.test/")
        try task.expectQuestion(basic)
        _ = task.answer(.useCredential, ada)
        _ = task.send()
        _ = task.receive(200)
        var second = task.next("http://a.test/")
        second.headers["Authorization"] = "Bearer none"
        try second.expectQuestion(digest("n"))
        _ = second.answer(.useCredential, bob)
        _ = second.send()
        _ = second.receive(200)
        second.headers = HTTPHeaderFields()
        #expect(second.fieldsOfNext("http://a.test/").first?.contains("Digest ") == true)
    }

    // MARK: - Proxies

    @Test func aProxyIsAnotherParty() throws {
        var task = try Play()
        task.request.proxy = ProxyAddress(host: "p.test", port: 3128)
        #expect(task.receive(407, proxy: basic) == "ask HTTPBasic 0")
        #expect(task.lastSpace?.isProxy() == true)
        #expect(task.lastSpace?.host == "p.test")
        #expect(task.answer(.useCredential, ada) == "retry")
        #expect(task.send() == ["Proxy-Authorization: Basic YWRhOnB3"])
        #expect(task.receive(401, basic) == "ask HTTPBasic 0")
        #expect(task.lastSpace?.isProxy() == false)
        #expect(task.answer(.useCredential, bob) == "retry")
        #expect(
            task.send() == [
                "Authorization: Basic Ym9iOnB3", "Proxy-Authorization: Basic YWRhOnB3",
            ])
        #expect(task.receive(200) == "deliver")
        #expect(
            task.fieldsOfNext("http://elsewhere.test/") == ["Proxy-Authorization: Basic YWRhOnB3"])
    }

    @Test func a407WithoutAProxyIsTheAnswer() throws {
        var task = try Play()
        #expect(task.receive(407, proxy: basic) == "deliver")
    }

    private let basic = "Basic realm=\"r\""

    private func digest(_ nonce: String) -> String {
        "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\""
    }
}

/// A task that meets challenges: what the engine does, without the engine.
private struct Play {
    var state: AuthenticationState
    var cache = AuthenticationCache()
    let storage: URLCredentialStorage
    var request: ChallengedRequest
    var headers = HTTPHeaderFields()
    var lastChallenge: URLAuthenticationChallenge?

    var lastSpace: URLProtectionSpace? { lastChallenge?.protectionSpace }

    init(_ text: String = "http://a.test/d/x", storage: URLCredentialStorage = .init()) throws {
        let url = try #require(URL(string: text))
        state = AuthenticationState(for: url, clientNonce: { "c" })
        request = ChallengedRequest(url, method: "GET")
        self.storage = storage
    }

    /// A redirect.
    mutating func go(to text: String) {
        if let url = URL(string: text) {
            request = ChallengedRequest(url, method: "GET", proxy: request.proxy)
        }
    }

    /// Another task of the same session.
    func next(_ text: String) -> Play {
        var next = self
        next.go(to: text)
        next.state = AuthenticationState(for: next.request.url, clientNonce: { "c" })
        return next
    }

    /// What another task of the same session sends; its use of a nonce is not counted here.
    func fieldsOfNext(_ text: String) -> [String] {
        var next = next(text)
        return next.send()
    }

    func memoryComesBack(to first: inout Play) {
        first.cache = cache
    }

    var bodyHashAlgorithm: DigestAlgorithm? { state.bodyHashAlgorithm(for: request, cache: cache) }

    mutating func send() -> [String] {
        state.fields(for: request, own: headers, cache: &cache).map { "\($0.name): \($0.value)" }
    }

    mutating func receive(
        _ status: Int, _ challenge: String? = nil, proxy: String? = nil, info: String? = nil
    ) -> String {
        var head = ResponseHead(status: status)
        head.headers["WWW-Authenticate"] = challenge
        head.headers["Proxy-Authenticate"] = proxy
        head.headers["Authentication-Info"] = info
        return note(state.take(head, to: request, cache: &cache, storage: storage))
    }

    mutating func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil
    ) -> String {
        note(state.answer(disposition, credential, storage: storage))
    }

    @discardableResult
    mutating func expectQuestion(_ challenge: String) throws -> URLAuthenticationChallenge {
        let action = receive(401, challenge)
        #expect(action.hasPrefix("ask"))
        return try #require(lastChallenge)
    }

    private mutating func note(_ action: AuthenticationAction) -> String {
        switch action {
        case .deliver: return "deliver"
        case .retry: return "retry"
        case .ask(let challenge, _):
            lastChallenge = challenge
            let method = challenge.protectionSpace.authenticationMethod
                .replacing("NSURLAuthenticationMethod", with: "")
            return "ask \(method) \(challenge.previousFailureCount)"
        case .trust: return "trust"
        case .present: return "present"
        case .presentNone: return "present none"
        case .fail(let error): return "fail \(error.errorCode)"
        }
    }
}
