import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// A filter that is opened before there is anything to filter.
@MainActor @Suite(.timeLimit(.minutes(1))) struct EarlyFilterTests {
    /// Refused, the word after it would be commands for the rows that come meanwhile.
    @Test func whatIsTypedBehindTheSlashIsNoCommandForTheFirstRows() async throws {
        let home = ListHome()
        try home.store.plant("text", at: "/a.txt")
        home.store.hold(.list)
        let run = try ListHome.Run(home, width: 80, height: 24)
        await run.memory.load()
        run.memory.start(run.club)
        run.club.start()
        await run.screen.wait(for: "Opening the club")
        run.screen.type("/a")
        home.store.release(.list)
        await run.screen.wait(for: "1 of 1")
        run.screen.type("dded")
        await run.screen.wait(for: "No note has “added” in its name.")
        #expect(!run.screen.text.contains("Delete note?"))
        #expect(try home.note("a.txt") == "text")
        run.screen.press("Esc")
        await run.screen.wait(for: "a.txt")
        await run.end()
    }
}
