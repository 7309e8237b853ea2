import ClubLibrary
import ClubStore
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The keys of the list of transfers, over transfers that do not move.
@MainActor @Suite(.timeLimit(.minutes(1))) final class TransferListTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("list-\(UUID().uuidString)", isDirectory: true)
    private var journal: TransferJournal { TransferJournal(folder: folder) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// - Parameter states: Of transfers called `1.jpg`, `2.jpg` and so on.
    private func open(
        _ states: TransferStatus.State...
    ) async throws -> (AppScreen, TransferCenter) {
        for (index, state) in states.enumerated() {
            let path = try RemotePath(validating: "/photos/\(index + 1).jpg")
            var order = TransferOrder(
                .download, path, file: folder.appending(path: path.name),
                at: Date(timeIntervalSince1970: Double(index)))
            if state == .paused { order.intent = .pause }
            try journal.makeFolder()
            try journal.write(order)
            var status = TransferStatus()
            status.state = state
            if state != .waiting { try journal.write(status, of: order.id) }
        }
        let center = TransferCenter(
            journal, carrier: NoCarrier(reason: nil), activity: TestActivity(),
            checkInterval: .seconds(3600))
        center.start()
        await center.wait { $0.items.count == states.count }
        let root = ViewController()
        let screen = try AppScreen(TabBarController([root]))
        root.present(TransfersViewController(center))
        await screen.wait(for: "1.jpg")
        return (screen, center)
    }

    private func states(_ center: TransferCenter) -> [TransferStatus.State] {
        center.items.map(\.state)
    }

    @Test func cancelsAllAfterAYes() async throws {
        let (screen, center) = try await open(.waiting, .paused, .done, .waiting)
        screen.press("C")
        await screen.wait(for: "3 transfers are on their way or paused.")
        screen.press("Esc")
        await screen.wait(untilGone: "on their way or paused")
        #expect(!states(center).contains(.cancelled))
        screen.press("C")
        await screen.wait(for: "Cancel all transfers?")
        screen.press("c")
        await screen.wait(untilGone: "Cancel all transfers?")
        #expect(states(center) == [.cancelled, .cancelled, .done, .cancelled])
        screen.press("C")
        await screen.wait(for: "No transfer is on its way, or paused.")
        await center.finish()
        center.stop()
    }

    /// What to do about it has no room there.
    @Test func saysInAFewWordsWhyOnTheSmallestScreen() async throws {
        let path = try RemotePath(validating: "/photos/a.jpg")
        let order = TransferOrder(.upload, path, file: folder.appending(path: "a.jpg"))
        try journal.write(order)
        var status = TransferStatus()
        status.state = .failed
        status.note(
            TransferFailure(StoreError(.offline, during: .upload), club: .remote), about: order)
        try journal.write(status, of: order.id)
        for (width, words) in [(20, "No connection"), (80, "The server does not answer")] {
            let center = TransferCenter(
                journal, carrier: NoCarrier(reason: nil), activity: TestActivity(),
                checkInterval: .seconds(3600))
            center.start()
            await center.wait { $0.items.count == 1 }
            let root = ViewController()
            let screen = try AppScreen(root, width: width, height: 12)
            root.present(TransfersViewController(center))
            await screen.wait(for: words)
            #expect(screen.text.contains("The server does not answer") == (width == 80))
            await center.finish()
            center.stop()
        }
    }

    @Test(arguments: [20, 80])
    func saysHowFarAPausedOneIs(width: Int) async throws {
        let path = try RemotePath(validating: "/photos/a.jpg")
        var order = TransferOrder(.download, path, file: folder.appending(path: "a.jpg"))
        order.intent = .pause
        try journal.write(order)
        var status = TransferStatus()
        (status.state, status.byteCount, status.totalByteCount) = (.paused, 450_000, 1_000_000)
        try journal.write(status, of: order.id)
        let center = TransferCenter(
            journal, carrier: NoCarrier(reason: nil), activity: TestActivity(),
            checkInterval: .seconds(3600))
        center.start()
        await center.wait { $0.items.count == 1 }
        let root = ViewController()
        let screen = try AppScreen(root, width: width, height: width == 20 ? 6 : 24)
        root.present(TransfersViewController(center))
        await screen.wait(for: width == 20 ? "45% paused" : "paused")
        #expect(screen.text.contains("━━"))
        await center.finish()
        center.stop()
    }

    @Test func forgetsWhatIsDoneWithoutAQuestion() async throws {
        let (screen, center) = try await open(.done, .waiting, .done)
        screen.press("x")
        await screen.wait(untilGone: "3.jpg")
        #expect(states(center) == [.waiting])
        await center.finish()
        center.stop()
    }

    @Test func asksBeforeItForgetsWhatCouldBeResumed() async throws {
        let (screen, center) = try await open(.done, .failed, .cancelled, .waiting)
        screen.press("x")
        await screen.wait(for: "2 transfers failed or were cancelled")
        screen.press("Esc")
        await screen.wait(untilGone: "Forget what has ended?")
        #expect(center.items.count == 4)
        screen.press("x")
        await screen.wait(for: "Forget what has ended?")
        screen.press("o")
        await screen.wait(untilGone: "Forget what has ended?")
        #expect(states(center) == [.failed, .cancelled, .waiting])
        screen.press("x")
        await screen.wait(for: "Forget what has ended?")
        #expect(!screen.text.contains("Only what is done"))
        screen.press("f")
        await screen.wait(untilGone: "Forget what has ended?")
        #expect(states(center) == [.waiting])
        await center.finish()
        #expect(journal.items().count == 1)
        center.stop()
    }

    @Test func putsOneFirst() async throws {
        let (screen, center) = try await open(.waiting, .waiting, .waiting, .paused)
        // The latest is on top, and is paused.
        screen.press("N")
        await screen.wait(for: "It does not wait.")
        screen.press("Down", "N")
        await screen.wait(for: "“3.jpg” is next.")
        await center.finish()
        let turns = journal.items().inTurn.filter { $0.state == .waiting }.map(\.order.name)
        #expect(turns == ["3.jpg", "1.jpg", "2.jpg"])
        center.stop()
    }
}
