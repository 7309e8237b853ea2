import Foundation
import Testing

@testable import CurlNetworking

@Suite struct URLRequestTests {
    private let url = URL(filePath: "/")

    @Test func findsFieldsInAnyCase() {
        var request = URLRequest(url: url)
        request.setValue("1", forHTTPHeaderField: "X-One")
        request.addValue("2", forHTTPHeaderField: "x-one")
        #expect(request.value(forHTTPHeaderField: "X-ONE") == "1, 2")
        request.setValue("3", forHTTPHeaderField: "x-ONE")
        #expect(request.allHTTPHeaderFields == ["x-ONE": "3"])
        request.setValue(nil, forHTTPHeaderField: "X-one")
        #expect(request.allHTTPHeaderFields == nil)
    }

    @Test func isAGetWithSixtySecondsUnlessSaid() {
        var request = URLRequest(url: url)
        #expect(request.httpMethod == "GET")
        #expect(request.timeoutInterval == 60)
        request.httpMethod = nil
        #expect(request.httpMethod == "GET")
        #expect(request == URLRequest(url: url))
    }
}

@Suite struct HTTPURLResponseTests {
    private let url = URL(string: "http://a.test/dir/photo.jpg?x=1")

    @Test func readsTheMediaType() throws {
        let response = try make(["content-type": "Text/HTML; Charset=\"UTF-8\"; x=y"])
        #expect(response.mimeType == "text/html")
        #expect(response.textEncodingName == "utf-8")
        #expect(response.suggestedFilename == "photo.jpg")
        #expect(response.value(forHTTPHeaderField: "CONTENT-TYPE")?.hasPrefix("Text") == true)
        #expect(
            response.allHeaderFields["content-type"] as? String
                == "Text/HTML; Charset=\"UTF-8\"; x=y")
    }

    @Test(
        arguments: [
            (["Content-Length": "12"], 12), ([:], -1), (["Content-Length": "-3"], -1),
            (["Content-Length": "12, 12"], -1), (["Content-Length": "99999999999999999999"], -1),
            (["Content-Length": "12", "Content-Encoding": "gzip"], -1),
            (["Content-Length": "12", "Content-Encoding": "identity"], 12),
            (["Content-Length": "12", "Transfer-Encoding": "chunked"], -1),
        ] as [([String: String], Int64)])
    func tellsTheLengthOnlyWhenItIsSure(fields: [String: String], length: Int64) throws {
        #expect(try make(fields).expectedContentLength == length)
    }

    @Test(arguments: [
        "", ";", "; charset=x", "text/plain; charset=", "text/plain; charset=\"", "\"\"",
    ])
    func survivesOddMediaTypes(field: String) throws {
        _ = try make(["Content-Type": field]).mimeType
    }

    private func make(_ fields: [String: String]) throws -> HTTPURLResponse {
        let url = try #require(url)
        return try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
    }
}

@Suite struct URLErrorTests {
    @Test func isCaughtByItsCode() {
        do {
            throw URLError(.timedOut, failingURL: URL(string: "http://a.test"), underlyingText: "x")
        } catch URLError.cancelled {
            Issue.record("matched another code")
        } catch URLError.timedOut {
        } catch {
            Issue.record("did not match")
        }
    }

    @Test func carriesApplesNumbers() {
        #expect(URLError(.cancelled).errorCode == -999)
        #expect(URLError(.serverCertificateUntrusted).errorCode == -1202)
        #expect(URLError.errorDomain == "NSURLErrorDomain")
        let error: any Error = URLError(.timedOut)
        #expect(error.localizedDescription == "The server did not answer in time.")
    }
}

@Suite struct URLSessionConfigurationTests {
    @Test func takesHeadersOfAnyType() {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Number": 3, "X-Text": "t"]
        #expect(configuration.httpAdditionalHeaders?["X-Number"] as? String == "3")
        configuration.httpAdditionalHeaders = nil
        #expect(configuration.httpAdditionalHeaders == nil)
    }

    @Test func isCopiedByTheSession() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 5
        let session = URLSession(configuration: configuration)
        configuration.timeoutIntervalForRequest = 6
        session.configuration.timeoutIntervalForRequest = 7
        #expect(session.configuration.timeoutIntervalForRequest == 5)
    }

    @Test func isNewEachTime() {
        URLSessionConfiguration.default.httpMaximumConnectionsPerHost = 1
        #expect(URLSessionConfiguration.default.httpMaximumConnectionsPerHost == 6)
    }
}
