import Foundation
import Testing

@testable import CurlNetworking

@Suite struct HeadDecisionTests {
    /// Something to be decided on.
    struct Case: Sendable, CustomTestStringConvertible {
        var head: String
        var sent = "GET"
        /// What is known of the transfer, in words.
        var given: Set<Given> = []
        var from = HeadDecision.Question.isInterim
        var action: String

        enum Given: Sendable {
            case webSocket, twentyRedirects
            /// The request has `Expect: 100-continue`.
            case expecting
            /// Somebody has asked for credentials.
            case challenged
            /// A response is stored, and the server was asked whether it is still good.
            case stored, storedForErrors
            case creating, asking, appending
            case partialFile
        }

        var testDescription: String { "\(sent) \(given) → \(head): \(action)" }
    }

    @Test(
        arguments: [
            // 1. Interim answers come before everything.
            Case(head: "103 Link: </a.css>", action: "report"),
            Case(head: "100", given: [.stored, .creating], action: "report"),
            Case(head: "101", action: "fail -1011, hidden"),
            Case(head: "101", given: [.webSocket], action: "deliver"),
            // … and a refused expectation before all that the server would have said without it.
            Case(
                head: "417", sent: "POST", given: [.expecting], action: "send POST, not expecting"),
            Case(
                head: "417", sent: "PUT", given: [.expecting, .challenged, .stored, .creating],
                action: "send PUT, not expecting"),
            Case(head: "417", sent: "POST", action: "deliver"),
            Case(head: "200", sent: "POST", given: [.expecting], action: "deliver"),
            // 2. Challenges.
            Case(
                head: "401 WWW-Authenticate: Basic realm=r", given: [.challenged], action: "ask"),
            Case(
                head: "401 WWW-Authenticate: Basic realm=r", given: [.challenged, .stored],
                action: "ask"),
            Case(
                head: "401 WWW-Authenticate: Basic realm=r", given: [.challenged],
                from: .isOfUpload, action: "deliver"),
            Case(head: "200", given: [.challenged], action: "deliver"),
            // 3. Uploads.
            Case(
                head: "204 Upload-Offset: 60", sent: "HEAD", given: [.asking], action: "send PATCH"),
            Case(
                head: "204 Upload-Offset: 100 | Upload-Complete: ?1", sent: "HEAD",
                given: [.asking], action: "deliver"),
            Case(head: "404", sent: "HEAD", given: [.asking], action: "send PUT"),
            Case(head: "409", sent: "PATCH", given: [.appending], action: "send HEAD"),
            Case(
                head: "303 Location: /done", sent: "PATCH", given: [.appending], action: "deliver"),
            Case(
                head: "303 Location: /done", sent: "PUT", given: [.creating],
                action: "follow GET /done, no body"),
            // 4. The cache.
            Case(head: "304", given: [.stored], action: "replay 200"),
            Case(head: "304", action: "deliver"),
            Case(head: "503", given: [.storedForErrors], action: "replay 200"),
            Case(head: "503", given: [.stored], action: "deliver"),
            Case(head: "304", given: [.stored], from: .isRedirect, action: "deliver"),
            // 5. Redirects.
            Case(head: "302 Location: /b", action: "follow GET /b, body"),
            Case(head: "302 Location: /b", sent: "POST", action: "follow GET /b, no body"),
            Case(head: "307 Location: /b", sent: "POST", action: "follow POST /b, body"),
            Case(head: "302 Location: /b", given: [.twentyRedirects], action: "fail -1007, shown"),
            Case(head: "302 Location: ftp://b.test/", action: "fail -1002, shown"),
            Case(head: "302 Location: /b", from: .isResponse, action: "deliver"),
            Case(
                head: "302 Location: /b", given: [.partialFile], action: "follow GET /b, body"),
            // 6. The response.
            Case(head: "404", action: "deliver"),
            Case(
                head: "206 Content-Range: bytes 50-99/100", given: [.partialFile],
                action: "deliver proceed 50"),
            Case(head: "416", given: [.partialFile], action: "deliver whole"),
        ])
    func isMadeInThisOrder(item: Case) throws {
        #expect(try decide(item).summary == item.action)
    }

    @Test func theCacheIsToldOfEveryAnswerThatIsNoChallenge() throws {
        let redirect = try decide(
            Case(head: "301 Location: /b | Cache-Control: max-age=60", given: [.stored], action: "")
        )
        #expect(redirect.cacheReaction != nil)
        let challenge = try decide(
            Case(
                head: "401 WWW-Authenticate: Basic realm=r", given: [.challenged, .stored],
                action: ""))
        #expect(challenge.cacheReaction == nil)
    }

    @Test func anUploadGoesOnAfterARefusedExpectation() throws {
        var request = try makeRequest("PUT")
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        var state = State(request, [.expecting])
        state.upload = try makeUpload([.creating])
        #expect(state.decide(on: try makeHead("417")).summary == "send PUT, not expecting")
        #expect(state.upload?.isCreating == true)
    }

    @Test func anInterim104TellsWhereTheUploadIs() throws {
        var state = State(try makeRequest("PUT"), [])
        state.upload = try makeUpload([.creating])
        let head = try makeHead("104 Location: /up/1")
        #expect(state.decide(on: head).summary == "report")
        #expect(state.upload?.resumeData?.location.path == "/up/1")
    }

