import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// Answers in parts: those that the program has asked for, and those that the helper has.
@Suite(.timeLimit(.minutes(2))) struct BackgroundRangeTests {
    private let home: BackgroundHome
    private let body = makeBytes(600_000)
    private let delegate = RecordingDelegate()

    init() throws {
        home = try BackgroundHome()
    }

    // MARK: - The program's own range

    @Test func aRangeOfTheProgramsOwnBeginsAgainAsItWas() async throws {
        let breaks = OneShot(true)
        let server = try RangedServer(body, limit: { _ in breaks.take() == nil ? nil : 300_000 })
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: makeRequest(server))
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body.dropFirst(200_000)])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 206)
        #expect(server.server.requests.map { $0["Range"] } == ["bytes=200000-", "bytes=200000-"])
        #expect(server.server.requests.map { $0["If-Range"] } == [nil, nil])
        await session.background?.calm()
        #expect(home.partNames == [])
    }

    @Test func aRangeOfTheProgramsOwnGivesNoResumeData() async throws {
        let gate = LoopbackGate()
        let server = try RangedServer(body, limit: { _ in 300_000 }, waitingFor: gate)
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: makeRequest(server))
        task.resume()
        await delegate.writing()
        #expect(await task.cancelByProducingResumeData() == nil)
        await delegate.completion()
        gate.open()
        await session.background?.calm()
        #expect(home.partNames == [])
    }

    private func makeRequest(_ server: RangedServer) -> URLRequest {
        var request = URLRequest(url: server.url)
        request.setValue("bytes=200000-", forHTTPHeaderField: "Range")
        return request
    }

    // MARK: - The rest of a download

    @Test(.enabled(if: !LibraryDefects.current.dropsPausedBody))
    func aRestThatEndsEarlyIsGoneOnWith() async throws {
        let server = try LoopbackServer(scripts: [
            makeBeginning(), makeRest(from: 40_000, body[40_000..<41_000]),
            makeRest(from: 41_000, body[41_000...]),
        ])
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=40000-", "bytes=41000-"])
        await session.background?.calm()
        #expect(home.partNames == [])
    }

    /// Nothing says which of its bytes are the file's.
    @Test func aRestThatIsTooLongIsNotTaken() async throws {
        let server = try LoopbackServer(scripts: [
            makeBeginning(), makeRest(from: 40_000, body[40_000...] + Data([7])),
            [
                .readRequest,
                .answer("200 OK", ["ETag: \"v\"", "Connection: close"], body: Array(body)),
            ],
        ])
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=40000-", nil])
    }

    /// Servers need not repeat the date of a version in a 206 (RFC 9110 §15.3.7).
    @Test func aRestWithoutTheVersionIsGoneOnWithToo() async throws {
        let dates = [
            "Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT", "Date: Sun, 02 Jan 2022 00:00:00 GMT",
        ]
        let server = try LoopbackServer(scripts: [
            makeBeginning(dates), makeRest(from: 40_000, body[40_000..<100_000], version: []),
            makeRest(from: 100_000, body[100_000...], version: []),
        ])
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=40000-", "bytes=100000-"])
    }

    /// The first 40,000 bytes of a version, and no more.
    private func makeBeginning(_ version: [String] = ["ETag: \"v\""]) -> [LoopbackStep] {
        let head =
            ["HTTP/1.1 200 OK", "Accept-Ranges: bytes", "Content-Length: \(body.count)"]
            + version + ["", ""]
        return [
            .readRequest, .send(head.joined(separator: "\r\n")),
            .send(Array(body.prefix(40_000))), .close,
        ]
    }

    /// What is said to be all from an offset on, in chunks, so that the range alone has its length.
    private func makeRest(
        from start: Int, _ bytes: Data, version: [String] = ["ETag: \"v\""]
    ) -> [LoopbackStep] {
        let head =
            [
                "HTTP/1.1 206 Partial Content", "Transfer-Encoding: chunked", "Connection: close",
                "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)",
            ] + version + ["", ""]
        return [
            .readRequest, .send(head.joined(separator: "\r\n")),
            .send(String(bytes.count, radix: 16) + "\r\n"), .send(Array(bytes)),
            .send("\r\n0\r\n\r\n"), .close,
        ]
    }
}
