import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// A club on a store in memory, with drafts in a folder of its own.
@MainActor final class TestClub {
    let store: InMemoryStore
    let club: Club
    let drafts: DraftStore
    let activity = TestActivity()
    let draftsFolder: URL

    /// - Parameter library: Where a local copy is kept; nil for none.
    init(_ store: InMemoryStore = InMemoryStore(), library: URL? = nil) {
        self.store = store
        draftsFolder = FileManager.default.temporaryDirectory
            .appendingPathComponent("club-\(UUID().uuidString)", isDirectory: true)
        drafts = DraftStore(folder: draftsFolder)
        club = Club(activity: activity, library: library) { _ in store }
    }

    deinit { try? FileManager.default.removeItem(at: draftsFolder) }

    /// Starts following the store and returns when what is wanted has come true.
    func waitUntil(_ isTrue: @escaping @MainActor (Club) -> Bool) async {
        let observer = Waiter<Club>(isTrue)
        club.addObserver(observer)
        club.start()
        await observer.wait()
    }
}

@MainActor final class TestActivity: ActivityCounting {
    private(set) var count = 0
    func begin() { count += 1 }
    func end() { count -= 1 }
}
