import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// One request and its answer over HTTP/2: the same results as over HTTP/1.1.
@Suite(.timeLimit(.minutes(1)), .enabled(if: speaksHTTP2, whyNoHTTP2))
struct HTTP2ExchangeTests {
    @Test func anAnswerIsWhatItWouldBeOverHTTP1() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                while let stream = peer.nextRequest() {
                    peer.answer(
                        stream, 404,
                        [("content-type", "text/plain"), ("etag", "\"e\""), ("x-own", "1")],
                        body: "none")
                }
            })
        let delegate = RecordingDelegate()
        let session = makeHTTP2Session(delegate)
        session.dataTask(with: server.url("/a")).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.body == Data("none".utf8))
        let transaction = try #require(delegate.snapshot.metrics.first?.transactionMetrics.first)
        let response = try #require(transaction.response as? HTTPURLResponse)
        #expect(response.statusCode == 404)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        #expect(response.allHeaderFields["Etag"] as? String == "\"e\"")
        #expect(response.mimeType == "text/plain")
        #expect(transaction.networkProtocolName == "h2")
        #expect(!transaction.isReusedConnection)
        #expect(transaction.description.contains(", h2,"))
        #expect(transaction.countOfResponseBodyBytesReceived == 4)
    }

    @Test func aTraceNamesTheProtocol() async throws {
        let server = try LoopbackServer(http2Answering: "a")
        let lines = Mutex<[String]>([])
        let session = makeHTTP2Session { configuration in
            configuration.traceHandler = { event in lines.withLock { $0.append("\(event)") } }
        }
        _ = try await session.data(from: server.url())
        try await eventually("a line about h2") {
            lines.withLock { $0.contains { $0.contains(", h2,") } }
        }
    }

    @Test func aCompressedBodyIsDecompressed() async throws {
        let body = Compressed.gzip(Data("squeezed".utf8))
        let server = try LoopbackServer(
            http2: [],
            { peer in
                while let stream = peer.nextRequest() {
                    peer.sendHead(stream, 200, [("content-encoding", "gzip")])
                    peer.sendData(stream, Array(body))
                }
            })
        let (data, _) = try await makeHTTP2Session().data(from: server.url())
        #expect(data == Data("squeezed".utf8))
    }

    @Test func interimAnswersAndTrailersAreToldApart() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let stream = peer.nextRequest() else { return }
                peer.sendHead(stream, 103, [("link", "</a>")])
                peer.sendHead(stream, 200, [("x-own", "head")])
                peer.sendData(stream, Array("body".utf8), isEnd: false)
                peer.sendFields(stream, [("x-own", "behind")])
                peer.readToClose()
            })
        let delegate = RecordingDelegate()
        let task = makeHTTP2Session(delegate).dataTask(with: server.url())
        task.resume()
        await delegate.completion()
        #expect(delegate.snapshot.interim.map(\.statusCode) == [103])
        #expect(delegate.body == Data("body".utf8))
        let response = try #require(task.response as? HTTPURLResponse)
        #expect(response.value(forHTTPHeaderField: "X-Own") == "head")
        #expect(task.status.withLock { $0.trailers }.map(\.value) == ["behind"])
    }

    /// Without `Expect: 100-continue`, which would cost a second.
    @Test(arguments: [0, 10, 300_000]) func aBodyIsSent(byteCount: Int) async throws {
        let server = try LoopbackServer.countingHTTP2Bodies()
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let delegate = RecordingDelegate()
        let task = makeHTTP2Session(delegate).uploadTask(
            with: request, from: Data(count: byteCount))
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(String(decoding: delegate.body, as: UTF8.self) == "\(byteCount)")
        #expect(task.countOfBytesSent == Int64(byteCount))
    }

    /// No chunks are counted that HTTP/2 does not have.
    @Test func aBodyOfUnknownLengthIsCounted() async throws {
        let server = try LoopbackServer.countingHTTP2Bodies()
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data(count: 100_000))
        let delegate = RecordingDelegate()
        let task = makeHTTP2Session(delegate).dataTask(with: request)
        task.resume()
        await delegate.completion()
        #expect(String(decoding: delegate.body, as: UTF8.self) == "100000")
        #expect(task.countOfBytesSent == 100_000)
    }

    @Test func aPlainProxyIsSpokenToOverHTTP1() async throws {
        let proxy = try LoopbackServer { _ in [.answer(body: "proxied")] }
        let session = makeHTTP2Session {
            $0.connectionProxyDictionary = [
                kCFNetworkProxiesHTTPEnable: true, kCFNetworkProxiesHTTPProxy: "127.0.0.1",
                kCFNetworkProxiesHTTPPort: Int(proxy.port),
            ]
        }
        let url = try #require(URL(string: "http://a.test/"))
        let (data, _) = try await session.data(from: url)
        #expect(data == Data("proxied".utf8))
    }

    @Test func aRedirectIsFollowedOnTheSameConnection() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let first = peer.nextRequest() else { return }
                peer.sendHead(first, 302, [("location", "/b")], isEnd: true)
                guard let second = peer.nextRequest() else { return }
                peer.answer(second, body: "there")
                peer.readToClose()
            })
        let (data, _) = try await makeHTTP2Session().data(from: server.url("/a"))
        #expect(data == Data("there".utf8))
        #expect(server.connectionCount == 1)
    }
}

/// Where libcurl does not speak HTTP/2 as it should.
@Suite(.timeLimit(.minutes(1)), .enabled(if: !speaksHTTP2, "this libcurl speaks HTTP/2"))
struct WithoutHTTP2Tests {
    @Test func aTaskThatWantsHTTP2FailsAndSaysWhy() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "a")] }
        let error = await #expect(throws: URLError.self) {
            try await makeHTTP2Session().data(from: server.url())
        }
        #expect(error?.code == .unsupportedURL)
        #expect(error?.underlyingText?.contains("libcurl") == true)
        #expect(server.connectionCount == 0)
    }
}
