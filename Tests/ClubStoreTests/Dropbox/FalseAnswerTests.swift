import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Gateways that answer 200 to what was not done, and with another call's answer: the club's state decides, and no
/// other note is touched.
@Suite struct FalseAnswerTests {
    /// A club with two notes.
    private final class Club: Sendable {
        struct Note {
            var revision: String
            var data: Data
        }

        struct State {
            var notes = [
                "/one.txt": Note(revision: "000000001", data: data("one")),
                "/five.txt": Note(revision: "000000005", data: data("five")),
            ]
            /// The notes before the last change.
            var before: [String: Note] = [:]
            /// How many metadata are still those from before.
            var lag = 0
            var performs = true
            /// Whether each upload gets the metadata of `/five.txt`.
            var misdelivers = false
        }

        let state = Mutex(State())

        var texts: [String: String] {
            state.withLock { state in
                state.notes.mapValues { String(decoding: $0.data, as: UTF8.self) }
            }
        }

        private static func nothing(_ tag: String = "path") -> [LoopbackStep] {
            .refusal(#"{".tag":"\#(tag)","\#(tag)":{".tag":"not_found"}}"#)
        }

        func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
            state.withLock { state in
                (try? Self.answer(request, &state)) ?? [.answer("400 Bad Request")]
            }
        }

        private static func answer(
            _ request: LoopbackRequest, _ state: inout State
        ) throws -> [LoopbackStep] {
            let body = Data(request.body)
            switch request.target {
            case "/2/files/move_v2":
                let move = try WireJSON.decodeArgument(RelocationArg.self, from: body)
                guard let note = state.notes[move.fromPath] else { return nothing("from_lookup") }
                change(&state) {
                    $0[move.fromPath] = nil
                    $0[move.toPath] = note
                }
                return .json(RelocationResult(metadata: .file(metadata(move.toPath, note))))
            case "/2/files/delete_v2":
                let removal = try WireJSON.decodeArgument(DeleteArg.self, from: body)
                guard let note = state.notes[removal.path] else { return nothing("path_lookup") }
                change(&state) { $0[removal.path] = nil }
                return .json(DeleteResult(metadata: .file(metadata(removal.path, note))))
            case "/2/files/upload":
                let argument = Data((request["Dropbox-API-Arg"] ?? "").utf8)
                let path = try WireJSON.decodeArgument(UploadArg.self, from: argument).commit.path
                let note = Note(revision: "000000009", data: body)
                change(&state) { $0[path] = note }
                let other = state.misdelivers ? state.notes["/five.txt"] : nil
                return .json(other.map { metadata("/five.txt", $0) } ?? metadata(path, note))
            case "/2/files/get_metadata":
                let path = try WireJSON.decodeArgument(GetMetadataArg.self, from: body).path
                let isLate = state.lag > 0
                if isLate { state.lag -= 1 }
                let note = (isLate ? state.before : state.notes)[path]
                return note.map { .json(Metadata.file(metadata(path, $0))) } ?? nothing()
            case "/2/files/list_revisions":
                let path = try WireJSON.decodeArgument(ListRevisionsArg.self, from: body).path
                guard let note = state.notes[path] else { return nothing() }
                let older = Note(revision: "000000000", data: data("older"))
                return .json(
                    ListRevisionsResult(
                        isDeleted: false, entries: [metadata(path, note), metadata(path, older)],
                        hasMore: false))
            default:
                return nothing()
            }
        }

        private static func change(
            _ state: inout State, _ body: (inout [String: Note]) -> Void
        ) {
            guard state.performs else { return }
            state.before = state.notes
            body(&state.notes)
        }

        private static func metadata(_ path: String, _ note: Note) -> FileMetadata {
            .named(path, revision: note.revision, data: note.data)
        }
    }

    private let club = Club()
    private let dropbox: ScriptedDropbox

    init() throws {
        dropbox = try ScriptedDropbox { [club] in club.answer($0) }
    }

    // MARK: - Not done

