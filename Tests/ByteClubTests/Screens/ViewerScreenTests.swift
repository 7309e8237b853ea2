import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub

/// The viewer above the list of photos, where a picture cannot be had.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ViewerScreenTests {
    private let home = ListHome()

    private func list() async throws -> ListHome.Run {
        let run = try await home.start()
        run.screen.press("2")
        await run.screen.wait(for: "sea.jpg")
        return run
    }

    @Test func whatIsNoPictureSaysSo() async throws {
        try home.store.plant("words", at: "/photos/sea.jpg")
        let run = try await list()
        run.screen.press("Enter")
        await run.screen.wait(for: PanoramaViewController.self)
        await run.screen.wait(for: "“sea.jpg” could not be shown")
        run.screen.press("Esc")
        await run.screen.wait(for: "1 · by name")
        await run.end()
    }

    @Test func aClubThatIsAwaySaysSo() async throws {
        try home.store.plant(Photos.corners(), at: "/photos/sea.jpg")
        let run = try await list()
        for operation in [StoreError.Operation.download, .fetch, .thumbnail] {
            for _ in 0..<20 { home.store.failNext(operation, with: .offline) }
        }
        run.screen.press("Enter")
        await run.screen.wait(for: PanoramaViewController.self)
        await run.screen.wait(for: "The club on this computer is not answering.")
        run.screen.press("q")
        await run.screen.wait(for: "1 · by name")
        await run.end()
    }
}
