import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct BadAnswerTests {
    private func load(_ steps: [LoopbackStep]) async -> Result<Data, CurlNetworking.URLError> {
        do {
            let server = try LoopbackServer(scripts: [[.readHead] + steps])
            return .success(try await makeSession().data(from: server.url()).0)
        } catch {
            return .failure(error as? CurlNetworking.URLError ?? URLError(.unknown))
        }
    }

    private func code(_ result: Result<Data, CurlNetworking.URLError>) -> URLError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func aHeadThatComesByteByByteIsAHead() async throws {
        let text = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 2\r\n\r\nok"
        let result = await load([
            .trickle(Array(text.utf8), pieceByteCount: 1, every: .microseconds(200)), .close,
        ])
        #expect(try result.get() == Data("ok".utf8))
    }

    @Test func onlyTheDeclaredBytesOfALongerBodyCount() async throws {
        let result = await load([
            .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more\r\n"), .stall,
        ])
        #expect(try result.get() == Data("hello".utf8))
    }

    /// By name, so that no test report is as long as they are.
    private static let badHeads = [
        "two lengths": "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "a length below zero": "Content-Length: -5\r\n\r\n",
        "a length that is none": "Content-Length: banana\r\n\r\n",
        "a length in hexadecimal": "Content-Length: 0x5\r\n\r\nhello",
        "a length with a sign": "Content-Length: +5\r\n\r\nhello",
        "a length beyond all measure":
            "Content-Length: \(String(repeating: "9", count: 20))\r\n\r\nhello",
        "two lengths in one line": "Content-Length: 5, 6\r\n\r\nhello!",
        "no length": "Content-Length:\r\n\r\nhello",
        "lines without end": (0..<20_000).map { "A\($0):\r\n" }.joined() + "\r\n",
        // Newer libcurls unfold them, and stop at 100 KiB.
        "folded lines without end": "A: b\r\n" + String(repeating: " c\r\n", count: 200_000)
            + "\r\n",
        "a huge line": "X: " + String(repeating: "x", count: 200_000) + "\r\n\r\n",
        "a NUL": "X: a\0b\r\n\r\n",
        "trailers without end": "Transfer-Encoding: chunked\r\n\r\n0\r\n"
            + String(repeating: "T: " + String(repeating: "t", count: 1000) + "\r\n", count: 400),
    ]

    @Test(arguments: BadAnswerTests.badHeads.keys.sorted())
    func headsWithoutSenseOrMeasureAreRefused(name: String) async throws {
        let text = try #require(Self.badHeads[name])
        let result = await load([.send("HTTP/1.1 200 OK\r\n" + text), .close])
        #expect(code(result) == .cannotParseResponse, "\(result)")
    }

    @Test(arguments: [200_000, 400_000])
    func aLineOfAHeadThatIsTooLongIsReportedAsThat(byteCount: Int) async throws {
        let line = "X: " + String(repeating: "x", count: byteCount) + "\r\n\r\n"
        let result = await load([.send("HTTP/1.1 200 OK\r\n" + line), .stall])
        guard case .failure(let error) = result else {
            Issue.record("it was taken")
            return
        }
        #expect(error.code == .cannotParseResponse)
        #expect(error.underlyingText?.contains("line") == true, "\(error)")
        #expect(error.underlyingText?.lowercased().contains("memory") == false, "\(error)")
    }

    @Test func manyLinesOfAHeadAreTaken() async throws {
        let lines = (0..<1500).map { "A\($0): b\r\n" }.joined()
        let result = await load([
            .send("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2, 2\r\n\r\nok"), .close,
        ])
        #expect(try result.get() == Data("ok".utf8))
    }

    @Test func aProtocolThatIsSwitchedUnaskedIsNotAnAnswer() async {
        let result = await load([
            .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
            .stall,
        ])
        #expect(code(result) == .badServerResponse)
    }

    @Test func theSameLengthTwiceDoesNoHarm() async throws {
        let result = await load([
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"), .close,
        ])
        #expect(try result.get() == Data("ok".utf8))
    }

    @Test func interimAnswersWithoutEndAreRefused() async {
        let one =
            "HTTP/1.1 103 Early Hints\r\nLink: " + String(repeating: "l", count: 1000) + "\r\n\r\n"
        let result = await load([.send(String(repeating: one, count: 400)), .stall])
        #expect(code(result) == .cannotParseResponse)
    }

    @Test func aCodingUponAnotherUponAnotherIsAnError() async {
        let codings = "gzip, gzip, gzip, gzip, gzip, gzip, gzip"
        let result = await load([
            .send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\nContent-Length: 5\r\n\r\nhello"),
            .close,
        ])
        #expect(code(result) == .cannotDecodeContentData, "\(result)")
    }

    @Test(arguments: ["utf-8", "gzip, x-unheard-of"])
    func aBodyInAnUnknownCodingIsGivenAsItComes(coding: String) async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Content-Encoding: \(coding)"], body: "hello")]
        }
        let (data, response) = try await makeSession().data(from: server.url())
        #expect(data == Data("hello".utf8))
        let http = response as? HTTPURLResponse
        #expect(http?.value(forHTTPHeaderField: "Content-Encoding") == coding)
    }

    // MARK: - Bombs

    /// 100 MiB of zeros in about 100 KiB, as gzip writes them (RFC 1951 §3.2.7): a zero, and then 406,425
    /// times two bits of 0, which repeat it 258 times.
    private let bomb: [UInt8] =
        [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xED, 0xC0, 0x81, 0, 0, 0, 0, 0x80, 0xA0, 0xFD,
            0xA9, 0x17, 0xA9,
        ] + [UInt8](repeating: 0, count: 101_606)
        + [0x18, 0xAD, 0x15, 0x38, 0x29, 0x33, 0, 0x40, 6]
    private let bombByteCount = 1 + 258 * 406_425

    @Test func aDecompressionBombTakesNoMemoryAndAFileTakesIt() async throws {
        let bomb = bomb
        let server = try LoopbackServer { _ in
            [
                .answer(
                    "200 OK", ["Content-Encoding: gzip", "Cache-Control: max-age=99"], body: bomb)
            ]
        }
        let session = makeSession()
        #expect(
            await errorCode { try await session.data(from: server.url()) }
                == .dataLengthExceedsMaximum)
        let (file, _) = try await session.download(from: server.url())
        defer { try? FileManager.default.removeItem(at: file) }
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        #expect(size == bombByteCount)
        #expect(server.requests.count == 2)
    }

    @Test func aCookieBombFillsNeitherTheJarNorTheNextRequest() async throws {
        let value = String(repeating: "v", count: 4000)
        let server = try LoopbackServer { request in
            let round = request.target.dropFirst()
            return [
                .answer(
                    "200 OK",
                    round == "end"
                        ? [] : (0..<50).map { "Set-Cookie: c\(round)x\($0)=\(value); Path=/" })
            ]
        }
        let session = makeSession()
        for round in 0..<8 { _ = try await session.data(from: server.url("/\(round)")) }
        _ = try await session.data(from: server.url("/end"))
        let kept = session.configuration.httpCookieStorage?.cookies?.count ?? 0
        #expect((50...180).contains(kept))
        let sent = server.requests.last?["Cookie"]?.utf8.count ?? 0
        #expect((200_000...262_144).contains(sent))
    }

    // MARK: - Files

    @Test func aDamagedFileOfTheCacheIsReplacedByTheNextAnswer() async throws {
        let folder = try ScratchFolder()
        let home = folder.url(of: "cache")
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=1000"], body: "the body")]
        }
        func load() async throws -> Data {
            let cache = URLCache(memoryCapacity: 0, diskCapacity: 100 << 20, directory: home)
            let session = makeSession { $0.urlCache = cache }
            defer { session.finishTasksAndInvalidate() }
            let data = try await session.data(from: server.url()).0
            await session.flush()
            return data
        }
        _ = try await load()
        _ = try await load()
        #expect(server.requests.count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path)
        let name = try #require(names.first)
        var bytes = try Data(contentsOf: home.appending(path: name))
        bytes[bytes.endIndex - 1] ^= 1
        try bytes.write(to: home.appending(path: name))
        #expect(try await load() == Data("the body".utf8))
        #expect(server.requests.count == 2)
        #expect(try await load() == Data("the body".utf8))
        #expect(server.requests.count == 2)
    }

    @Test func aDamagedCookieFileIsSetAsideAndWhatComesNextIsKept() async throws {
        let folder = try ScratchFolder()
        let file = try folder.put(Data("nonsense".utf8), "cookies")
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Set-Cookie: a=1; Max-Age=1000"])]
        }
        let session = makeSession { $0.httpCookieStorage = HTTPCookieStorage(fileURL: file) }
        _ = try await session.data(from: server.url())
        await session.flush()
        #expect(server.requests.first?["Cookie"] == nil)
        #expect(HTTPCookieStorage(fileURL: file).cookies?.map(\.name) == ["a"])
        #expect(
            try Data(contentsOf: folder.url(of: "cookies.damaged"))
                == Data("nonsense".utf8))
    }
}
