import ClubStore
import Foundation
import Testing

extension RemoteStoreContract {
    /// For the stores that keep revisions; the others have nothing to keep here.
    static let revisions = [
        ContractCheck("the revisions of a file are listed, the latest first") { store in
            guard let keeper = store.revisionStore else { return }
            let first = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            let second = try await store.put(
                data("two"), at: path("/a.txt"), mode: .update(first.revision))
            let history = try await keeper.revisions(of: path("/a.txt"), limit: 10)
            #expect(!history.isDeleted)
            #expect(history.revisions.map(\.revision) == [second.revision, first.revision])
            let old = try await keeper.fetch(path("/a.txt"), revision: first.revision)
            #expect(old.data == data("one"))
            await expectFailure(.notFound) {
                _ = try await keeper.revisions(of: path("/never.txt"), limit: 10)
            }
        },
        ContractCheck("what was removed can be had again") { store in
            guard let keeper = store.revisionStore else { return }
            let file = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            try await store.delete(path("/a.txt"))
            let history = try await keeper.revisions(of: path("/a.txt"), limit: 10)
            #expect(history.isDeleted)
            #expect(history.revisions.first?.revision == file.revision)
            let fetched = try await keeper.fetch(path("/a.txt"), revision: file.revision)
            #expect(fetched.data == data("one"))
            let restored = try await keeper.restore(path("/a.txt"), to: file.revision)
            #expect(restored.path == (try path("/a.txt")))
            #expect(try await store.fetch(path("/a.txt")).data == data("one"))
        },
        ContractCheck("a revision that never was cannot be restored") { store in
            guard let keeper = store.revisionStore else { return }
            _ = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            await expectFailure(.notFound) {
                _ = try await keeper.restore(
                    path("/a.txt"), to: Revision(rawValue: "0123456789"))
            }
            #expect(try await store.fetch(path("/a.txt")).data == data("one"))
        },
    ]
}
