import ClubLibrary
import ClubStore
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The view in the middle of the screen, over an upload that does not move.
@MainActor @Suite(.timeLimit(.minutes(1))) final class UploadViewControllerTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("upload-\(UUID().uuidString)", isDirectory: true)
    private var outcome: UploadViewController.Outcome?

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func open(width: Int = 80, height: Int = 24) throws -> (AppScreen, TransferCenter) {
        let center = TransferCenter(
            TransferJournal(folder: folder), carrier: StillCarrier(), activity: TestActivity())
        let path = try RemotePath(validating: "/photos/a\nb.jpg")
        let order = TransferOrder(.upload, path, file: URL(filePath: "/p/sea.jpg"))
        center.add([order])
        let root = ViewController()
        let screen = try AppScreen(root, width: width, height: height)
        root.present(
            UploadViewController(order.id, in: center) { [weak self] in
                self?.outcome = $0
            })
        return (screen, center)
    }

    /// Nothing comes from the carrier while it waits.
    @Test func theSecondsToTheNextAttemptCountDown() async throws {
        let (screen, center) = try open()
        await center.finish()
        let order = try #require(center.items.first).order
        var status = TransferStatus()
        status.state = .running
        status.totalByteCount = 1000
        status.note(
            try #require(TransferFailure(RetryNotice(reason: .busy, wait: .seconds(2)))),
            about: order)
        (status.updated, status.nextAttempt) = (Date(), Date(timeIntervalSinceNow: 80))
        try TransferJournal(folder: folder).write(status, of: order.id)
        center.start()
        await screen.wait(for: "trying again in")
        func seconds() -> Int? {
            screen.text.firstMatch(of: #/trying again in (\d+) s/#).flatMap { Int($0.output.1) }
        }
        let first = try #require(seconds())
        try await eventually("fewer seconds") {
            screen.scheduler.advance(by: .seconds(1))
            return try #require(seconds()) < first
        }
        center.stop()
    }

    @Test func enterLeavesItAndCancelsNothing() async throws {
        let (screen, center) = try open()
        await screen.wait(for: "In the background")
        #expect(screen.text.contains("Cancel"))
        #expect(screen.text.contains("a^Jb.jpg"))
        screen.press("Enter")
        await screen.wait(untilGone: "In the background")
        guard case .background(nil)? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(center.items.first?.order.intent == .run)
        await center.finish()
    }

    /// The smallest screen has three rows: the name, the bar and a button.
    @Test func theSmallestScreenSaysThatItIsPaused() async throws {
        let (screen, center) = try open(width: 20, height: 6)
        await screen.wait(for: "In the backgroun")
        #expect(screen.text.contains("waiting"))
        screen.press("p")
        await screen.wait(for: "paused a^Jb.jpg")
        #expect(!screen.text.contains("↑d"))
        screen.press("p")
        await screen.wait(untilGone: "paused")
        await center.finish()
    }

    @Test func tabLeadsToCancel() async throws {
        let (screen, center) = try open()
        await screen.wait(for: "In the background")
        screen.press("Tab", "Enter")
        await screen.wait(untilGone: "In the background")
        #expect(center.items.first?.order.intent == .cancel)
        await center.finish()
    }

    @Test func theAppCanBeLeft() async throws {
        let (screen, center) = try open()
        await screen.wait(for: "In the background")
        let delegate = StayingDelegate()
        screen.application.delegate = delegate
        screen.press("q")
        #expect(delegate.askedCount == 1)
        #expect(center.items.first?.order.intent == .run)
        await center.finish()
    }

    @Test(arguments: [(80, 24), (20, 6), (30, 12)])
    func escapeCancelsAtAnySize(width: Int, height: Int) async throws {
        let (screen, center) = try open(width: width, height: height)
        await screen.wait(for: "Cancel")
        screen.press("Esc")
        await screen.wait(untilGone: "Cancel")
        #expect(center.items.first?.order.intent == .cancel)
        await center.finish()
    }
}

/// Carries nothing, and never goes.
private final class StillCarrier: TransferCarrying {
    func start() async -> String? { nil }
    func isRunning() async -> Bool { true }
}

@MainActor private final class StayingDelegate: ApplicationDelegate {
    private(set) var askedCount = 0

    func applicationShouldTerminate(_ application: Application) -> Bool {
        askedCount += 1
        return false
    }
}
