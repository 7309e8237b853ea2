import ClubStore
import ClubStoreTestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

@MainActor @Suite(.timeLimit(.minutes(1))) struct AccountTests {
    @Test func whatIsUsedOfTheQuotaIsAskedForAgain() async throws {
        let store = InMemoryStore()
        try store.plant("12345", at: "/one.txt")
        let club = Club(
            ClubSettings(name: "work", place: .dropbox(.init(appKey: "key"))),
            activity: TestActivity()
        ) { _ in store }
        defer { club.stop() }
        func wait(untilUsed byteCount: Int64) async {
            let observer = Waiter<Club> { $0.account?.usedBytes == byteCount }
            club.addObserver(observer)
            await observer.wait()
        }
        // Asked for once it is known who is signed in.
        club.askForAccountAgain()
        club.start()
        await wait(untilUsed: 5)
        try store.plant("1234567", at: "/two.txt")
        club.askForAccountAgain()
        await wait(untilUsed: 12)
    }

    /// Each question is two requests, and sixty photos may arrive one after another.
    @Test func ofManyChangesTheAccountIsAskedForOnceAndAfterTheLast() async throws {
        let store = InMemoryStore()
        try store.plant("12345", at: "/one.txt")
        let club = Club(
            ClubSettings(name: "work", place: .dropbox(.init(appKey: "key"))),
            activity: TestActivity()
        ) { _ in store }
        defer { club.stop() }
        func wait(untilUsed byteCount: Int64) async {
            let observer = Waiter<Club> { $0.account?.usedBytes == byteCount }
            club.addObserver(observer)
            observer.look(at: club)
            await observer.wait()
        }
        func questionCount() -> Int { store.calls.count { $0.operation == .account } }
        club.start()
        await wait(untilUsed: 5)
        let first = questionCount()
        store.hold(.account)
        for _ in 1...60 { club.askForAccountAgain() }
        await store.waitForCalls(of: .account, count: first + 1)
        try store.plant("1234567", at: "/two.txt")
        store.release(.account)
        await store.waitForCalls(of: .account, count: first + 2)
        await wait(untilUsed: 12)
        #expect(questionCount() == first + 2)
    }
}
