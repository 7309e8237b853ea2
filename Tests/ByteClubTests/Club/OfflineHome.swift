import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub

/// A store in memory that can be cut off, and a local copy that outlives each run of the app.
@MainActor final class OfflineHome {
    let store = InMemoryStore()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("offline-\(UUID().uuidString)", isDirectory: true)

    deinit { try? FileManager.default.removeItem(at: folder) }

    func makeClub() -> TestClub { TestClub(store, library: folder) }

    /// From now on nobody reaches the club.
    func cutOff() { store.isUnreachable = true }

    func text(_ path: String) -> String? {
        store.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A run of the app that has seen all and ended.
    func visit() async {
        let test = makeClub()
        await test.waitUntil { $0.isConnected }
        let texts = NoteTexts(club: test.club)
        for note in test.club.contents.notes { _ = try? await texts.text(of: note) }
        test.club.stop()
        await test.club.local?.finish()
    }

    /// A club that cannot be reached, and a note that was deleted in it.
    func deleteWhileCutOff() async throws -> (TestClub, RemoteFile) {
        try store.plant("words", at: "/a.txt")
        await visit()
        cutOff()
        let test = makeClub()
        await test.waitUntil { $0.hasFailed }
        let note = try #require(test.club.contents.notes.first)
        _ = try await test.club.deleteNote(note)
        return (test, note)
    }
}

extension Club {
    var isConnected: Bool { if case .connected = connection { true } else { false } }
    var hasFailed: Bool { if case .failed = connection { true } else { false } }
}
