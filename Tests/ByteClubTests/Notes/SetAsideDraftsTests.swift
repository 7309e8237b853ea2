import ClubLibrary
import ClubStore
import Foundation
import Testing

@testable import ByteClub

@MainActor @Suite struct SetAsideDraftsTests {
    /// The next key may ask for a draft before the folder was looked at again.
    @Test func isKnownAtOnce() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "set-aside-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let drafts = SetAsideDrafts(DraftStore(folder: folder))
        let path = try RemotePath(validating: "/a.txt")
        var changeCount = 0
        drafts.didChange = { changeCount += 1 }
        #expect(!drafts.hasNewNote && drafts.paths.isEmpty)
        drafts.add(nil)
        drafts.add(path)
        #expect(drafts.hasNewNote && drafts.paths == ["/a.txt"])
        #expect(changeCount == 2)
        // What is on the disk counts in the end.
        await drafts.reload().value
        #expect(!drafts.hasNewNote && drafts.paths.isEmpty)
    }
}
