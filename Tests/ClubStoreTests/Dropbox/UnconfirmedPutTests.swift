import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Writes to Dropbox with a lost response: the next one finds that its own revision has changed,
/// without another writer.
@Suite struct UnconfirmedPutTests {
    @Test func anEditThatIsStoredUnderAnotherNameIsNone() async throws {
        let stray = FileMetadata.named("/a (1)", revision: "000000009", data: data("new"))
        let dropbox = try ScriptedDropbox([
            .json(stray),
            .json(ListRevisionsResult(isDeleted: false, entries: [stray], hasMore: false)),
            .json(DeleteResult(metadata: .file(stray))),
            .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#),
            .json(Metadata.file(.named("/a", revision: "000000002", data: data("theirs")))),
        ])
        await expectFailure(.conflict(serverRevision: Revision(rawValue: "000000002"))) {
            _ = try await dropbox.store.put(
                data("new"), at: path("/a"), mode: .update(Revision(rawValue: "000000001")))
        }
        #expect(
            dropbox.routes == [
                "files/upload", "files/list_revisions", "files/delete_v2", "files/get_metadata",
                "files/get_metadata",
            ])
    }

    /// Dropbox keeps the case in which a name was first written.
    @Test func anEditUnderTheNameInAnotherCaseHasArrived() async throws {
        let file = FileMetadata.named("/A", revision: "000000002", data: data("new"))
        let dropbox = try ScriptedDropbox([.json(file)])
        let saved = try await dropbox.store.put(
            data("new"), at: path("/a"), mode: .update(Revision(rawValue: "000000001")))
        #expect(saved.revision == Revision(rawValue: "000000002"))
    }

    /// A server with one file, which checks revisions.
    private final class Server: Sendable {
        struct State {
            var data = Data("old".utf8)
            var revision = 1
            var losesAnswers = false
        }

        let state = Mutex(State())

        var text: String { state.withLock { String(decoding: $0.data, as: UTF8.self) } }

        func plant(_ text: String) {
            state.withLock { state in
                state.data = Data(text.utf8)
                state.revision += 1
            }
        }

        func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
            state.withLock { state in
                let argument = Data((request["Dropbox-API-Arg"] ?? "").utf8)
                guard request.target == "/2/files/upload" || !state.losesAnswers else {
                    return [.close]
                }
                guard request.target == "/2/files/upload",
                    let upload = try? WireJSON.decodeArgument(UploadArg.self, from: argument)
                else { return .json(Metadata.file(Self.file(state))) }
                let isSame = Data(request.body) == state.data
                guard isSame || upload.commit.mode == .update(Self.revision(state)) else {
                    return .refusal(
                        #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"s"}"#
                    )
                }
                if !isSame {
                    state.data = Data(request.body)
                    state.revision += 1
                }
                return state.losesAnswers ? [.close] : .json(Self.file(state))
            }
        }

        private static func revision(_ state: State) -> String { "00000000\(state.revision)" }

        private static func file(_ state: State) -> FileMetadata {
            .named("/a", revision: revision(state), data: state.data)
        }
    }

    private let server = Server()
    private let folder: TemporaryFolder
    private let dropbox: ScriptedDropbox
    private let old = RemoteWriteMode.update(Revision(rawValue: "000000001"))

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        dropbox = try Self.program(server, folder)
    }

    private static func program(
        _ server: Server, _ folder: TemporaryFolder
    ) throws -> ScriptedDropbox {
        try ScriptedDropbox(
            configure: { $0.unconfirmedWritesFolder = folder.url }, answering: server.answer)
    }

    private func saveUnconfirmed(_ text: String) async throws {
        server.state.withLock { $0.losesAnswers = true }
        await expectFailure(.offline) {
            _ = try await dropbox.store.put(data(text), at: path("/a"), mode: old)
        }
        server.state.withLock { $0.losesAnswers = false }
        #expect(server.text == text)
    }

    @Test func whatTheSameProgramWritesNextIsNoConflict() async throws {
        try await saveUnconfirmed("new")
        let file = try await dropbox.store.put(data("newer"), at: path("/a"), mode: old)
        #expect(server.text == "newer")
        #expect(file.revision.rawValue == "000000003")
        #expect(try folder.names.isEmpty)
    }

    @Test func whatTheNextRunWritesIsNoConflict() async throws {
        try await saveUnconfirmed("new")
        let copy = try folder.copyWithoutLocks()
        let next = try Self.program(server, copy)
        _ = try await next.store.put(data("newer"), at: path("/a"), mode: old)
        #expect(server.text == "newer")
        #expect(next.routes == ["files/upload", "files/get_metadata", "files/upload"])
        #expect(try copy.names.isEmpty)
    }

    @Test func theSameTextIsSettledByItself() async throws {
        try await saveUnconfirmed("new")
        let next = try Self.program(server, try TemporaryFolder())
        _ = try await next.store.put(data("new"), at: path("/a"), mode: old)
        #expect(next.routes == ["files/upload"])
    }

    @Test func whatSomebodyElseMadeOfItIsAConflict() async throws {
        try await saveUnconfirmed("new")
        server.plant("theirs")
        await expectFailure(.conflict(serverRevision: Revision(rawValue: "000000003"))) {
            _ = try await dropbox.store.put(data("newer"), at: path("/a"), mode: old)
        }
        #expect(server.text == "theirs")
        #expect(try folder.names.isEmpty)
        // Once reported, the conflict stands, even if the current content is what was sent before.
        server.plant("new")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await dropbox.store.put(data("newer"), at: path("/a"), mode: old)
        }
    }

    @Test func whatWasSentIsKeptBeforeItIsSent() async throws {
        let folder = folder
        let kept = Mutex<[String]>([])
        let server = server
        let watched = try ScriptedDropbox(
            configure: { $0.unconfirmedWritesFolder = folder.url },
            answering: { request in
                kept.withLock { $0 = (try? folder.names) ?? [] }
                return server.answer(request)
            })
        _ = try await watched.store.put(data("new"), at: path("/a"), mode: old)
        #expect(kept.withLock { $0 }.count == 1)
        #expect(try folder.names.isEmpty)
    }

    @Test func aServerThatNeverTakesItsOwnRevisionEndsInAConflict() async throws {
        try await saveUnconfirmed("new")
        let copy = try folder.copyWithoutLocks()
        let stubborn = try ScriptedDropbox(
            configure: { $0.unconfirmedWritesFolder = copy.url },
            answering: { request in
                request.target == "/2/files/upload"
                    ? .refusal(#"{".tag":"path","reason":{".tag":"conflict","conflict":"file"}}"#)
                    : .json(Metadata.file(.named("/a", data: Data("new".utf8))))
            })
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await stubborn.store.put(data("newer"), at: path("/a"), mode: old)
        }
    }
}
