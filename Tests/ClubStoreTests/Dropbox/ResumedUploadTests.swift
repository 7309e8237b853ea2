import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Uploads that resume after the program has ended: the second one here has a store of its own and
/// knows the first only by its record.
@MainActor @Suite struct ResumedUploadTests {
    private let folder: TemporaryFolder
    private let sessions = UploadSessionsStandIn()
    private let content = Data((0..<1100).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2) })
    private let source: URL
    private let record: URL

    init() throws {
        folder = try TemporaryFolder()
        source = try folder.write(content, to: "f")
        record = folder.url.appending(path: "f.upload")
    }

    /// Starts an upload, lets this many requests succeed, and stops it in the middle of the next.
    private func breakOff(
        after count: Int, by fault: UploadSessionsStandIn.Fault = .deafness
    ) async throws {
        sessions.fail(count, by: fault)
        let dropbox = try sessions.makeDropbox()
        let recorder = Recorder()
        let transfer = dropbox.store.upload(
            fileAt: source, to: try path("/up.jpg"), mode: .add, record: record, delegate: recorder)
        transfer.resume()
        await dropbox.server.requests(atLeast: count + 1)
        transfer.cancel()
        await recorder.waitForEnd()
    }

    /// The requests of another run of the program, without the look whether the file is there: routes, and the bytes
    /// with each.
    private func proceed(to place: String = "/up.jpg") async throws -> [String] {
        let dropbox = try sessions.makeDropbox()
        let file = try await Recorder.upload(
            source, to: path(place), record: record, in: dropbox.store)
        #expect(file.contentHash == ContentHash(of: try Data(contentsOf: source)).hexadecimal)
        #expect(try !folder.names.contains("f.upload"))
        #expect(dropbox.routes.last == "files/get_metadata")
        return dropbox.requests.dropLast().map { request in
            "\(request.target.split(separator: "/").last ?? "") \(request.body.count)"
        }
    }

    @Test func inTheMiddleOfTheFirstChunkThereIsNothingToGoOnFrom() async throws {
        try await breakOff(after: 0)
        #expect(try await proceed() == ["start 400", "append_v2 400", "finish 300"])
        #expect(sessions.file == content)
    }

    @Test func inTheMiddleOfAChunkThatChunkIsSentAgain() async throws {
        try await breakOff(after: 1)
        #expect(try await proceed() == ["append_v2 400", "finish 300"])
        #expect(sessions.file == content)
    }

    @Test func inTheMiddleOfTheLastChunkOnlyThatIsSentAgain() async throws {
        try await breakOff(after: 2)
        #expect(try await proceed() == ["finish 300"])
        #expect(sessions.file == content)
    }

    @Test func theServerIsBelievedThatAChunkHadArrived() async throws {
        try await breakOff(after: 1, by: .silence)
        #expect(try await proceed() == ["append_v2 400", "finish 300"])
        #expect(sessions.file == content)
    }

    @Test func theServerIsBelievedThatItHasLessThanItSaid() async throws {
        try await breakOff(after: 2)
        sessions.cut(to: 250)
        #expect(
            try await proceed() == ["finish 300", "append_v2 400", "append_v2 400", "finish 50"])
        #expect(sessions.file == content)
    }

    @Test func aFinishThatHadArrivedIsFoundByLooking() async throws {
        try await breakOff(after: 2, by: .silence)
        #expect(sessions.file == content)
        let asked = try await proceed()
        #expect(asked.map { $0.prefix { $0 != " " } } == ["finish", "get_metadata"])
    }

    @Test(arguments: [1, 2])
    func aSessionThatHasEndedIsBegunAnew(_ count: Int) async throws {
        try await breakOff(after: count)
        sessions.forgetSessions()
        let asked = try await proceed()
        #expect(asked.suffix(3) == ["start 400", "append_v2 400", "finish 300"])
        #expect(sessions.file == content)
    }

    @Test func aSessionThatEndsAgainWhileItIsSentAnewIsBegunOnceMore() async throws {
        try await breakOff(after: 1)
        sessions.forgetSessions()
        sessions.fail(2, by: .refusal(#"{".tag":"closed"}"#))
        #expect(
            try await proceed() == [
                "append_v2 400", "start 400", "append_v2 400", "start 400", "append_v2 400",
                "finish 300",
            ])
    }

    /// With the limits of the program: a photo of the usual size has several requests, and what has been confirmed
    /// is not sent again.
    @Test func ofAPhotoOfThreeMegabytesNothingConfirmedIsSentAgain() async throws {
        let photo = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let file = try folder.write(photo, to: "photo")
        sessions.fail(1, by: .deafness)
        let first = try sessions.makeDropbox(limits: .init())
        let recorder = Recorder()
        let transfer = first.store.upload(
            fileAt: file, to: try path("/up.jpg"), mode: .add, record: record, delegate: recorder)
        transfer.resume()
        await first.server.requests(atLeast: 2)
        transfer.cancel()
        await recorder.waitForEnd()
        let confirmed = try #require(sessions.sessions.values.first?.count)
        #expect(confirmed == 256 << 10)

        let second = try sessions.makeDropbox(limits: .init())
        _ = try await Recorder.upload(
            file, to: path("/up.jpg"), record: record, in: second.store)
        #expect(sessions.file == photo)
        #expect(second.routes.first == "files/upload_session/append_v2")
        #expect(second.routes.last == "files/get_metadata")
        let sent = second.requests.dropLast().map(\.body.count).reduce(0, +)
        #expect(sent == photo.count - confirmed)
    }

    /// Its record is left of something else.
    @Test func anEmptyFileIsSentAtOnceWhateverIsLeft() async throws {
        let file = try folder.write(Data(), to: "empty")
        try Data("{}".utf8).write(to: record)
        let dropbox = try UploadsStandIn().makeDropbox()
        _ = try await Recorder.upload(
            file, to: path("/up.jpg"), record: record, in: dropbox.store)
        #expect(dropbox.routes == ["files/upload", "files/get_metadata"])
    }

    @Test func aSourceThatHasChangedIsSentFromItsBeginning() async throws {
        try await breakOff(after: 2)
        try Data(content.reversed()).write(to: source)
        #expect(try await proceed() == ["start 400", "append_v2 400", "finish 300"])
        #expect(sessions.file == Data(content.reversed()))
    }

    @Test func whatIsOnItsWayToAnotherPlaceIsNotTouched() async throws {
        try await breakOff(after: 2)
        #expect(
            try await proceed(to: "/other/up.jpg") == ["start 400", "append_v2 400", "finish 300"])
        #expect(sessions.sessions.count == 1)
    }

    @Test(arguments: ["", "null", "{", #"{"progress":{"place":"s","byteCount":-1}}"#])
    func aRecordThatMakesNoSenseIsNone(_ text: String) async throws {
        try await breakOff(after: 2)
        try Data(text.utf8).write(to: record)
        #expect(try await proceed() == ["start 400", "append_v2 400", "finish 300"])
    }

    @Test func anOffsetBehindTheEndOfTheFileIsNone() async throws {
        let record = UploadRecord(
            file: record, contentHash: ContentHash(of: content).hexadecimal,
            destination: "/")
        await record.keep(.init(place: "s", byteCount: 1101))
        #expect(try await proceed() == ["start 400", "append_v2 400", "finish 300"])
    }

    /// A session gets its name when it is finished.
    @Test func afterAConflictTheBytesAreFinishedUnderAnotherName() async throws {
        let dropbox = try sessions.makeDropbox()
        sessions.fail(
            2, by: .refusal(#"{".tag":"path","path":{".tag":"conflict","conflict":"file"}}"#))
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await Recorder.upload(
                source, to: path("/up.jpg"), record: record, in: dropbox.store)
        }
        #expect(try await proceed(to: "/up (2).jpg") == ["finish 300"])
        #expect(sessions.file == content)
    }

    @Test func withoutARecordNothingIsKept() async throws {
        let dropbox = try sessions.makeDropbox()
        sessions.fail(1, by: .refusal(#"{".tag":"from_the_future"}"#))
        await expectFailure(.refused) {
            _ = try await Recorder.upload(source, to: path("/up.jpg"), in: dropbox.store)
        }
        #expect(try folder.names == ["f"])
    }

    @Test func theServerIsToldWhatTheBytesOfAWholeFileAre() async throws {
        let dropbox = try UploadsStandIn().makeDropbox()
        _ = try await Recorder.upload(source, to: path("/up.jpg"), in: dropbox.store)
        let argument = try #require(dropbox.requests.first?["Dropbox-API-Arg"])
        let upload = try WireJSON.decodeArgument(UploadArg.self, from: Data(argument.utf8))
        #expect(upload.contentHash == ContentHash(of: content))
    }

    @Test func bytesThatComeOutWrongAreTakenAwayAgain() async throws {
        let wrong = FileMetadata.named("/up.jpg", revision: "0badc0ffee", data: Data([1]))
        let dropbox = try ScriptedDropbox { request in
            switch request.target {
            case "/2/files/upload": .json(wrong)
            case "/2/files/list_revisions":
                .json(ListRevisionsResult(isDeleted: false, entries: [wrong], hasMore: false))
            case "/2/files/delete_v2": .json(DeleteResult(metadata: .file(wrong)))
            default: .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
            }
        }
        await expectFailure(.damaged) {
            _ = try await Recorder.upload(source, to: path("/up.jpg"), in: dropbox.store)
        }
        #expect(
            dropbox.routes == [
                "files/upload", "files/list_revisions", "files/delete_v2", "files/get_metadata",
            ])
        #expect(dropbox.requests[2].text.contains("0badc0ffee"))
    }
}
