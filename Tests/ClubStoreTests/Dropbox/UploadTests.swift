import CurlNetworking
import ClubStoreTestSupport
import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

@MainActor @Suite struct UploadTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2) })
    }

    /// Responds to an upload with the metadata of the received bytes.
    nonisolated private static func accept(_ body: [UInt8]) -> [LoopbackStep] {
        .json(FileMetadata.named("/up.jpg", data: Data(body)))
    }

    @Test func progressGoesUpAndReachesTheEndOnlyWhenConfirmed() async throws {
        let (gate, club) = (LoopbackGate(), UploadsStandIn())
        let dropbox = try ScriptedDropbox { request in
            [.wait(gate)] + club.answer(request)
        }
        let content = bytes(3_000_000)
        let recorder = Recorder()
        let transfer = dropbox.store.upload(
            fileAt: try folder.write(content, to: "f"), to: try path("/up.jpg"), mode: .add,
            delegate: recorder)
        transfer.resume()
        await dropbox.server.requests(atLeast: 1)
        // Every byte has arrived, but there is no response yet.
        #expect(transfer.state == .running)
        #expect(recorder.progress.allSatisfy { $0.moved < 3_000_000 })
        gate.open()
        await recorder.waitForEnd()
        #expect(recorder.progress.map(\.moved) == recorder.progress.map(\.moved).sorted())
        #expect(recorder.progress.last?.moved == 3_000_000)
        #expect(recorder.progress.allSatisfy { $0.expected == 3_000_000 })
        #expect(recorder.progress.filter { $0.moved == 3_000_000 }.count == 1)
        #expect(recorder.results.count == 1)
        #expect(transfer.state == .finished)
        #expect(Data(dropbox.requests[0].body) == content)
    }

    @Test func aCancelEndsItAtOnceAndTheServerSeesIt() async throws {
        let dropbox = try ScriptedDropbox { _ in [.stall] }
        let recorder = Recorder()
        let transfer = dropbox.store.upload(
            fileAt: try folder.write(bytes(100), to: "f"), to: try path("/up.jpg"), mode: .add,
            delegate: recorder)
        transfer.resume()
        await dropbox.server.requests(atLeast: 1)
        transfer.cancel()
        #expect(transfer.state == .finished)
        #expect(recorder.results.isEmpty)
        transfer.cancel()
        transfer.resume()
        await recorder.waitForEnd()
        await dropbox.server.end(ofConnection: 0)
        #expect(recorder.results.count == 1)
        #expect(throws: StoreError.self) { try recorder.results[0].get() }
    }

    /// Where several may run each has a connection of its own: none stands still behind another.
    @Test func severalUploadsRunAtOnceWhereTheyMay() async throws {
        let (gate, club) = (LoopbackGate(), UploadsStandIn())
        let dropbox = try ScriptedDropbox(configure: { $0.uploadConnectionLimit = 3 }) {
            [.wait(gate)] + club.answer($0)
        }
        let recorders = [Recorder(), Recorder(), Recorder()]
        for (number, recorder) in recorders.enumerated() {
            dropbox.store.upload(
                fileAt: try folder.write(bytes(1000 + number), to: "f\(number)"),
                to: try path("/up\(number).jpg"), mode: .add, delegate: recorder
            ).resume()
        }
        // All of them have arrived, and none has an answer.
        #expect(await dropbox.server.requests(atLeast: 3).count == 3)
        gate.open()
        for recorder in recorders {
            await recorder.waitForEnd()
            #expect(throws: Never.self) { try recorder.results[0].get() }
        }
    }

    @Test func anUploadThatNobodyListensToGoesOn() async throws {
        let dropbox = try UploadsStandIn().makeDropbox()
        do {
            let transfer = dropbox.store.upload(
                fileAt: try folder.write(bytes(10), to: "f"), to: try path("/up.jpg"), mode: .add,
                delegate: Recorder())
            transfer.resume()
        }
        await dropbox.server.requests(atLeast: 1)
    }

    @Test func aServerThatDiesUnderwayIsAskedOnceMore() async throws {
        let club = UploadsStandIn()
        let isFirst = Mutex(true)
        let dropbox = try ScriptedDropbox { request in
            let breaks = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return breaks ? [.reset] : club.answer(request)
        }
        let file = try await Recorder.upload(
            try folder.write(bytes(1000), to: "f"), to: path("/up.jpg"), in: dropbox.store)
        #expect(file.byteCount == 1000)
        let hopeless = try ScriptedDropbox([[.reset]])
        await expectFailure(.offline) {
            _ = try await Recorder.upload(
                try folder.write(bytes(1000), to: "f"), to: path("/up.jpg"), in: hopeless.store)
        }
        #expect(hopeless.routes.count { $0 == "files/upload" } == 2)
    }

    @Test func otherBytesOnTheServerAreDamage() async throws {
        let dropbox = try ScriptedDropbox([Self.accept([1, 2, 3])])
        await expectFailure(.damaged) {
            _ = try await Recorder.upload(
                try folder.write(Data([1, 2, 4]), to: "f"), to: path("/up.jpg"), in: dropbox.store)
        }
    }

    @Test func aFileThatChangesUnderwayIsReported() async throws {
        let file = try folder.write(bytes(1000), to: "f")
        let dropbox = try ScriptedDropbox { request in
            try? Data("changed".utf8).write(to: file)
            return Self.accept(request.body)
        }
        await expectFailure(.changedMeanwhile) {
            _ = try await Recorder.upload(file, to: path("/up.jpg"), in: dropbox.store)
        }
    }

    @Test func onlyOneGoesAtATime() async throws {
        let dropbox = try UploadsStandIn().makeDropbox()
        try await withThrowingTaskGroup(of: RemoteFile.self) { group in
            for index in 0..<5 {
                let file = try folder.write(bytes(100_000 + index), to: "f\(index)")
                group.addTask {
                    try await Recorder.upload(file, to: path("/up\(index).jpg"), in: dropbox.store)
                }
            }
            for try await _ in group {}
        }
        let uploads = dropbox.requests.filter { $0.target == "/2/files/upload" }
        #expect(uploads.count == 5)
        // The looks that follow may use the connection meanwhile: `opensNoMoreConnectionsThanAllowed` counts them.
        #expect(dropbox.store.uploader.session.configuration.httpMaximumConnectionsPerHost == 1)
    }

    // MARK: - In chunks

    @Test func aLargeFileTravelsInASession() async throws {
        let sessions = UploadSessionsStandIn()
        let dropbox = try sessions.makeDropbox()
        let content = bytes(1100)
        let recorder = Recorder()
        let transfer = dropbox.store.upload(
            fileAt: try folder.write(content, to: "f"), to: try path("/up.jpg"), mode: .add,
            delegate: recorder)
        transfer.resume()
        await recorder.waitForEnd()
        #expect(try recorder.results[0].get().byteCount == 1100)
        #expect(
            dropbox.routes == [
                "files/upload_session/start", "files/upload_session/append_v2",
                "files/upload_session/finish", "files/get_metadata",
            ])
        #expect(dropbox.requests.prefix(3).map(\.body.count) == [400, 400, 300])
        #expect(sessions.file == content)
        let argument = try #require(dropbox.requests[2]["Dropbox-API-Arg"])
        let finish = try WireJSON.decodeArgument(
            UploadSessionFinishArg.self, from: Data(argument.utf8))
        #expect(finish.cursor == UploadSessionCursor(sessionID: "s1", offset: 800))
        #expect(finish.commit.path == "/up.jpg")
        #expect(recorder.progress.map(\.moved) == recorder.progress.map(\.moved).sorted())
        #expect(recorder.progress.last?.moved == 1100)
    }

    /// Whichever response is lost, the file arrives once and complete.
    @Test(arguments: [Set([0]), [1], [2], [1, 2], [0, 1, 2]])
    func lostAnswersDoNoHarm(_ lost: Set<Int>) async throws {
        let sessions = UploadSessionsStandIn(lostAnswers: lost)
        let dropbox = try sessions.makeDropbox()
        let content = bytes(1100)
        let file = try await Recorder.upload(
            try folder.write(content, to: "f"), to: path("/up.jpg"), in: dropbox.store)
        #expect(file.byteCount == 1100)
        #expect(sessions.file == content)
    }
}
