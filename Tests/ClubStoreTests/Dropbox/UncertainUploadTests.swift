import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Uploads of what must be new, to a server that takes the bytes and does not say so, or says that it has
/// others.
@MainActor @Suite struct UncertainUploadTests {
    /// A server with room for one file, whose name is given once.
    private final class Server: Sendable {
        struct State {
            var data: Data?
            var isSilent = false
            var damages = false
        }

        let state = Mutex(State())

        var data: Data? { state.withLock { $0.data } }

        func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
            state.withLock { state in
                switch request.target {
                case "/2/files/upload":
                    guard state.data == nil else {
                        return .refusal(
                            #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"s"}"#
                        )
                    }
                    state.data = Data(request.body) + (state.damages ? [0] : [])
                    return state.isSilent ? [.stall] : .json(Self.file(state))
                case "/2/files/delete_v2":
                    defer { state.data = nil }
                    return .json(DeleteResult(metadata: .file(Self.file(state))))
                case "/2/files/list_revisions":
                    return .json(
                        ListRevisionsResult(
                            isDeleted: state.data == nil, entries: [Self.file(state)],
                            hasMore: false))
                default:
                    return state.data == nil
                        ? .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
                        : .json(Metadata.file(Self.file(state)))
                }
            }
        }

        private static func file(_ state: State) -> FileMetadata {
            .named("/up.jpg", data: state.data ?? Data())
        }
    }

    private let server = Server()
    private let folder: TemporaryFolder
    private let photo = Data("a photo".utf8)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeDropbox(timeout: Duration = .seconds(60)) throws -> ScriptedDropbox {
        try ScriptedDropbox(configure: { $0.timeout = timeout }, answering: server.answer)
    }

    private func upload(
        _ data: Data, by dropbox: ScriptedDropbox,
        meanwhile: @MainActor (any StoreTransfer) async -> Void = { _ in }
    ) async throws -> Result<RemoteFile, StoreError> {
        let recorder = Recorder()
        let transfer = dropbox.store.upload(
            fileAt: try folder.write(data, to: "f"), to: try path("/up.jpg"), mode: .create,
            delegate: recorder)
        transfer.resume()
        await meanwhile(transfer)
        await recorder.waitForEnd()
        return try #require(recorder.results.first)
    }

    @Test(arguments: ["a time-out", "a cancel"])
    func whatHasArrivedIsKnownAgainAfter(_ end: String) async throws {
        let isCancel = end == "a cancel"
        let dropbox = try makeDropbox(timeout: isCancel ? .seconds(60) : .milliseconds(300))
        server.state.withLock { $0.isSilent = true }
        let first = try await upload(photo, by: dropbox) { transfer in
            guard isCancel else { return }
            await dropbox.server.requests(atLeast: 1)
            transfer.cancel()
        }
        let error = #expect(throws: StoreError.self) { try first.get() }
        #expect(error?.code == (isCancel ? .cancelled : .timedOut))
        #expect(server.data == photo)
        server.state.withLock { $0.isSilent = false }
        // The same photo does not conflict with itself…
        let again = try await upload(photo, by: dropbox).get()
        #expect(again.contentHash == ContentHash(of: photo).hexadecimal)
        #expect(dropbox.routes == ["files/upload", "files/upload", "files/get_metadata"])
        // …once: from now on it is there like any other.
        let third = try await upload(photo, by: dropbox)
        let conflict = #expect(throws: StoreError.self) { try third.get() }
        #expect(conflict?.code == .conflict(serverRevision: Revision(rawValue: "0123456789abc")))
    }

    @Test func anotherPhotoOfThatNameIsAConflictAfterATimeOut() async throws {
        let dropbox = try makeDropbox(timeout: .milliseconds(300))
        server.state.withLock { $0.isSilent = true }
        _ = try await upload(photo, by: dropbox)
        server.state.withLock { $0.isSilent = false }
        let other = try await upload(Data("another".utf8), by: dropbox)
        let conflict = #expect(throws: StoreError.self) { try other.get() }
        #expect(conflict?.code == .conflict(serverRevision: Revision(rawValue: "0123456789abc")))
        #expect(server.data == photo)
    }

    /// What arrived is not what was sent: it would pass for another member's, and be in its own way.
    @Test func whatArrivesDamagedIsRemoved() async throws {
        let dropbox = try makeDropbox()
        server.state.withLock { $0.damages = true }
        let first = try await upload(photo, by: dropbox)
        let error = #expect(throws: StoreError.self) { try first.get() }
        #expect(error?.code == .damaged)
        #expect(server.data == nil)
        #expect(
            dropbox.routes == [
                "files/upload", "files/list_revisions", "files/delete_v2", "files/get_metadata",
            ])
        server.state.withLock { $0.damages = false }
        _ = try await upload(photo, by: dropbox).get()
        #expect(server.data == photo)
    }
}
