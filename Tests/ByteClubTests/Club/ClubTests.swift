import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

@MainActor @Suite struct ClubTests {
    let test = TestClub()

    @Test func listsTheClub() async throws {
        try test.store.plant("text", at: "/a.txt")
        try test.store.plant("jpeg", at: "/photos/b.jpg")
        await test.waitUntil { $0.contents.notes.count == 1 && $0.contents.photos.count == 1 }
        #expect(test.activity.count == 0)
        test.club.stop()
    }

    @Test func showsWhatAnotherMemberAdds() async throws {
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
        try test.store.plant("text", at: "/later.txt")
        await test.waitUntil { $0.contents.notes.map(\.name) == ["later.txt"] }
        try test.store.uproot("/later.txt")
        await test.waitUntil { $0.contents.notes.isEmpty }
        test.club.stop()
    }

    @Test func saysWhyItFailedAndComesBackWhenAsked() async throws {
        try test.store.plant("text", at: "/a.txt")
        test.store.failNext(.list, with: .offline)
        await test.waitUntil {
            if case .failed(let e) = $0.connection { e.code == .offline } else { false }
        }
        test.club.refresh()
        await test.waitUntil { $0.contents.notes.count == 1 }
        test.club.stop()
    }

    @Test func listsAnewWhenItsCursorIsForgotten() async throws {
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
        test.store.forgetCursors()
        try test.store.plant("text", at: "/a.txt")
        await test.waitUntil { $0.contents.notes.count == 1 }
        test.club.stop()
    }

    /// Every listing of a large club takes megabytes.
    @Test func aServerThatResetsEachCursorGetsPauses() async throws {
        for _ in 0..<3 { test.store.failNext(.waitForChanges, with: .cursorReset) }
        await test.waitUntil { $0.known.listingCount == 2 }
        let second = ContinuousClock.now
        await test.waitUntil { $0.known.listingCount == 3 }
        #expect(ContinuousClock.now - second > .milliseconds(900))
        test.club.stop()
    }

    /// It would be asked as fast as it answers, without an end.
    @Test func aServerThatReportsTheSameAgainAndAgainGetsPauses() async throws {
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
        test.store.repeatLastChange()
        try test.store.plant("text", at: "/a.txt")
        // The first brings news.
        await test.store.waitForCalls(of: .changes, count: 2)
        let second = ContinuousClock.now
        await test.store.waitForCalls(of: .changes, count: 4)
        #expect(ContinuousClock.now - second > .milliseconds(1900))
        #expect(test.club.contents.notes.map(\.name) == ["a.txt"])
        test.club.stop()
    }

    @Test func countsOneLongPollAsNothingInFlight() async throws {
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
        #expect(test.activity.count == 0)
        test.club.stop()
    }
}
