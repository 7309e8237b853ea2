import Foundation
import Testing

@testable import CurlNetworking

@Suite struct DownloadResumptionTests {
    // MARK: - What is asked

    @Test func asksForTheRest() throws {
        let request = try makeResumption().request
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=500-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == "\"v1\"")
        #expect(request.value(forHTTPHeaderField: "Accept-Encoding") == "identity")
        #expect(request.value(forHTTPHeaderField: "Accept") == "*/*")
        #expect(request.httpMethod == "GET")
    }

    @Test(arguments: [(500, 500), (499, 499), (0, 0), (501, 500), (9999, 500)])
    func goesOnNoFurtherThanBothTheFileAndTheBlobSay(file: Int64, offset: Int64) throws {
        let resumption = try makeResumption(fileByteCount: file)
        #expect(resumption.offset == offset)
        #expect(
            resumption.request.value(forHTTPHeaderField: "Range")
                == (offset == 0 ? nil : "bytes=\(offset)-"))
    }

    @Test func aPartThatIsGoneFails() throws {
        #expect(throws: URLError.self) { try makeResumption(fileByteCount: nil) }
    }

    // MARK: - What is answered

    @Test(
        arguments: [
            ("206 Content-Range: bytes 500-999/1000", "proceed 500 1000"),
            ("206 Content-Range: bytes 500-999/*", "proceed 500 1000"),
            ("206 Content-Range: bytes 500-700/1000", "whole"),
            ("206 Content-Range: Bytes 500-999/1000 | ETag: \"v1\"", "proceed 500 1000"),
            ("206 Content-Range: bytes 500-999/1000 | ETag: \"v2\"", "whole"),
            ("206 Content-Range: bytes 500-999/1000 | ETag: W/\"v1\"", "whole"),
            ("206 Content-Range: bytes 499-999/1000", "whole"),
            ("206 Content-Range: bytes 501-999/1000", "whole"),
            ("206 Content-Range: bytes 0-999/1000", "whole"),
            ("206 Content-Range: bytes 500-999/2000", "whole"),
            ("206 Content-Range: bytes 500-1000/1000", "whole"),
            ("206 Content-Range: bytes 999-500/1000", "whole"),
            ("206 Content-Range: items 500-999/1000", "whole"),
            ("206 Content-Range: bytes 500-999", "whole"),
            ("206 Content-Range: bytes +500-999/1000", "whole"),
            ("206 Content-Range: bytes 99999999999999999999-1/2", "whole"),
            ("206 Content-Range: bytes */1000", "whole"), ("206", "whole"),
            ("206 Content-Type: multipart/byteranges; boundary=x", "whole"),
            ("206 Content-Range: bytes 500-999/1000 | Content-Encoding: gzip", "whole"),
            (
                "206 Content-Range: bytes 500-999/1000 | Content-Encoding: identity",
                "proceed 500 1000"
            ),
            ("200", "start over"), ("200 ETag: \"v2\"", "start over"), ("204", "start over"),
            ("416 Content-Range: bytes */500", "whole"), ("416", "whole"),
            ("416 Content-Range: bytes */1000", "whole"), ("416 Content-Range: junk", "whole"),
            ("404", "deliver"), ("410", "deliver"), ("401", "deliver"), ("403", "deliver"),
            ("302", "deliver"), ("500", "unavailable"), ("503", "unavailable"),
            ("429", "unavailable"), ("408", "unavailable"),
        ])
    func decides(answer: String, expected: String) throws {
        #expect(render(try makeResumption().decide(on: head(answer))) == expected)
    }

    @Test(
        arguments: [
            (500, 500, "206 Content-Range: bytes 499-499/500", "proceed 499 500"),
            (500, 500, "416 Content-Range: bytes */500", "whole"),
            (500, nil, "416 Content-Range: bytes */500", "whole"),
            (400, 500, "416 Content-Range: bytes */500", "whole"),
            (500, 500, "416", "whole"), (500, 500, "206 Content-Range: bytes 0-499/500", "whole"),
        ] as [(Int64, Int64?, String, String)])
    func ofAWholeFileTheLastByteIsAskedForAgain(
        count: Int64, total: Int64?, answer: String, expected: String
    ) throws {
        let resumption = try makeResumption(
            byteCount: count, total: total, fileByteCount: count)
        #expect(render(resumption.decide(on: head(answer))) == expected)
    }

    @Test func anEmptyPartIsNoPart() throws {
        let resumption = try makeResumption(fileByteCount: 0)
        #expect(render(resumption.decide(on: head("200"))) == "start over")
        #expect(
            render(resumption.decide(on: head("206 Content-Range: bytes 0-9/10"))) == "start over")
    }

    // MARK: - What can be gone on with

    @Test(
        arguments: [
            ("200 Accept-Ranges: bytes | ETag: \"v\"", "\"v\""),
            ("200 Accept-Ranges: Bytes | ETag: \"v\"", "\"v\""),
            ("200 Accept-Ranges: bytes | ETag: W/\"v\"", nil),
            ("200 Accept-Ranges: bytes | ETag: v", nil), ("200 Accept-Ranges: bytes", nil),
            ("200 ETag: \"v\"", nil), ("200 Accept-Ranges: none | ETag: \"v\"", nil),
            ("200 Accept-Ranges: bytes | ETag: \"v\" | Content-Encoding: gzip", nil),
            ("206 Content-Range: bytes 5-9/10 | ETag: \"v\"", "\"v\""),
            ("404 Accept-Ranges: bytes | ETag: \"v\"", nil),
            ("203 Accept-Ranges: bytes | ETag: \"v\"", nil),
        ] as [(String, String?)])
    func knowsWhatCanBeGoneOnWith(answer: String, validator: String?) throws {
        let request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        #expect(DownloadResumption.validator(for: request, head(answer))?.text == validator)
    }

    @Test(
        arguments: [
            ("Sat, 01 Jan 2022 00:00:00 GMT", "Sun, 02 Jan 2022 00:00:00 GMT", true),
            ("Sat, 01 Jan 2022 00:00:00 GMT", "Sat, 01 Jan 2022 00:00:01 GMT", true),
            ("Sat, 01 Jan 2022 00:00:00 GMT", "Sat, 01 Jan 2022 00:00:00 GMT", false),
            // The same second, differently spelled.
            ("Sat Jan  1 00:00:00 2022", "Sat, 01 Jan 2022 00:00:00 GMT", false),
            ("Sun, 02 Jan 2022 00:00:00 GMT", "Sat, 01 Jan 2022 00:00:00 GMT", false),
            ("Sat, 01 Jan 2022 00:00:00 GMT", nil, false),
            ("Sat, 01 Jan 2022 00:00:00 GMT", "today", false),
            ("once", "Sat, 01 Jan 2022 00:00:00 GMT", false), ("", "", false),
        ] as [(String, String?, Bool)])
    func aDateIsAVersionIfItIsASecondOlderThanTheAnswer(
        modified: String, date: String?, isVersion: Bool
    ) throws {
        let request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        var answer = head("200 Accept-Ranges: bytes")
        answer.headers["Last-Modified"] = modified
        answer.headers["Date"] = date
        let expected = isVersion ? modified : nil
        #expect(DownloadResumption.validator(for: request, answer)?.text == expected)
    }

    /// RFC 9110 §13.1.5: no date where there is an entity tag.
    @Test(arguments: [("\"v\"", "\"v\""), ("W/\"v\"", nil), ("v", nil)] as [(String, String?)])
    func anEntityTagIsNotReplacedByADate(tag: String, validator: String?) throws {
        let request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        var answer = head("200 Accept-Ranges: bytes")
        answer.headers["Last-Modified"] = "Sat, 01 Jan 2022 00:00:00 GMT"
        answer.headers["Date"] = "Sun, 02 Jan 2022 00:00:00 GMT"
        answer.headers["ETag"] = tag
        #expect(DownloadResumption.validator(for: request, answer)?.text == validator)
    }

    @Test(arguments: ["POST", "HEAD", "PUT"])
    func onlyAGetCanBeGoneOnWith(method: String) throws {
        let good = head("200 Accept-Ranges: bytes | ETag: \"v\"")
        var request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        #expect(DownloadResumption.validator(for: request, good) != nil)
        request.httpMethod = method
        #expect(DownloadResumption.validator(for: request, good) == nil)
        request.httpMethod = "GET"
        request.httpBody = Data("x".utf8)
        #expect(DownloadResumption.validator(for: request, good) == nil)
    }

    @Test(
        arguments: [
            ("200 Accept-Ranges: bytes | ETag: \"v\" | Content-Length: 1000", 1000),
            ("200 Accept-Ranges: bytes | ETag: \"v\" | Transfer-Encoding: chunked", nil),
            ("206 Content-Range: bytes 5-9/1000 | ETag: \"v\" | Content-Length: 5", 1000),
            ("206 Content-Range: bytes 5-9/* | ETag: \"v\"", nil),
        ] as [(String, Int64?)])
    func notesTheWholeLength(answer: String, total: Int64?) throws {
        let url = try #require(URL(string: "http://a.test/x"))
        let data = try #require(
            DownloadResumption.data(
                request: URLRequest(url: url), originalURL: nil, head: head(answer), byteCount: 7,
                fileName: PartialFiles.makeName()))
        #expect(data.totalByteCount == total)
        #expect(data.byteCount == 7)
        #expect(try ResumeData(blob: data.blob) == data)
    }

    @Test func nothingArrivedIsNothingToGoOnWith() throws {
        let url = try #require(URL(string: "http://a.test/x"))
        #expect(
            DownloadResumption.data(
                request: URLRequest(url: url), originalURL: nil,
                head: head("200 Accept-Ranges: bytes | ETag: \"v\""), byteCount: 0,
                fileName: PartialFiles.makeName()) == nil)
    }

    // MARK: -

    private func makeResumption(
        byteCount: Int64 = 500, total: Int64? = 1000, fileByteCount: Int64? = 500
    ) throws -> DownloadResumption {
        let url = try #require(URL(string: "https://a.test/big"))
        return try DownloadResumption(
            ResumeData(
                url: url, originalURL: url, headers: HTTPHeaderFields(["Accept": "*/*"]),
                validator: .entityTag("\"v1\""), byteCount: byteCount, totalByteCount: total,
                fileName: PartialFiles.makeName()),
            fileByteCount: fileByteCount)
    }

    /// `206 Name: value | Name: value`
    private func head(_ text: String) -> ResponseHead {
        var head = ResponseHead(status: Int(text.prefix(3)) ?? 0)
        for field in text.dropFirst(4).split(separator: " | ") {
            let parts = field.split(separator: ": ", maxSplits: 1)
            head.headers[String(parts[0])] = String(parts[1])
        }
        return head
    }

    private func render(_ decision: DownloadResumption.Decision) -> String {
        switch decision {
        case .proceed(let offset, let total): "proceed \(offset) \(total.map(String.init) ?? "?")"
        case .startOver: "start over"
        case .askForWhole: "whole"
        case .deliver: "deliver"
        case .unavailable: "unavailable"
        }
    }
}
