import ClubStore
import ClubStoreTestSupport
import DropboxAPI
import Foundation
import TestSupport
import Testing

/// The exact bytes on the wire.
@Suite struct DropboxRequestTests {
    private let emptyList = [LoopbackStep].json(#"{"entries":[],"cursor":"c","has_more":false}"#)

    @Test func aCallIsAPostWithJSONInItsBody() async throws {
        let dropbox = try ScriptedDropbox([emptyList])
        _ = try await dropbox.store.list(.root)
        let request = dropbox.requests[0]
        #expect(request.lines[0] == "POST /2/files/list_folder HTTP/1.1")
        #expect(request["Authorization"] == "Bearer the-token")
        #expect(request.values(of: "Content-Type") == ["application/json"])
        #expect(request["Expect"] == nil)
        #expect(request.text == #"{"limit":2000,"path":""}"#)
    }

    @Test func aCallWithoutAnArgumentSendsNull() async throws {
        let dropbox = try ScriptedDropbox([.html])
        await expectFailure(.badAnswer) { _ = try await dropbox.store.account() }
        #expect(dropbox.requests[0].text == "null")
    }

    @Test func aDownloadHasItsArgumentInAHeaderAndNoBodyAndNoType() async throws {
        let text = Data("text".utf8)
        let name = "/naïve 🏔️ \u{7F}.txt"
        let dropbox = try ScriptedDropbox([.bytes(text, of: .named(name, data: text))])
        let fetched = try await dropbox.store.fetch(path(name))
        #expect(fetched.data == text)
        #expect(fetched.file.path.string == name)
        let request = dropbox.requests[0]
        #expect(request.lines[0] == "POST /2/files/download HTTP/1.1")
        #expect(
            request["Dropbox-API-Arg"]
                == #"{"path":"/na\u00efve \ud83c\udfd4\ufe0f \u007f.txt"}"#)
        #expect(request["Content-Type"] == nil)
        #expect(request.body.isEmpty)
        #expect(request["Range"] == nil)
    }

    @Test func anUploadHasItsArgumentInAHeaderAndBytesInItsBody() async throws {
        let text = Data("text".utf8)
        let dropbox = try ScriptedDropbox([.json(FileMetadata.named("/a.txt", data: text))])
        _ = try await dropbox.store.put(
            text, at: path("/a.txt"), mode: .update(Revision(rawValue: "0123456789")))
        let request = dropbox.requests[0]
        #expect(request.lines[0] == "POST /2/files/upload HTTP/1.1")
        #expect(request.values(of: "Content-Type") == ["application/octet-stream"])
        #expect(request["Expect"] == nil)
        #expect(request["Content-Length"] == "4")
        #expect(request.text == "text")
        let argument = try #require(request["Dropbox-API-Arg"])
        let read = try WireJSON.decodeArgument(UploadArg.self, from: Data(argument.utf8))
        #expect(read.commit.mode == .update("0123456789"))
        #expect(read.commit.autorename == false)
        #expect(read.contentHash == ContentHash(of: text))
    }

    @Test func aLongPollCarriesNoToken() async throws {
        let dropbox = try ScriptedDropbox([.json(#"{"changes":true}"#)])
        let start = ContinuousClock.now
        let hasChanges = try await dropbox.store.waitForChanges(
            after: Cursor(rawValue: "c"), atMost: .seconds(240))
        let took = ContinuousClock.now - start
        #expect(hasChanges)
        let request = dropbox.requests[0]
        #expect(request.lines[0] == "POST /2/files/list_folder/longpoll HTTP/1.1")
        #expect(request["Authorization"] == nil)
        let argument = try WireJSON.decodeArgument(
            ListFolderLongpollArg.self, from: Data(request.body))
        // The remaining time, in whole seconds.
        #expect(argument.timeout <= 240)
        #expect(.seconds(argument.timeout) > .seconds(239) - took)
    }

    @Test func aShortWaitStillAsksForTheLeastTheServerTakes() async throws {
        let dropbox = try ScriptedDropbox([.json(#"{"changes":false}"#)])
        let hasChanges = try await dropbox.store.waitForChanges(
            after: Cursor(rawValue: "c"), atMost: .seconds(29))
        #expect(!hasChanges)
        #expect(dropbox.requests[0].text == #"{"cursor":"c","timeout":30}"#)
    }

    @Test func theServersBackoffIsObeyedBeforeTheNextLongPoll() async throws {
        let dropbox = try ScriptedDropbox([.json(#"{"changes":false,"backoff":60}"#)])
        let cursor = Cursor(rawValue: "c")
        let start = ContinuousClock.now
        _ = try await dropbox.store.waitForChanges(after: cursor, atMost: .seconds(240))
        #expect(dropbox.waits.isEmpty)
        _ = try await dropbox.store.waitForChanges(after: cursor, atMost: .seconds(240))
        let took = ContinuousClock.now - start
        let wait = try #require(dropbox.waits.first)
        #expect(wait > .seconds(60) - took && wait <= .seconds(60))
    }

    @Test func everyPageIsFollowed() async throws {
        func page(_ name: String, cursor: String, hasMore: Bool) -> [LoopbackStep] {
            .json(
                ListFolderResult(
                    entries: [.file(.named("/" + name))], cursor: cursor, hasMore: hasMore))
        }
        let empty = [LoopbackStep].json(
            ListFolderResult(entries: [], cursor: "2", hasMore: true))
        let dropbox = try ScriptedDropbox([
            page("a", cursor: "1", hasMore: true), empty, page("b", cursor: "3", hasMore: false),
        ])
        let listing = try await dropbox.store.list(.root)
        #expect(listing.entries.map(\.path.string) == ["/a", "/b"])
        #expect(listing.cursor.rawValue == "3")
        #expect(
            dropbox.routes
                == [
                    "files/list_folder", "files/list_folder/continue", "files/list_folder/continue",
                ])
        #expect(dropbox.requests[2].text == #"{"cursor":"2"}"#)
    }

    @Test func aListingThatLosesItsPlaceIsBegunAnew() async throws {
        let first = [LoopbackStep].json(
            ListFolderResult(entries: [.file(.named("/a"))], cursor: "1", hasMore: true))
        let reset = [LoopbackStep].refusal(#"{".tag":"reset"}"#)
        let whole = [LoopbackStep].json(
            ListFolderResult(entries: [.file(.named("/b"))], cursor: "2", hasMore: false))
        let dropbox = try ScriptedDropbox([first, reset, whole])
        #expect(try await dropbox.store.list(.root).entries.map(\.path.string) == ["/b"])
        let hopeless = try ScriptedDropbox([first, reset, first, reset, first, reset, whole])
        await expectFailure(.serverUnavailable(retryAfter: nil)) {
            _ = try await hopeless.store.list(.root)
        }
        #expect(hopeless.requests.count == 6)
    }

    @Test func namesGoOutInTheFormTheServerKeeps() async throws {
        let dropbox = try ScriptedDropbox([emptyList])
        _ = try await dropbox.store.list(path("/cafe\u{301}"))
        #expect(dropbox.requests[0].text.contains("caf\\u00e9"))
    }

    @Test func aFolderIsNotInItsOwnListingWhateverItsCase() async throws {
        let folder = FolderMetadata(
            name: "Photos", pathLower: "/photos", pathDisplay: "/Photos", id: "id:x")
        let dropbox = try ScriptedDropbox([
            .json(
                ListFolderResult(
                    entries: [.folder(folder), .file(.named("/Photos/a.jpg"))], cursor: "c",
                    hasMore: false))
        ])
        let listing = try await dropbox.store.list(path("/photos"), recursive: true)
        #expect(listing.entries.map(\.path.string) == ["/Photos/a.jpg"])
    }

    @Test func aServerThatAnnouncesMoreForEverIsNotBelieved() async throws {
        let dropbox = try ScriptedDropbox([
            .json(#"{"entries":[],"cursor":"same","has_more":true}"#)
        ])
        await expectFailure(.badAnswer) { _ = try await dropbox.store.list(.root) }
        #expect(dropbox.requests.count == 2)
    }

    @Test func aClubInAFolderOfTheServerKnowsNothingOutsideIt() async throws {
        let listing = [LoopbackStep].json(
            ListFolderResult(
                entries: [
                    .file(.named("/Apps/Byte Club/a.txt")),
                    .folder(
                        FolderMetadata(
                            name: "photos", pathLower: "/apps/byte club/photos",
                            pathDisplay: "/apps/byte club/photos", id: "id:x")),
                    .other("something_new"),
                ], cursor: "c", hasMore: false))
        let folder = try path("/apps/byte club")
        let dropbox = try ScriptedDropbox([listing], configure: { $0.folder = folder })
        let entries = try await dropbox.store.list(.root).entries
        #expect(entries.map(\.path.string) == ["/a.txt", "/photos"])
        #expect(dropbox.requests[0].text.contains(#""path":"/apps/byte club""#))
    }

    @MainActor @Test func aNameThatIsTooLongKeepsNothingElseFromTheList() async throws {
        let (long, club) = (String(repeating: "é", count: 200), try path("/club"))
        let dropbox = try ScriptedDropbox(
            [
                .json(
                    ListFolderResult(
                        entries: [
                            .file(.named("/club/a")), .file(.named("/club/\(long).txt")),
                            .folder(
                                FolderMetadata(
                                    name: long, pathLower: "/club/\(long)",
                                    pathDisplay: "/club/\(long)",
                                    id: "id:x")),
                        ], cursor: "c", hasMore: false))
            ], configure: { $0.folder = club })
        let listing = try await dropbox.store.list(.root)
        #expect(listing.entries.map(\.path.string) == ["/a"])
        #expect(listing.skipped == ["/\(long).txt", "/\(long)"])
        var reported: [RemotePath] = []
        let folder = try TemporaryFolder()
        try? await ClubCopy(
            from: dropbox.store, to: InMemoryStore(), workingFolder: folder.url
        ) { event in
            if case .finished(let path, .failed) = event { reported.append(path) }
        }.run()
        #expect(reported.first?.name.hasSuffix("é…") == true)
    }

    @Test func fieldsThatAreNewDoNoHarm() async throws {
        let dropbox = try ScriptedDropbox([
            .json(#"{"entries":[],"cursor":"c","has_more":false,"novelty":{"a":[1]}}"#)
        ])
        #expect(try await dropbox.store.list(.root).cursor.rawValue == "c")
    }
}
