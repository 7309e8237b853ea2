import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    @Test func keepsTheConnectionAndTellsTheNewRequest() async throws {
        let server = try LoopbackServer { request in
            request.target == "/a"
                ? [.answer("302 Found", ["Location: b?c"], body: "over there")]
                : [.answer(body: "here")]
        }
        let session = makeSession()
        let (data, response) = try await session.data(from: server.url("/a"))
        #expect(String(decoding: data, as: UTF8.self) == "here")
        #expect(response.url == server.url("/b?c"))
        #expect(server.requests.map(\.target) == ["/a", "/b?c"])
        #expect(server.connectionCount == 1)
    }

    @Test func sendsAFileAgainAfter307() async throws {
        let folder = try ScratchFolder()
        let body = makeBytes(1_000_000)
        let file = try folder.put(body)
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("307 X", ["Location: /x"])] : [.answer()]
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        _ = try await makeSession().upload(for: request, fromFile: file)
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.last.map { Data($0.body) } == body)
    }

    @Test func postsBecomeGetsWithoutBodyAfter302() async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("302 X", ["Location: /x"])] : [.answer()]
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        _ = try await makeSession().upload(for: request, from: Data("body".utf8))
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.last?["Content-Length"] == nil)
    }

    /// The name of a virtual host, set by a program that connects by address.
    @Test func theNameOfAHostStaysAtIt() async throws {
        let other = try LoopbackServer { _ in [.answer()] }
        let server = try LoopbackServer { request in
            [
                .answer(
                    "302 Found",
                    ["Location: \(request.target == "/" ? "/same" : "\(other.url("/x"))")"])
            ]
        }
        var request = URLRequest(url: server.url("/"))
        request.setValue("virtual.test", forHTTPHeaderField: "Host")
        _ = try await makeSession().data(for: request)
        #expect(server.requests.map { $0["Host"] } == ["virtual.test", "virtual.test"])
        #expect(other.requests.first?["Host"] == "127.0.0.1:\(other.port)")
    }

    @Test func credentialsStayAtTheirOrigin() async throws {
        let other = try LoopbackServer { request in
            [.answer("302 Found", ["Location: /final"].filter { _ in request.target != "/final" })]
        }
        let server = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: \(other.url("/x"))"])]
        }
        var request = URLRequest(url: server.url())
        request.setValue("k=v", forHTTPHeaderField: "Cookie")
        let session = makeSession {
            $0.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Plain": "p"]
        }
        _ = try await session.data(for: request)
        #expect(server.requests.first?["Authorization"] == "Bearer secret")
        #expect(server.requests.first?["Cookie"] == "k=v")
        #expect(other.requests.map(\.target) == ["/x", "/final"])
        for sent in other.requests {
            #expect(sent["Authorization"] == nil)
            #expect(sent["Cookie"] == nil)
            #expect(sent["X-Plain"] == "p")
        }
    }

    @Test func theDelegateCanKeepTheRedirectAsTheAnswer() async throws {
        let server = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: /x"], body: "the redirect itself")]
        }
        let delegate = RecordingDelegate { $0.redirect = { _ in nil } }
        makeSession(delegate).dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.calls == ["redirect 302", "response 302", "data", "completed"])
        #expect(String(decoding: delegate.body, as: UTF8.self) == "the redirect itself")
        #expect(server.requests.count == 1)
    }

    @Test func theDelegateCanChangeTheRequest() async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("302 Found", ["Location: /x"])] : [.answer()]
        }
        let elsewhere = server.url("/elsewhere")
        let delegate = RecordingDelegate { hooks in
            hooks.redirect = { proposal in
                var request = proposal
                request.url = elsewhere
                request.setValue("1", forHTTPHeaderField: "X-Delegate")
                return request
            }
        }
        let task = makeSession(delegate).dataTask(with: server.url())
        task.resume()
        await delegate.completion()
        #expect(server.requests.last?.target == "/elsewhere")
        #expect(server.requests.last?["X-Delegate"] == "1")
        #expect(task.currentRequest?.url == elsewhere)
        #expect(task.originalRequest?.url == server.url())
    }

    @Test func aLoopEnds() async throws {
        let server = try LoopbackServer { _ in [.answer("302 Found", ["Location: /"])] }
        await #expect { try await makeSession().data(from: server.url()) } throws: {
            ($0 as? URLError)?.code == .httpTooManyRedirects
        }
        #expect(server.requests.count == 21)
    }

    @Test func neverOpensAFile() async throws {
        let server = try LoopbackServer { request in
            let target = request.target == "/" ? "file:///etc/passwd" : "/elsewhere"
            return [.answer("302 Found", ["Location: " + target])]
        }
        // The delegate is not asked about one; and one that it names, asked about another, is an error.
        let file = URLRequest(url: URL(filePath: "/etc/passwd"))
        for (target, calls) in [("/", ["completed"]), ("/x", ["redirect 302", "completed"])] {
            let delegate = RecordingDelegate { $0.redirect = { _ in file } }
            makeSession(delegate).dataTask(with: server.url(target)).resume()
            await delegate.completion()
            #expect(delegate.calls == calls)
            #expect(delegate.error?.code == .unsupportedURL)
        }
    }

    @Test func aLargeBodyOfARedirectIsNotWaitedFor() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 900000000\r\n\r\n"),
                .fill(0x61, byteCount: 1_000_000), .stall,
            ],
            [.readHead, .answer(body: "end")],
        ])
        let (data, _) = try await makeSession().data(from: server.url())
        #expect(String(decoding: data, as: UTF8.self) == "end")
    }
}
