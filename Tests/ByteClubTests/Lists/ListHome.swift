import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TerminalUI

@testable import ByteClub
@testable import ClubAccess

/// Both tabs on a store in memory; what is kept over restarts is in a folder of the test's own.
@MainActor final class ListHome {
    let store: InMemoryStore
    let folder: URL
    private let keepsCopy: Bool

    /// - Parameter keepsCopy: Whether there is a local copy of the club, in ``library``.
    init(_ store: InMemoryStore = InMemoryStore(), keepsCopy: Bool = false) {
        self.store = store
        self.keepsCopy = keepsCopy
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("lists-\(UUID().uuidString)", isDirectory: true)
    }

    var library: URL { folder.appending(path: "library") }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// One run of the app.
    @MainActor final class Run {
        let club: Club
        let memory: ListMemory
        let notes: NotesViewController
        let photos: PhotosViewController
        let transfers: TransferCenter
        let screen: AppScreen
        private let activity = TestActivity()

        init(_ home: ListHome, width: Int, height: Int) throws {
            let store = home.store
            club = Club(activity: activity, library: home.keepsCopy ? home.library : nil) { _ in
                store
            }
            memory = ListMemory(folder: home.folder.appending(path: "lists"))
            let drafts = DraftStore(folder: home.folder.appending(path: "drafts"))
            notes = NotesViewController(club: club, drafts: drafts, memory: memory)
            transfers = TransferCenter(
                TransferJournal(folder: home.folder.appending(path: "transfers")),
                carrier: CarrierHere(home.folder.appending(path: "transfers"), store),
                activity: activity)
            photos = PhotosViewController(club: club, memory: memory, transfers: transfers)
            screen = try AppScreen(
                TabBarController([notes, photos]), width: width, height: height)
        }

        /// Returns when what is there has been taken as seen.
        func waitUntilKnown() async {
            guard memory.seen.isEmpty else { return }
            await withCheckedContinuation { continuation in
                var isDone = false
                memory.didLoad.append {
                    if !isDone { continuation.resume() }
                    isDone = true
                }
            }
        }

        func end() async {
            club.stop()
            await memory.finish()
        }
    }

    /// Starts the app and returns when the first listing is on the screen.
    func start(width: Int = 80, height: Int = 24) async throws -> Run {
        let run = try Run(self, width: width, height: height)
        await run.memory.load()
        run.memory.start(run.club)
        run.club.start()
        await run.screen.wait(untilGone: "Opening the club")
        await run.waitUntilKnown()
        return run
    }

    func note(_ name: String) throws -> String? {
        store.contents(of: "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension ListHome.Run {
    /// Deletes what is marked or selected, and says yes to the question.
    func delete(
        _ question: String = "Delete note?", until message: String = "z brings it back.",
        at location: SourceLocation = #_sourceLocation
    ) async {
        screen.press("d")
        await screen.wait(for: question, at: location)
        screen.press("d")
        await screen.wait(for: message, at: location)
    }

    /// Brings back what was deleted last.
    func bringBack(
        until message: String, at location: SourceLocation = #_sourceLocation
    ) async {
        screen.press("z")
        await screen.wait(for: message, at: location)
    }
}
