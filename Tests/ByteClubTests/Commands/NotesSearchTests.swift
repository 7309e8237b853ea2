import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import byteclub

/// `notes search`: what is here is not fetched.
@Suite struct NotesSearchTests {
    @Test func onlyTextsThatAreNotHereAreFetched() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "search-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (store, copy) = (InMemoryStore(), LocalCopy(folder: folder))
        let kept = try store.plant("a red fish", at: "/kept.txt")
        let changed = try store.plant("a fish", at: "/changed.txt")
        try copy.keep([(kept, Data("a red fish".utf8)), (changed, Data("a fish".utf8))])
        try store.plant("a new fish", at: "/changed.txt")
        try store.plant("another fish", at: "/new.txt")
        var found: Set<String> = []
        try await NotesSearch.search(LineSearch("fish"), in: store, keptIn: copy) { _, hit in
            found.insert(hit.text)
        } skipped: { file, _ in
            Issue.record("\(file.name) was skipped")
        }
        #expect(found == ["a red fish", "a new fish", "another fish"])
        let fetched = store.calls.filter { $0.operation == .fetch }.compactMap { $0.path?.name }
        #expect(Set(fetched) == ["changed.txt", "new.txt"])
    }
}
