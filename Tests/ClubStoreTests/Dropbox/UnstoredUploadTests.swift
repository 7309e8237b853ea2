import Foundation
import Synchronization
import Testing

@testable import ClubStore

/// Uploads to a server that says yes: what it shows afterwards decides.
@Suite struct UnstoredUploadTests {
    private let folder: TemporaryFolder
    private let club = UploadsStandIn()
    private let content = Data((0..<1100).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2) })

    init() throws {
        folder = try TemporaryFolder()
    }

    private func upload(
        mode: RemoteWriteMode = .add, to dropbox: ScriptedDropbox
    ) async throws -> RemoteFile {
        try await Recorder.upload(
            folder.write(content, to: "f"), to: path("/up.jpg"), mode: mode, in: dropbox.store)
    }

    @Test(arguments: [RemoteWriteMode.create, .add, .overwrite])
    func aPhotoThatWasNotStoredIsNotDone(_ mode: RemoteWriteMode) async throws {
        let dropbox = try club.makeDropbox()
        club.state.withLock { $0.stores = false }
        await expectFailure(.withoutEffect) { _ = try await upload(mode: mode, to: dropbox) }
        #expect(
            dropbox.routes
                == ["files/upload"] + Array(repeating: "files/get_metadata", count: 4))
        #expect(dropbox.waits == [.seconds(1), .seconds(2), .seconds(4)])
        club.state.withLock { $0.stores = true }
        _ = try await upload(mode: mode, to: dropbox)
        #expect(club.state.withLock { $0.files["/up.jpg"] } == content)
    }

    @Test func aPhotoInPartsThatWasNotStoredIsNotDone() async throws {
        let sessions = UploadSessionsStandIn()
        let dropbox = try sessions.makeDropbox()
        sessions.fail(2, by: .untruth)
        await expectFailure(.withoutEffect) { _ = try await upload(to: dropbox) }
        #expect(dropbox.routes[2] == "files/upload_session/finish")
        _ = try await upload(to: dropbox)
        #expect(sessions.file == content)
    }

    /// Metadata of an earlier moment are no failure.
    @Test func metadataThatLagBehindAreAskedForAgain() async throws {
        let dropbox = try club.makeDropbox()
        club.state.withLock { $0.lag = 3 }
        _ = try await upload(to: dropbox)
        #expect(dropbox.waits == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(dropbox.routes.count { $0 == "files/upload" } == 1)
    }

    /// However long they lag: the next attempt finds the photo, and takes it for its own.
    @Test func aPhotoThatMetadataDoNotShowIsRecognizedLater() async throws {
        let dropbox = try club.makeDropbox()
        club.state.withLock { $0.lag = 4 }
        await expectFailure(.withoutEffect) { _ = try await upload(mode: .create, to: dropbox) }
        #expect(club.state.withLock { $0.files["/up.jpg"] } == content)
        #expect(try await upload(mode: .create, to: dropbox).byteCount == 1100)
    }
}
