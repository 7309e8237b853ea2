import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// `data:` URLs (RFC 2397), and the lines of what is at a URL.
@Suite(.timeLimit(.minutes(1))) struct DataURLTests {
    @Test(
        arguments: [
            ("data:,A%20brief%20note", "text/plain", "us-ascii", "A brief note"),
            ("data:text/html,<b>", "text/html", nil, "<b>"),
            (
                "data:text/plain;charset=UTF-8;page=21,the%20data:1", "text/plain", "utf-8",
                "the data:1"
            ),
            ("DATA:;charset=utf-8,a", "text/plain", "utf-8", "a"),
            ("data:application/json;base64,e30=", "application/json", nil, "{}"),
            ("data:;base64,e30", "text/plain", "us-ascii", "{}"),
            ("data:;BASE64,%65%33%30%3D", "text/plain", "us-ascii", "{}"),
            ("data:,a%2", "text/plain", "us-ascii", "a%2"),
            ("data:,a#fragment", "text/plain", "us-ascii", "a"),
            ("data:,", "text/plain", "us-ascii", ""),
        ] as [(String, String, String?, String)])
    func theAnswerIsInTheURL(
        text: String, type: String, encoding: String?, body: String
    ) async throws {
        let url = try #require(URL(string: text))
        let (data, response) = try await makeSession().data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == body)
        #expect(response.mimeType == type)
        #expect(response.textEncodingName == encoding)
        #expect(response.expectedContentLength == Int64(body.utf8.count))
        #expect(response.url == url)
    }

    @Test(arguments: ["data:text/plain", "data:;base64,a"])
    func whatIsNoDataURLFails(text: String) async throws {
        let url = try #require(URL(string: text))
        await #expect { try await makeSession().data(from: url) } throws: {
            ($0 as? URLError)?.code == .badURL
        }
    }

    @Test func aDownloadOfADataURLIsAFile() async throws {
        let url = try #require(URL(string: "data:,abc"))
        let (file, _) = try await makeSession().download(from: url)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "abc")
    }

    @Test func aProgramsOwnLoaderIsAskedFirst() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Own.self]
        let url = try #require(URL(string: "data:,abc"))
        await #expect {
            try await URLSession(configuration: configuration).data(from: url)
        } throws: {
            ($0 as? URLError)?.code == .resourceUnavailable
        }
    }

    private final class Own: URLProtocol, @unchecked Sendable {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override func startLoading() {
            client?.urlProtocol(self, didFailWithError: URLError(.resourceUnavailable))
        }
    }

    @Test func aServerCannotRedirectToADataURL() async throws {
        let server = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: data:,abc"], body: "")]
        }
        await #expect { try await makeSession().data(from: server.url()) } throws: {
            ($0 as? URLError)?.code == .unsupportedURL
        }
    }

    // MARK: - Lines

    @Test func linesOfAURLAreReadOverHTTP() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "one\n\ntwo\r\nthree")] }
        #expect(try await lines(of: server.url()) == ["one", "two", "three"])
    }

    @Test func linesOfAFileAreRead() async throws {
        let folder = try ScratchFolder()
        let file = folder.url(of: "lines")
        try Data("one\ntwo".utf8).write(to: file)
        #expect(try await lines(of: file) == ["one", "two"])
        await #expect(throws: (any Error).self) { try await lines(of: folder.url(of: "none")) }
    }

    @Test func linesOfAPipeComeOneByOne() async throws {
        let folder = try ScratchFolder()
        let pipe = folder.url(of: "pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        // Both ways, so that opening it waits for nobody.
        let descriptor = open(pipe.path, O_RDWR)
        defer { close(descriptor) }
        var lines = pipe.lines.makeAsyncIterator()
        #expect(write(descriptor, "one\ntwo", 7) == 7)
        #expect(try await lines.next() == "one")
        // A file that blocks holds up no transfer's file.
        async let second = lines.next()
        let file = folder.url(of: "file")
        try Data("three".utf8).write(to: file)
        let server = try LoopbackServer { _ in [.answer(body: "whole")] }
        let (got, _) = try await makeSession().download(from: server.url())
        #expect(try Data(contentsOf: got) == Data("whole".utf8))
        #expect(write(descriptor, "\n", 1) == 1)
        #expect(try await second == "two")
    }

    private func lines(of url: URL) async throws -> [String] {
        var lines: [String] = []
        for try await line in url.lines { lines.append(line) }
        return lines
    }
}
