import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// What can be set, on a screen in memory.
@MainActor @Suite(.timeLimit(.minutes(1))) struct SettingsScreenTests {
    private static let title = "Settings"

    /// The settings alone, above nothing.
    private func open(_ home: CoordinatorHome) async throws -> AppScreen {
        let root = ViewController()
        let screen = try AppScreen(root, height: 30)
        root.present(SettingsViewController(home.registry.settingsFile, home.registry.settings()))
        await screen.wait(for: SettingsViewController.self)
        return screen
    }

    private func select(_ title: String, on screen: AppScreen) async {
        screen.press("Home")
        let place = screen.box(Self.title).firstIndex { $0.hasPrefix(title) } ?? 0
        for _ in 0..<place { screen.press("Down") }
    }

    @Test func aChoiceIsWrittenAndTakesEffectAtOnce() async throws {
        let home = try CoordinatorHome(settings: "# mine\nmouse: off\n")
        let long = String(repeating: "word ", count: 40)
        try home.store.plant(long, at: "/long.txt")
        let run = try await home.start(height: 30)
        let screen = run.screen
        await run.command("settings")
        await screen.wait(for: SettingsViewController.self)
        let rows = screen.box(Self.title)
        #expect(rows.first.map { $0.hasPrefix("Theme") && $0.hasSuffix("auto") } == true)
        #expect(rows.contains { $0.hasPrefix("Mouse") && $0.hasSuffix("off") })
        await select("Wrap long lines", on: screen)
        await screen.wait(for: "off · on")
        screen.press("Enter")
        await screen.wait { screen in
            screen.box(Self.title).contains {
                $0.hasPrefix("Wrap long lines") && $0.hasSuffix("off")
            }
        }
        #expect(home.settingsText.hasPrefix("# mine\nmouse: off\n"))
        #expect(home.registry.settings().editor.wrapsLines == false)
        // The next note that is opened is as it says.
        screen.press("Esc")
        await screen.wait(for: "1 · by name")
        screen.press("Enter")
        await screen.wait(for: NoteDetailsViewController.self)
        #expect(screen.rows(with: "word").count == 1)
        await run.end()
    }

    @Test func aTypedValueIsCheckedFirst() async throws {
        let home = try CoordinatorHome()
        let screen = try await open(home)
        await select("Tab width", on: screen)
        await screen.wait(for: "From 1 to 16.")
        screen.press("Enter")
        await screen.wait(for: PromptViewController.self)
        screen.press("^A", "^K")
        screen.type("99\n")
        await screen.wait(for: "A whole number from 1 to 16 is needed.")
        #expect(home.settingsText == "")
        screen.press("^A", "^K")
        screen.type("8\n")
        await screen.wait { screen in
            screen.box(Self.title).contains { $0.hasPrefix("Tab width") && $0.hasSuffix("8") }
        }
        #expect(home.registry.settings().editor.tabWidth == 8)
        // Esc leaves the value as it is.
        screen.press("Enter")
        await screen.wait(for: PromptViewController.self)
        screen.type("1")
        screen.press("Esc")
        await screen.wait(for: SettingsViewController.self)
        #expect(home.registry.settings().editor.tabWidth == 8)
        #expect(home.registry.settings().problems.isEmpty)
    }

    @Test func anEmptyLimitIsNoLimit() async throws {
        let home = try CoordinatorHome(settings: "transfers:\n  limit-rate: 500K\n")
        let screen = try await open(home)
        await select("Speed limit", on: screen)
        screen.press("Enter")
        await screen.wait(for: PromptViewController.self)
        screen.press("^A", "^K")
        screen.type("fast\n")
        await screen.wait(for: "“fast” is not a valid rate.")
        screen.press("^A", "^K", "Enter")
        await screen.wait { screen in
            screen.box(Self.title).contains {
                $0.hasPrefix("Speed limit") && $0.hasSuffix("no limit")
            }
        }
        #expect(home.registry.settings().transfers.bytesPerSecondLimit == nil)
    }

    /// What keeps the file from being written, and what the sentence says.
    private nonisolated static let obstacles:
        [(settings: String, isStateClosed: Bool, words: String)] = [
            ("editor: [\n", false, "config.yml"),
            ("version: 99\n", false, "newer Byte Club"),
            ("", true, "state/byteclub"),
        ]

    @Test(arguments: obstacles.indices)
    func whatCannotBeWrittenIsSaidAndNothingChanges(index: Int) async throws {
        let (text, isStateClosed, words) = Self.obstacles[index]
        let home = try CoordinatorHome(settings: text)
        if isStateClosed {
            // A file where the folder is to be: for root, too, nothing can be written there.
            let state = home.registry.paths.stateFolder
            try FileManager.default.createDirectory(
                at: state.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: state.path))
        }
        let screen = try await open(home)
        await select("Wrap long lines", on: screen)
        screen.press("Enter")
        await screen.wait(for: "Not changed")
        #expect(screen.box("Not changed").joined().contains(words), "\(screen.text)")
        screen.press("Enter")
        await screen.wait(for: SettingsViewController.self)
        #expect(home.settingsText == text)
        #expect(
            screen.box(Self.title).contains {
                $0.hasPrefix("Wrap long lines") && $0.hasSuffix("on")
            })
    }

    @Test func problemsOfTheFileStandBelow() async throws {
        let home = try CoordinatorHome(settings: "mouse: perhaps\nkeys:\n  no.such: x\n")
        let screen = try await open(home)
        await screen.wait(for: "line 1: ")
        #expect(screen.text.contains("line 3: "))
        screen.press("End")
        await screen.wait(for: "Written in config.yml: E edits it.")
        screen.press("q")
        await screen.wait(untilGone: "Written in config.yml")
    }

    @Test func leadsToTheClubs() async throws {
        let run = try await CoordinatorHome().start(height: 30)
        await run.command("settings")
        await run.screen.wait(for: SettingsViewController.self)
        await select("Clubs", on: run.screen)
        run.screen.press("Enter")
        await run.screen.wait(for: ClubChooserViewController.self)
        await run.end()
    }
}