    @Test(arguments: [true, false])
    func aDeletionThatWasNotPerformedIsNotDone(isOfRevision: Bool) async throws {
        let revision = isOfRevision ? Revision(rawValue: "000000001") : nil
        club.state.withLock { $0.performs = false }
        await expectFailure(.withoutEffect) {
            try await dropbox.store.delete(path("/one.txt"), ifRevision: revision)
        }
        #expect(club.texts["/one.txt"] == "one")
        let looks = Array(repeating: "files/get_metadata", count: 4)
        #expect(dropbox.routes == ["files/delete_v2"] + looks)
        #expect(dropbox.waits == [.seconds(1), .seconds(2), .seconds(4)])
        club.state.withLock { $0.performs = true }
        try await dropbox.store.delete(path("/one.txt"), ifRevision: revision)
        #expect(club.texts.keys.sorted() == ["/five.txt"])
    }

    @Test func aMoveThatWasNotPerformedIsNotDone() async throws {
        club.state.withLock { $0.performs = false }
        await expectFailure(.withoutEffect) {
            _ = try await dropbox.store.move(path("/one.txt"), to: path("/two.txt"))
        }
        #expect(club.texts["/one.txt"] == "one")
        #expect(dropbox.waits == [.seconds(1), .seconds(2), .seconds(4)])
        club.state.withLock { $0.performs = true }
        let moved = try await dropbox.store.move(path("/one.txt"), to: path("/two.txt"))
        #expect(moved.path == (try path("/two.txt")))
        #expect(club.texts.keys.sorted() == ["/five.txt", "/two.txt"])
    }

    /// Metadata of an earlier moment are no failure.
    @Test func metadataThatLagBehindAreAskedForOnceMore() async throws {
        club.state.withLock { $0.lag = 1 }
        _ = try await dropbox.store.move(path("/one.txt"), to: path("/two.txt"))
        club.state.withLock { $0.lag = 1 }
        try await dropbox.store.delete(path("/two.txt"))
        #expect(club.texts.keys.sorted() == ["/five.txt"])
        #expect(dropbox.waits == [.seconds(1), .seconds(1)])
    }

    /// However long they lag: the next attempt finds it done.
    @Test func whatMetadataDoNotShowIsRecognizedLater() async throws {
        club.state.withLock { $0.lag = 9 }
        await expectFailure(.withoutEffect) {
            try await dropbox.store.delete(
                path("/one.txt"), ifRevision: Revision(rawValue: "000000001"))
        }
        club.state.withLock { $0.lag = 0 }
        try await dropbox.store.delete(
            path("/one.txt"), ifRevision: Revision(rawValue: "000000001"))
        #expect(club.texts.keys.sorted() == ["/five.txt"])
    }

    // MARK: - Another call's answer

    /// Not even where the other note has the same text.
    @Test(arguments: ["a new text", "five"], [true, false])
    func anAnswerAboutAnotherNoteRemovesNothing(_ text: String, performs: Bool) async throws {
        club.state.withLock { state in
            state.misdelivers = true
            state.performs = performs
        }
        let mode = RemoteWriteMode.update(Revision(rawValue: "000000001"))
        if performs {
            let saved = try await dropbox.store.put(data(text), at: path("/one.txt"), mode: mode)
            #expect(saved.path == (try path("/one.txt")))
            #expect(club.texts["/one.txt"] == text)
        } else {
            await expectFailure(.badAnswer) {
                _ = try await dropbox.store.put(data(text), at: path("/one.txt"), mode: mode)
            }
        }
        #expect(club.texts["/five.txt"] == "five")
        #expect(!dropbox.routes.contains("files/delete_v2"))
    }

    @Test(arguments: [RemoteWriteMode.create, .add, .overwrite])
    func anAnswerAboutAnotherPhotoRemovesNothing(_ mode: RemoteWriteMode) async throws {
        club.state.withLock { $0.misdelivers = true }
        let folder = try TemporaryFolder()
        let photo = try folder.write(data("a photo"), to: "f")
        let sent = try await Recorder.upload(
            photo, to: path("/up.jpg"), mode: mode, in: dropbox.store)
        #expect(sent.path == (try path("/up.jpg")))
        #expect(club.texts["/five.txt"] == "five")
        #expect(!dropbox.routes.contains("files/delete_v2"))
    }
}
