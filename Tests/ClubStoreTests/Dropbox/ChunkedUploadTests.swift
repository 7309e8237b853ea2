import Foundation
import Testing

@testable import ClubStore

@Suite struct ChunkedUploadTests {
    private let file = RemoteFile(
        path: .root, revision: Revision(rawValue: "r"), byteCount: 25, modified: Date())

    private func failure(_ code: StoreError.Code) -> StoreError {
        StoreError(code, during: .upload)
    }

    /// Gives responses until it finishes; returns the requests, in order, and the result.
    private func run(_ answers: [ChunkedUpload.Answer]) -> (
        asked: [ChunkedUpload.Request], end: String
    ) {
        var upload = ChunkedUpload(byteCount: 25, chunkByteCount: 10)
        var asked: [ChunkedUpload.Request] = []
        for answer in answers {
            asked.append(upload.request)
            switch upload.take(answer) {
            case .proceed: continue
            case .done: return (asked, "done")
            case .failed(let error): return (asked, "\(error.code)")
            }
        }
        return (asked, "goes on with \(upload.request)")
    }

    private let start = ChunkedUpload.Request.start(length: 10)
    private let append = ChunkedUpload.Request.append(session: "s", offset: 10, length: 10)
    private let finish = ChunkedUpload.Request.finish(session: "s", offset: 20, length: 5)

    @Test func startsAppendsAndFinishes() {
        let (asked, end) = run([.started(session: "s"), .appended, .finished(file)])
        #expect(asked == [start, append, finish])
        #expect(end == "done")
    }

    @Test func asksForTheRightBytes() {
        var upload = ChunkedUpload(byteCount: 25, chunkByteCount: 10)
        #expect(upload.range == 0..<10)
        _ = upload.take(.started(session: "s"))
        #expect(upload.range == 10..<20)
        _ = upload.take(.appended)
        #expect(upload.range == 20..<25)
    }

    @Test func goesOnWhenTheFirstAnswerWasLostAndTheBytesHadArrived() {
        let (asked, end) = run([.started(session: "s"), .incorrectOffset(20), .finished(file)])
        #expect(asked == [start, append, finish])
        #expect(end == "done")
    }

    @Test func finishesWithoutBytesWhenAllHadArrived() {
        let empty = ChunkedUpload.Request.finish(session: "s", offset: 25, length: 0)
        let (asked, end) = run(
            [.started(session: "s"), .appended, .incorrectOffset(25), .finished(file)])
        #expect(asked == [start, append, finish, empty])
        #expect(end == "done")
    }

    @Test func sendsFromWhereTheServerSays() {
        let again = ChunkedUpload.Request.append(session: "s", offset: 4, length: 10)
        let (asked, _) = run([.started(session: "s"), .incorrectOffset(4), .appended])
        #expect(asked == [start, append, again])
    }

    @Test func doesNotQuarrelAboutAnOffsetForEver() {
        let answers =
            [ChunkedUpload.Answer.started(session: "s")]
            + Array(repeating: .incorrectOffset(4), count: 10)
        #expect(run(answers).end == "badAnswer")
        #expect(run([.started(session: "s"), .incorrectOffset(26)]).end == "badAnswer")
        #expect(run([.started(session: "s"), .incorrectOffset(-1)]).end == "badAnswer")
    }

    @Test func beginsAnewOnceWhenTheSessionIsGone() {
        let gone = ChunkedUpload.Answer.sessionGone(failure(.notFound))
        let (asked, _) = run([.started(session: "s"), gone, .started(session: "t"), .appended])
        #expect(asked[2] == start)
        #expect(
            run([.started(session: "s"), gone, .started(session: "t"), gone]).end == "serverError")
    }

    @Test func looksWhetherAFinishHadArrivedWhenItsSessionIsGone() {
        let gone = ChunkedUpload.Answer.sessionGone(failure(.notFound))
        let base = [ChunkedUpload.Answer.started(session: "s"), .appended, gone]
        let (asked, end) = run(base + [.found(file, isSame: true)])
        #expect(asked.last == .lookUp)
        #expect(end == "done")
        #expect(run(base + [.found(file, isSame: false)]).end == "goes on with \(start)")
        #expect(run(base + [.failed(failure(.notFound))]).end == "goes on with \(start)")
        #expect(run(base + [.failed(failure(.offline))]).end == "offline")
    }

    @Test func bytesThatCameOutWrongAreSentAgain() {
        let damaged = ChunkedUpload.Answer.damaged(failure(.damaged))
        let (asked, end) = run([
            damaged, .started(session: "s"), damaged, damaged, .appended, damaged, .finished(file),
        ])
        #expect(asked == [start, start, append, append, append, finish, finish])
        #expect(end == "done")
        #expect(run([.started(session: "s"), damaged, damaged, damaged]).end == "damaged")
    }

    @Test func failsAsItIsTold() {
        #expect(run([.failed(failure(.overQuota))]).end == "overQuota")
        #expect(
            run([
                .started(session: "s"), .appended, .failed(failure(.conflict(serverRevision: nil))),
            ])
            .end == "conflict(serverRevision: nil)")
        #expect(run([.appended]).end == "badAnswer")
    }
}
