import ClubLibrary
import ClubStore
import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

@Suite struct TransferStripTests {
    @MainActor private func item(
        _ name: String = "sea.jpg", _ state: TransferStatus.State = .running,
        _ moved: Int64 = 450, of total: Int64 = 1_000, speed: Double? = 100
    ) throws -> TransferItem {
        let path = try RemotePath(validating: "/photos/\(name)")
        var item = TransferItem(
            order: TransferOrder(.upload, path, file: URL(filePath: "/p/\(name)")))
        item.status.state = state
        if state == .paused { item.order.intent = .pause }
        (item.status.byteCount, item.status.totalByteCount) = (moved, total)
        item.status.bytesPerSecond = speed
        return item
    }

    private static let hint = TextLine("w transfers")

    @Test @MainActor func saysWhichHowFarAndHowFast() throws {
        let line = TransferStrip.line(TransferBatch([try item()]), columns: 78, hint: Self.hint)
        #expect(line.text == "↑ sea.jpg  ━━━━━─────── 45% · 100 B/s · 5 s left   w transfers")
        // One whose size is not known yet is as large as the others.
        let two = TransferStrip.line(
            TransferBatch([try item("wait.jpg", .waiting, 0, of: 0, speed: nil), try item()]),
            columns: 78, hint: Self.hint)
        #expect(two.text.hasPrefix("↑ 1/2  sea.jpg  ━━────────── 22% · 100 B/s · 15 s left"))
        let third = TransferStrip.line(
            TransferBatch([
                try item("a.jpg", .done, 1_000), try item("b.jpg", .done, 1_000), try item(),
                try item("c.jpg", .failed, 0), try item("d.jpg", .cancelled, 0),
            ]), columns: 78, hint: Self.hint)
        #expect(third.text.hasPrefix("↑ 3/3  sea.jpg  ━━━━━━━━━─── 81%"))
    }

    @Test @MainActor func saysWhatItDoesBeforeAndAfterTheBytesMove() throws {
        func words(_ item: TransferItem) -> String {
            TransferStrip.line(TransferBatch([item]), columns: 78, hint: nil).text
        }
        #expect(words(try item("a.jpg", .preparing, 0, of: 0, speed: nil)) == "↑ a.jpg  preparing")
        #expect(words(try item("a.jpg", .running, 1_000)).contains("99% · confirming"))
        #expect(words(try item("a.jpg", .waiting, 0, of: 0, speed: nil)) == "↑ a.jpg  waiting")
    }

    /// Nobody goes on with it but who paused it.
    @Test @MainActor func remindsOfWhatIsPausedWhenNothingMoves() throws {
        let paused = [try item("a.jpg", .paused), try item("b.jpg", .paused)]
        let line = TransferStrip.line(
            TransferBatch(paused), [], paused, columns: 78, hint: Self.hint)
        #expect(line.text == "2 paused  ↑ a.jpg, ↑ b.jpg   w transfers")
        let moving = TransferStrip.line(
            TransferBatch(paused + [try item()]), [], paused, columns: 78, hint: Self.hint)
        #expect(moving.text.hasPrefix("↑ sea.jpg"))
        let failed = TransferStrip.line(
            TransferBatch(paused), [try failure("c.jpg")], paused, columns: 78, hint: Self.hint)
        #expect(failed.text.hasPrefix("1 failed"))
    }

    private func failure(_ name: String, _ reason: String? = "The disk is full.") throws
        -> TransferItem
    {
        let path = try RemotePath(validating: "/photos/\(name)")
        var item = TransferItem(
            order: TransferOrder(.upload, path, file: URL(filePath: "/p/\(name)")))
        (item.status.state, item.status.reason) = (.failed, reason)
        return item
    }

    @Test @MainActor func saysWhatHasFailedAndWhichKeyLeadsThere() throws {
        func words(_ items: [TransferItem], _ failures: [TransferItem], _ columns: Int) -> String {
            TransferStrip.line(TransferBatch(items), failures, columns: columns, hint: Self.hint)
                .text
        }
        let (sea, alps) = (try failure("sea.jpg"), try failure("alps.jpg"))
        #expect(
            words([], [sea], 78) == "1 failed  ↑ sea.jpg: The disk is full.   w transfers")
        #expect(words([], [sea, alps], 78) == "2 failed  ↑ sea.jpg, ↑ alps.jpg   w transfers")
        #expect(words([], [sea, alps], 24) == "2 failed   w transfers")
        #expect(words([], [sea, alps], 18) == "2 failed")
        // Beside what moves, and before its speed.
        #expect(words([try item()], [sea], 78).contains("45% · 1 failed · 100 B/s"))
        #expect(words([try item()], [sea], 34).contains("45% · 1 failed"))
        // In the list's own word.
        #expect(sea.stateWord == "failed")
    }

    @Test(arguments: 8...120) @MainActor func aFailureIsNeverWiderThanItsRoom(columns: Int) throws {
        let name = String(repeating: "日本", count: 40) + ".jpg"
        let failures = [try failure(name), try failure(name)]
        let line = TransferStrip.line(
            TransferBatch([]), failures, columns: columns, hint: Self.hint)
        #expect(line.columnCount <= columns)
        #expect(line.text.hasPrefix("2 failed"))
    }

    @Test(arguments: [(6, false), (11, false), (12, true), (60, true)])
    @MainActor func leavesTheRowsOfSmallScreensToTheList(height: Int, isShown: Bool) throws {
        let tabs = TabBarController([ViewController()])
        let strip = TransferStrip {}
        strip.batch = TransferBatch([try item()])
        tabs.bottomView = strip
        let screen = try AppScreen(tabs, width: 60, height: height)
        // Above the footer.
        #expect(screen.lines.dropLast().last?.contains("sea.jpg") == isShown)
    }

    @Test(arguments: 18...120) @MainActor func isNeverWiderThanItsRoom(columns: Int) throws {
        let name = String(repeating: "日本", count: 40) + ".jpg"
        let line = TransferStrip.line(
            TransferBatch([try item(name), try item(name)]), columns: columns, hint: Self.hint)
        #expect(line.columnCount <= columns)
        #expect(line.text.contains("45%"))
    }
}
