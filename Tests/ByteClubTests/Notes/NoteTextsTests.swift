import ClubStore
import ClubStoreTestSupport
import Foundation
import TextEditing
import Testing

@testable import ByteClub
@testable import ClubAccess

/// What an edit is based on, when the text was here already.
@Suite @MainActor struct NoteTextsTests {
    @Test func aCachedTextBringsTheHashOfItsBytes() throws {
        let club = TestClub().club
        let texts = NoteTexts(club: club)
        let path = try RemotePath.root.appending("Plan.txt")
        // As in a listing: without a hash on some servers.
        let listed = RemoteFile(
            path: path, revision: Revision(rawValue: "1"), byteCount: 4, modified: Date())
        #expect(texts.cached(listed) == nil)
        var fetched = listed
        fetched.contentHash = "the hash"
        texts.keep(TextBuffer(utf8: Data("text".utf8)), of: fetched)
        #expect(texts.cached(listed)?.file.contentHash == "the hash")
        texts.forget(path)
        #expect(texts.cached(listed) == nil)
    }
}