    @Test func anUploadThatWasResumedInvalidatesAsOneRequestDoes() throws {
        var state = State(try makeRequest("PATCH"), [])
        state.upload = try makeUpload([.appending])
        let decision = state.decide(on: try makeHead("204 Upload-Complete: ?1"))
        #expect(decision.summary == "deliver")
        #expect(decision.cacheReaction?.removals == [try makeRequest("PUT").url].compactMap(\.self))
    }

    // MARK: - What is decided on

    private struct State {
        var sent: HeadDecision.Sent
        var authentication: AuthenticationState
        var credentials = AuthenticationCache()
        var upload: UploadResumption?
        var download: DownloadResumption?

        init(_ request: URLRequest, _ given: Set<Case.Given>) {
            sent = HeadDecision.Sent(request: request)
            authentication = AuthenticationState(for: request.url)
            sent.isWebSocket = given.contains(.webSocket)
            sent.expectsContinue = given.contains(.expecting)
            sent.followedRedirects = given.contains(.twentyRedirects) ? 20 : 0
            if given.contains(.challenged), let url = request.url {
                sent.challenged = ChallengedRequest(url, method: request.method)
            }
        }

        mutating func decide(
            on head: ResponseHead, from first: HeadDecision.Question = .isInterim
        ) -> HeadDecision {
            HeadDecision.make(
                for: head, to: sent, from: first, authentication: &authentication,
                credentials: &credentials, upload: &upload, download: download,
                now: Date(timeIntervalSince1970: 1000))
        }
    }

    private func decide(_ item: Case) throws -> HeadDecision {
        let request = try makeRequest(item.sent)
        var state = State(request, item.given)
        if item.given.contains(.stored) {
            state.sent.cachePlan = try makePlan(for: request, control: "max-age=1")
        }
        if item.given.contains(.storedForErrors) {
            let control = "max-age=1, stale-if-error=600"
            state.sent.cachePlan = try makePlan(for: request, control: control)
        }
        if !item.given.isDisjoint(with: [.creating, .asking, .appending]) {
            state.upload = try makeUpload(item.given)
        }
        if item.given.contains(.partialFile) { state.download = try makeDownload() }
        return state.decide(on: try makeHead(item.head), from: item.from)
    }

    private func makeRequest(_ method: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        request.httpMethod = method
        return request
    }

    /// `206 Content-Range: bytes 0-1/2 | ETag: "v"`
    private func makeHead(_ text: String) throws -> ResponseHead {
        let parts = text.split(separator: " ", maxSplits: 1)
        var head = ResponseHead(status: try #require(Int(parts[0])))
        for field in parts.dropFirst().joined().components(separatedBy: " | ") {
            let pair = field.split(separator: ":", maxSplits: 1)
            guard pair.count == 2 else { continue }
            head.headers[String(pair[0])] = pair[1].trimmingCharacters(in: .whitespaces)
        }
        return head
    }

    private func makePlan(for request: URLRequest, control: String) throws -> CachePlan {
        var headers = HTTPHeaderFields()
        headers["Cache-Control"] = control
        headers["ETag"] = "\"v\""
        let time = Date(timeIntervalSince1970: 900)
        let head = StoredHead(
            url: try #require(request.url), status: 200, headers: headers,
            request: request.headers, requestTime: time, responseTime: time)
        return CachePlan(
            request: request, decision: .revalidate(HTTPHeaderFields()),
            entry: CacheEntry(head: head, body: .data(Data("stored".utf8))))
    }

    private func makeUpload(_ given: Set<Case.Given>) throws -> UploadResumption {
        var upload = UploadResumption(try makeRequest("PUT"), byteCount: 100)
        guard !given.contains(.creating) else { return upload }
        upload.take(interim: try makeHead("104 Location: /up/1"))
        _ = upload.takeLoss(URLError(.networkConnectionLost))
        if given.contains(.appending) { _ = upload.take(try makeHead("204 Upload-Offset: 60")) }
        return upload
    }

    private func makeDownload() throws -> DownloadResumption {
        let url = try #require(URL(string: "http://a.test/x"))
        let data = ResumeData(
            url: url, originalURL: url, headers: HTTPHeaderFields(), validator: .entityTag("\"v\""),
            byteCount: 50, totalByteCount: 100, fileName: "part")
        return DownloadResumption(data, at: 50)
    }
}

extension HeadDecision {
    /// In the words of the table.
    fileprivate var summary: String {
        switch action {
        case .reportInterim: "report"
        case .authenticate(.ask): "ask"
        case .authenticate(.retry): "retry"
        case .authenticate: "authenticate"
        case .send(let next): "send \(next.method)"
        case .sendWithoutExpectation(let next):
            "send \(next.method), \(next.headers["Expect"] == nil ? "not " : "")expecting"
        case .replay(let answer): "replay \(answer.response.statusCode)"
        case .follow(let next, let keepsBody):
            "follow \(next.method) \(next.url?.path ?? ""), \(keepsBody ? "body" : "no body")"
        case .deliver(.proceed(let offset, _)?): "deliver proceed \(offset)"
        case .deliver(.askForWhole?): "deliver whole"
        case .deliver: "deliver"
        case .fail(let error, let showsResponse):
            "fail \(error.code.rawValue), \(showsResponse ? "shown" : "hidden")"
        }
    }
}
