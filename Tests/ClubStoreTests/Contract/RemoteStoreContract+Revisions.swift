import ClubStore
import Foundation
import Testing

extension RemoteStoreContract {
    /// For the stores that keep revisions; the others have nothing to keep here.
    static let revisions = [
        ContractCheck("the revisions of a file are listed, the latest first") { store in
            guard let keeper = try await store.revisionStore else { return }
            let first = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            let second = try await store.put(
                data("two"), at: path("/a.txt"), mode: .update(first.revision))
            let history = try await keeper.revisions(of: path("/a.txt"), limit: 10)
            #expect(!history.isDeleted)
            try #require(history.revisions.count == 2)
            #expect(history.revisions[0].revision == second.revision)
            if keeper.keepsEveryState {
                #expect(history.revisions[1].revision == first.revision)
            }
            let old = try await keeper.fetch(
                path("/a.txt"), revision: history.revisions[1].revision)
            #expect(old.data == data("one"))
            await expectFailure(.notFound) {
                _ = try await keeper.revisions(of: path("/never.txt"), limit: 10)
            }
        },
        ContractCheck("what was removed can be had again") { store in
            guard let keeper = try await store.revisionStore else { return }
            let file = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            try await store.delete(path("/a.txt"))
            let history = try await keeper.revisions(of: path("/a.txt"), limit: 10)
            #expect(history.isDeleted)
            #expect(try await keeper.keepsDeleted(file))
            let kept = try await keeper.keptRevision(
                of: path("/a.txt"), file.revision, byteCount: 3)
            #expect(history.revisions.first?.revision == kept)
            let fetched = try await keeper.fetch(path("/a.txt"), revision: kept)
            #expect(fetched.data == data("one"))
            let restored = try await keeper.restore(path("/a.txt"), to: kept)
            #expect(restored.path == (try path("/a.txt")))
            #expect(try await store.fetch(path("/a.txt")).data == data("one"))
        },
        ContractCheck("what is replaced by an earlier state is a state itself") { store in
            guard let keeper = try await store.revisionStore else { return }
            let first = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            _ = try await store.put(
                data("two"), at: path("/a.txt"), mode: .update(first.revision))
            let history = try await keeper.revisions(of: path("/a.txt"), limit: 10)
            let restored = try await keeper.restore(
                path("/a.txt"), to: #require(history.revisions.last).revision)
            #expect(try await store.metadata(of: path("/a.txt")).isSameState(as: restored))
            #expect(try await store.fetch(path("/a.txt")).data == data("one"))
            var texts: Set<Data> = []
            for file in try await keeper.revisions(of: path("/a.txt"), limit: 10).revisions {
                texts.insert(try await keeper.fetch(path("/a.txt"), revision: file.revision).data)
            }
            #expect(texts == [data("one"), data("two")])
        },
        ContractCheck("a revision that never was cannot be restored") { store in
            guard let keeper = try await store.revisionStore else { return }
            _ = try await store.put(data("one"), at: path("/a.txt"), mode: .add)
            await expectFailure(.notFound) {
                _ = try await keeper.restore(
                    path("/a.txt"), to: Revision(rawValue: "0123456789"))
            }
            #expect(try await store.fetch(path("/a.txt")).data == data("one"))
        },
    ]
}
