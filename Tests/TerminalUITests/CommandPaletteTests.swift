import Testing

@testable import TerminalUI

/// The line for commands: what is typed chooses, Tab completes, Enter runs.
@MainActor @Suite struct CommandPaletteTests {
    private let log = Log()
    private let controller = WordsController(["apple", "pear"])
    private let delegate: CommandsDelegate
    private let harness: Harness

    init() throws {
        delegate = CommandsDelegate(log)
        harness = try Harness(controller, width: 70, height: 24)
        harness.application.delegate = delegate
    }

    private var prompt: String? { harness.lines.first { $0.contains("│  :") } }

    @Test func runsWhatIsTyped() {
        harness.type(":club work\n")
        #expect(log.entries == ["club work"])
        #expect(harness.application.topViewController === controller)
    }

    @Test func theExactWordsWinOverLongerOnes() {
        harness.type(":log\n:login\n")
        #expect(log.entries == ["login", "login"])
    }

    @Test func tabCompletesAsFarAsAllAgreeThenToTheChosenOne() throws {
        harness.type(":l")
        harness.press("Tab")
        #expect(try #require(prompt).contains(": log "))
        harness.press("Down", "Tab")
        #expect(try #require(prompt).contains(": logout"))
        harness.press("Esc")
        harness.type("club w")
        harness.press("Tab")
        #expect(try #require(prompt).contains(": club work "))
        harness.type("zzz")
        #expect(harness.lines.contains { $0.contains("There is no such command.") })
    }

    @Test func commandsWithKeysAreFoundByWhatTheyDo() {
        harness.type(":new w\n")
        #expect(controller.log.entries.last == "new")
    }

    @Test func whatIsCalledSoComesBeforeWhatIsDescribedSo() {
        let chosen = CommandPaletteController(
            [
                PaletteCommand("trash", title: "Deleted notes") {},
                PaletteCommand("rm", title: "Delete the note") {},
            ], chain: [], bindings: KeyBindings()
        ) { _ in }
        harness.application.topViewController?.present(chosen)
        harness.type("delete")
        let rows = harness.lines.filter { $0.contains("rm ") || $0.contains("trash ") }
        #expect(rows.first?.contains("rm ") == true)
        #expect(rows.count == 2)
    }

    @Test func oneThatCannotBeDoneSaysWhy() {
        harness.type(":logout\n")
        #expect(log.entries.isEmpty)
        #expect(harness.footer == " Nobody is signed in.")
    }

    @Test func escapeClearsTheLineThenLeaves() {
        harness.type(":zzz")
        harness.press("Esc")
        #expect(harness.application.topViewController is CommandPaletteController)
        harness.press("Esc")
        #expect(harness.application.topViewController === controller)
    }
}

@MainActor private final class CommandsDelegate: ApplicationDelegate {
    private let log: Log

    init(_ log: Log) { self.log = log }

    func applicationCommands(_ application: Application) -> [PaletteCommand] {
        [
            PaletteCommand("login", title: "Join a club") { self.log.note("login") },
            PaletteCommand("logout", title: "Sign out", unless: "Nobody is signed in.") {
                self.log.note("logout")
            },
            PaletteCommand("club home", title: "Open") { self.log.note("club home") },
            PaletteCommand("club work", title: "Open") { self.log.note("club work") },
        ]
    }
}
