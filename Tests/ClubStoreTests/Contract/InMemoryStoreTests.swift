import ClubStore
import ClubStoreTestSupport
import Testing

@Suite struct InMemoryStoreTests {
    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromise(_ promise: ContractCheck) async throws {
        try await promise.check(InMemoryStore())
        try await promise.check(InMemoryStore(keepsEveryState: false))
    }

    @Test func failsWhenToldToOnceEach() async throws {
        let store = InMemoryStore()
        store.failNext(.list, with: .offline)
        store.failNext(.list, with: .serverError)
        await expectFailure(.offline) { _ = try await store.list(.root) }
        await expectFailure(.serverError) { _ = try await store.list(.root) }
        _ = try await store.list(.root)
        #expect(store.calls.map(\.operation) == [.list, .list, .list])
    }

    @Test func holdsCallsUntilTheyAreReleased() async throws {
        let store = InMemoryStore()
        try store.plant("text", at: "/a")
        store.hold(.fetch)
        let fetching = Task { try await store.fetch(path("/a")).data }
        store.release(.fetch)
        #expect(try await fetching.value == data("text"))
    }

    @Test func aFullClubTakesNothingMore() async throws {
        let store = InMemoryStore(allocatedBytes: 10)
        await expectFailure(.overQuota) {
            _ = try await store.put(data("more than ten"), at: path("/a"), mode: .add)
        }
    }

    @MainActor @Test func aHeldUploadCanBeCancelledHalfway() async throws {
        let store = InMemoryStore()
        store.hold(.upload)
        let folder = try TemporaryFolder()
        let file = try folder.write(data("1234567890"), to: "f")
        let recorder = Recorder()
        recorder.onProgress = { $0.cancel() }
        let transfer = store.upload(
            fileAt: file, to: try path("/up"), mode: .add, delegate: recorder)
        transfer.resume()
        await recorder.waitForEnd()
        #expect(recorder.progress.map(\.moved) == [5])
        await expectFailure(.cancelled) { _ = try recorder.results[0].get() }
        #expect(store.contents(of: "/up") == nil)
    }
}
