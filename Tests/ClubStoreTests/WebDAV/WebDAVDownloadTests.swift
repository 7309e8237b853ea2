import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Downloads of files that change on their way.
@Suite struct WebDAVDownloadTests {
    private static let old = [UInt8](repeating: 1, count: 4000)
    private static let new = [UInt8](repeating: 2, count: 4000)

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var target: URL { folder.url.appending(path: "sea.jpg") }

    /// A server of `/sea.jpg` whose first answer to a `GET` is this one.
    private func makeServer(firstAnswer: [LoopbackStep]) throws -> WebDAVStandIn {
        let isFirst = Mutex(true)
        let standIn = try WebDAVStandIn(
            .init(interception: { request in
                guard request.method == "GET" else { return nil }
                return isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? firstAnswer : nil
                }
            }))
        standIn.plant(Self.old, at: "/sea.jpg")
        return standIn
    }

    /// The tag and the length are those of before, and the second half of the bytes is not.
    @Test func aFileThatIsRewrittenInPlaceIsNoMixture() async throws {
        let standIn = try makeServer(
            firstAnswer: [
                .answer(
                    "200 OK", [#"ETag: "v1""#],
                    body: Array(Self.old.prefix(2000) + Self.new.suffix(2000)))
            ])
        // Before the look after the last byte.
        standIn.before(2) { $0.plant(Self.new, at: "/sea.jpg") }
        let file = try await Recorder.download(
            path("/sea.jpg"), to: target, keepsPartialFile: true, in: standIn.store)
        #expect(file.revision.rawValue == #""v2""#)
        #expect(try Data(contentsOf: target) == Data(Self.new))
        #expect(try folder.names == ["sea.jpg"])
        let round = ["PROPFIND /sea.jpg", "GET /sea.jpg", "PROPFIND /sea.jpg"]
        #expect(standIn.calls == round + round)
    }

    @Test func anAnswerWithoutALengthThatEndsEarlyIsGoneOnWith() async throws {
        let standIn = try makeServer(
            firstAnswer: [
                .send(
                    Array("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\n".utf8)
                        + Self.old.prefix(2000)), .close,
            ])
        _ = try await Recorder.download(path("/sea.jpg"), to: target, in: standIn.store)
        #expect(try Data(contentsOf: target) == Data(Self.old))
        let second = try #require(standIn.requests.filter { $0.method == "GET" }.last)
        #expect(second["Range"] == "bytes=2000-")
        #expect(second["If-Range"] == #""v1""#)
    }
}
