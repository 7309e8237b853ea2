import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// A note that is too large for the editor; `NotesListTests` goes through one from end to end.
@MainActor @Suite(.timeLimit(.minutes(1))) struct LargeNoteScreenTests {
    private let home = ListHome()

    private func start(_ text: String) async throws -> ListHome.Run {
        try home.store.plant(text, at: "/big.txt")
        let run = try await home.start(width: 70, height: 20)
        run.notes.editedByteLimit = 1000
        run.notes.largeTexts = LargeTextFolder(home.folder.appending(path: "large"))
        await run.screen.wait(for: "big.txt")
        return run
    }

    private func lines(_ count: Int) -> String {
        (1...count).map { "line \($0)\n" }.joined()
    }

    @Test func goesBackThroughWhatWasFoundAndSaysWhatIsNot() async throws {
        let run = try await start("a needle\n" + lines(2000) + "another Needle\n")
        let screen = run.screen
        screen.press("Enter")
        await screen.wait(for: LargeNoteViewController.self)
        await screen.wait(for: "a needle")
        screen.press("n")
        await screen.wait(for: "Nothing was searched for yet: press / first.")
        screen.press("/")
        await screen.wait(for: PromptViewController.self)
        // An empty field is refused.
        screen.press("Enter")
        await screen.wait(for: "Type what to look for.")
        screen.type("Needle\n")
        // A capital letter makes case count.
        await screen.wait(for: "another Needle")
        screen.press("N")
        await screen.wait(for: "Going on from the end.")
        screen.press("/")
        screen.type("a needle\n")
        await screen.wait {
            $0.text.contains("Going on from the start.") && $0.text.contains("a needle")
        }
        screen.press("/")
        screen.type("haystack\n")
        await screen.wait(for: "“haystack” is not in this note.")
        screen.press("Esc")
        await screen.wait(for: "by name")
        await run.end()
    }

    @Test func escStopsAnOpeningThatTakesLong() async throws {
        let run = try await start(lines(400))
        home.store.hold(.download)
        run.screen.press("Enter")
        await run.screen.wait(for: "Opening “big.txt”…")
        run.screen.press("Esc")
        await run.screen.wait(untilGone: "Opening “big.txt”…")
        home.store.release(.download)
        #expect(!run.screen.isShowing(LargeNoteViewController.self))
        await run.end()
    }

    @Test func aDownloadThatFailsIsExplained() async throws {
        let run = try await start(lines(400))
        home.store.failNext(.download, with: .offline)
        run.screen.press("Enter")
        await run.screen.wait(for: "No connection to the club")
        run.screen.press("Enter")
        await run.screen.wait(for: "by name")
        run.screen.press("Enter")
        await run.screen.wait(for: LargeNoteViewController.self)
        await run.end()
    }

    @Test func aDiskWithoutRoomForItIsExplained() async throws {
        let run = try await start(lines(400))
        // A file where the folder is to be.
        try FileManager.default.createDirectory(
            at: home.folder, withIntermediateDirectories: true)
        try Data().write(to: home.folder.appending(path: "file"))
        run.notes.largeTexts = LargeTextFolder(home.folder.appending(path: "file/large"))
        run.screen.press("Enter")
        await run.screen.wait(for: "Not opened")
        #expect(run.screen.message(of: "Not opened").hasPrefix("“big.txt” is too large for memory"))
        run.screen.press("Enter")
        await run.screen.wait(for: "by name")
        await run.end()
    }
}
