import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// A box with one field, and the line for commands.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PromptScreenTests {
    private let root = ViewController()

    private func show(_ prompt: PromptViewController) async throws -> AppScreen {
        let screen = try AppScreen(root)
        root.present(prompt)
        await screen.wait(for: PromptViewController.self)
        return screen
    }

    private final class Answer {
        var accepted: [String] = []
        var cancelCount = 0
    }

    @Test func whatIsRefusedStaysWithTheReason() async throws {
        let answer = Answer()
        let prompt = PromptViewController(
            title: "Rename note", label: "New name", text: "a", action: "Rename", hint: "Any name."
        ) { $0 == "a" ? "It has that name." : nil }
        prompt.didAccept = { answer.accepted.append($0) }
        let screen = try await show(prompt)
        #expect(screen.text.contains("Any name."))
        #expect(screen.buttons(of: "Rename note") == ["Cancel", "Rename"])
        screen.press("Enter")
        await screen.wait(for: "It has that name.")
        #expect(answer.accepted.isEmpty)
        // The next letter brings the hint back.
        screen.type("b")
        await screen.wait(for: "Any name.")
        screen.press("Enter")
        await screen.wait(untilGone: "Rename note")
        #expect(answer.accepted == ["ab"])
        #expect(screen.application.topViewController === root)
    }

    @Test func escLeavesWithoutAnAnswer() async throws {
        let answer = Answer()
        let prompt = PromptViewController(
            title: "Rename note", label: "New name", text: "a", action: "Rename"
        ) { _ in nil }
        prompt.didAccept = { answer.accepted.append($0) }
        prompt.didCancel = { answer.cancelCount += 1 }
        prompt.leadsBack = true
        let screen = try await show(prompt)
        #expect(screen.buttons(of: "Rename note") == ["Back", "Rename"])
        #expect(screen.footer.contains("Esc back"))
        screen.press("Esc")
        await screen.wait(untilGone: "Rename note")
        #expect(answer.accepted.isEmpty)
        #expect(answer.cancelCount == 1)
    }

    @Test func aCheckThatTakesTimeKeepsTheBoxAndCountsForWhatWasTyped() async throws {
        let (answers, give) = AsyncStream.makeStream(of: String?.self)
        let answer = Answer()
        let prompt = PromptViewController(
            title: "Download", label: "Folder", text: "there", action: "Download"
        ) { _ in nil }
        prompt.check = { _ in
            for await refusal in answers { return refusal }
            return nil
        }
        prompt.didAccept = { answer.accepted.append($0) }
        let screen = try await show(prompt)
        screen.press("Enter")
        await screen.wait(for: "Looking…")
        give.yield("There is no such folder.")
        await screen.wait(for: "There is no such folder.")
        screen.press("Enter")
        await screen.wait(for: "Looking…")
        give.yield(nil)
        await screen.wait(untilGone: "Download")
        #expect(answer.accepted == ["there"])
    }

    @Test func tabCompletesAndSecretsAreDots() async throws {
        let prompt = PromptViewController(
            title: "Move", label: "Folder", text: "dr", action: "Move"
        ) { _ in nil }
        prompt.completion = { $0 == "dr" ? "drafts/" : nil }
        let screen = try await show(prompt)
        screen.press("End", "Tab")
        await screen.wait(for: "drafts/")
        screen.press("Esc")
        await screen.wait(untilGone: "drafts/")

        let secret = PromptViewController(
            title: "Sign in", label: "Password", text: "", action: "Next", isSecure: true
        ) { _ in "No." }
        root.present(secret)
        await screen.wait(for: "Password")
        screen.type("geheim\n")
        await screen.wait(for: "No.")
        #expect(!screen.text.contains("geheim"))
        #expect(secret.text == "geheim")
    }

    // MARK: - Commands

    @Test func commandsAreCompletedAndFoundByWhatTheyDo() async throws {
        let home = try CoordinatorHome(settings: CoordinatorHome.work)
        try home.store.plant("x", at: "/a.txt")
        let run = try await home.start()
        let screen = run.screen
        await screen.wait(for: "a.txt")
        screen.press(":")
        await screen.wait(for: CommandPaletteController.self)
        screen.type("tra")
        await screen.wait(for: "Uploads and downloads")
        screen.press("Tab")
        await screen.wait { $0.box("Command").first?.hasPrefix(": tra") == true }
        for _ in "transfers" { screen.press("Backspace") }
        // A key's command is found by its title.
        screen.type("versions of")
        await screen.wait { $0.box("Command").contains { $0.hasSuffix("Versions of the note") } }
        screen.press("Enter")
        await screen.wait(for: VersionsViewController.self)
        screen.press("Esc")
        await screen.wait(for: "1 · by name")
        screen.press(":")
        screen.type("no such thing")
        await screen.wait(for: "There is no such command.")
        screen.press("Enter", "Esc")
        await screen.wait(for: "1 · by name")
        await run.end()
    }
}
