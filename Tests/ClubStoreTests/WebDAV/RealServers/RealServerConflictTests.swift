import ClubStore
import Foundation
import TestSupport
import Testing

/// Another member's client on the same real server, within the same second and with as many bytes:
/// its text is never replaced unseen.
@Suite struct RealServerConflictTests {
    /// A store that has just written a text, and a rival client.
    private struct Shared {
        let store: WebDAVStore
        let rival: PlainWebDAVClient
        let file: RemoteFile

        init(_ kind: RealWebDAVServer.Kind) async throws {
            try skip(unlessInstalled: kind)
            let club = try await RealWebDAVServer.shared(kind).makeClub()
            store = try WebDAVStore(baseURL: club, credentials: .none)
            rival = PlainWebDAVClient(club)
            // All probing happens here.
            file = try await store.put(data("ours 1"), at: path("/a.txt"), mode: .add)
        }

        func expectConflict(_ text: String = "ours 2", with file: RemoteFile) async throws {
            await expectFailure(.conflict(serverRevision: nil)) {
                _ = try await store.put(
                    data(text), at: file.path,
                    mode: .update(file.revision, contentHash: file.contentHash))
            }
            #expect(try await rival.get(file.path.name).text == "hers 1")
        }
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func aTextAfterWhatWasSavedIsAConflict(_ kind: RealWebDAVServer.Kind) async throws {
        let shared = try await Shared(kind)
        try await shared.rival.put("hers 1", at: "a.txt")
        try await shared.expectConflict(with: shared.file)
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func aTextAfterWhatWasReadIsAConflict(_ kind: RealWebDAVServer.Kind) async throws {
        let shared = try await Shared(kind)
        for name in ["b.txt", "c.txt", "d.txt"] {
            try await shared.rival.put("ours 1", at: name)
            let read = try await shared.store.fetch(path("/\(name)")).file
            try await shared.rival.put("hers 1", at: name)
            try await shared.expectConflict(with: read)
        }
    }

    /// An edit is based on what was read for it, not on what was read later for something else: a
    /// preview, a search, a listing.
    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func aTextThatSomethingElseHasReadIsAConflictAllTheSame(
        _ kind: RealWebDAVServer.Kind
    ) async throws {
        let shared = try await Shared(kind)
        for name in ["b.txt", "c.txt", "d.txt"] {
            try await shared.rival.put("ours 1", at: name)
            let read = try await shared.store.fetch(path("/\(name)")).file
            try await shared.rival.put("hers 1", at: name)
            _ = try await shared.store.list(.root)
            _ = try await shared.store.fetch(path("/\(name)"))
            try await shared.expectConflict(with: read)
        }
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func aTextAfterASecondSaveIsAConflict(_ kind: RealWebDAVServer.Kind) async throws {
        let shared = try await Shared(kind)
        let second = try await shared.store.put(
            data("ours 2"), at: shared.file.path,
            mode: .update(shared.file.revision, contentHash: shared.file.contentHash))
        try await shared.rival.put("hers 1", at: "a.txt")
        _ = try await shared.store.fetch(shared.file.path)
        try await shared.expectConflict("ours 3", with: second)
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases, [100, 300_000])
    func aNewNoteIsNotPutOverARivals(
        _ kind: RealWebDAVServer.Kind, _ byteCount: Int
    ) async throws {
        let shared = try await Shared(kind)
        try await shared.rival.put("hers 1", at: "new.txt")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await shared.store.put(
                Data(repeating: 0x78, count: byteCount), at: path("/new.txt"), mode: .add)
        }
        #expect(try await shared.rival.get("new.txt").text == "hers 1")
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func aDeletionOfWhatWasReadSparesWhatCameAfter(_ kind: RealWebDAVServer.Kind) async throws {
        let shared = try await Shared(kind)
        for name in ["b.txt", "c.txt", "d.txt"] {
            try await shared.rival.put("ours 1", at: name)
            let read = try await shared.store.fetch(path("/\(name)")).file
            try await shared.rival.put("hers 1", at: name)
            await expectFailure(.conflict(serverRevision: nil)) {
                try await shared.store.delete(read.path, ifRevision: read.revision)
            }
            #expect(try await shared.rival.get(name).text == "hers 1")
        }
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases)
    func nothingIsRenamedOntoARivals(_ kind: RealWebDAVServer.Kind) async throws {
        let shared = try await Shared(kind)
        try await shared.rival.put("hers 1", at: "new.txt")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await shared.store.move(shared.file.path, to: path("/new.txt"))
        }
        #expect(try await shared.rival.get("new.txt").text == "hers 1")
        #expect(try await shared.rival.get("a.txt").text == "ours 1")
    }
}
