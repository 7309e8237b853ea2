import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ClubAccess
@testable import byteclub

/// The drafts of `notes new` and `notes edit`: a text that came through a pipe comes once.
@Suite struct KeptTextTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "kept-\(UUID().uuidString)")
    private let registry: ClubRegistry
    private let work: ClubSettings

    init() throws {
        registry = ClubRegistry(
            paths: Paths(environment: [
                "HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/config",
                "XDG_STATE_HOME": folder.path + "/state", "XDG_DATA_HOME": folder.path + "/data",
                "XDG_CACHE_HOME": folder.path + "/cache",
            ]))
        let url = try #require(URL(string: "https://nas.example/club"))
        work = ClubSettings(
            name: "work", place: .webdav(.init(url: url, signIn: .password(user: "ada"))))
    }

    private func keep(
        _ text: String, for club: ClubSettings, insteadOf earlier: KeptText? = nil
    ) -> KeptText {
        KeptText(
            Data(text.utf8), named: "a.txt", for: club, with: registry, insteadOf: earlier)
    }

    private func drafts(of club: ClubSettings) -> [String] {
        DraftStore(folder: registry.drafts(of: club)).drafts()
            .map { String(decoding: $0.text, as: UTF8.self) }
    }

    /// As on a disk that has room for one of both: here another club's drafts have no folder.
    @Test func theFirstDraftStaysWhereTheSecondCannotBeWritten() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = registry.drafts(of: work)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: place)
        let early = keep("words", for: .embedded)
        let later = keep("words", for: work, insteadOf: early)
        #expect(drafts(of: .embedded) == ["words"])
        #expect(
            later.failure(CommandFailure("No.")).sentence.contains("The text is kept as a draft"))
        later.discard()
        #expect(drafts(of: .embedded) == [])
    }

    @Test func theSecondDraftTakesThePlaceOfTheFirst() {
        defer { try? FileManager.default.removeItem(at: folder) }
        let early = keep("words", for: .embedded)
        let later = keep("words", for: work, insteadOf: early)
        #expect(drafts(of: .embedded) == [])
        #expect(drafts(of: work) == ["words"])
        later.discard()
        #expect(drafts(of: work) == [])
    }

    /// A text from a pipe replaces one that nobody has looked at.
    @Test func whatIsReplacedUnseenHasToBeKept() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder)
        let file = RemoteFile(
            path: try RemotePath(validating: "/a.txt"), revision: Revision(rawValue: "1"),
            byteCount: 3, modified: .distantPast)
        await #expect(throws: LibraryError.notDurable) {
            try await NotesEdit.keep(
                Data("old".utf8), of: file, from: InMemoryStore(keepsRevisions: false), in: folder)
        }
        // A club that keeps each state has it.
        try await NotesEdit.keep(Data("old".utf8), of: file, from: InMemoryStore(), in: folder)
    }
}
