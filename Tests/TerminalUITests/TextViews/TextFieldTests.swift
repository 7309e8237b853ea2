import Testing
import TextEditing

@testable import TerminalUI

@MainActor
@Suite struct TextFieldTests {
    private func make() throws -> (Harness, LineController) {
        let controller = LineController()
        return (try Harness(controller, width: 30, height: 8), controller)
    }

    @Test func writesAndSubmits() throws {
        let (harness, controller) = try make()
        var submitted: [String] = []
        controller.field.didSubmit = { submitted.append(controller.field.text) }
        harness.type("name\n")
        #expect(harness.lines[1] == "  name")
        #expect(submitted == ["name"])
        #expect(harness.screen.cursor == Point(x: 6, y: 1))
    }

    @Test func scrollsSidewaysWithTheCaret() throws {
        let (harness, controller) = try make()
        harness.type("0123456789abcdef")
        #expect(harness.lines[1] == "  56789abcdef")
        #expect(harness.screen.cursor == Point(x: 13, y: 1))
        harness.press("Home")
        #expect(harness.lines[1] == "  0123456789ab")
        #expect(harness.screen.cursor == Point(x: 2, y: 1))
        harness.press("End", "^W")
        #expect(controller.field.text == "")
    }

    @Test func clearsAsShellsDo() throws {
        let (harness, controller) = try make()
        controller.field.clipboard = Clipboard()
        harness.press("^U")
        harness.type("/home/ann/sea.jpg")
        harness.press("^U")
        #expect(controller.field.text.isEmpty)
        harness.press("^V")
        #expect(controller.field.text == "/home/ann/sea.jpg")
        harness.press("M-b", "^U")
        #expect(controller.field.marked == "|jpg")
        harness.press("^Z")
        #expect(controller.field.text == "/home/ann/sea.jpg")
        // At the beginning there is nothing to clear, and what was cut stays.
        harness.press("C-Home", "^U")
        #expect(controller.field.text == "/home/ann/sea.jpg")
        #expect(controller.field.clipboard.text.string == "/home/ann/sea.")
    }

    @Test func showsDotsForAPasswordAndLetsNobodyCopyIt() throws {
        let (harness, controller) = try make()
        controller.field.isSecure = true
        harness.type("hüsh 漢")
        #expect(harness.lines[1] == "  ••••••")
        #expect(harness.screen.cursor == Point(x: 8, y: 1))
        #expect(controller.field.text == "hüsh 漢")
        harness.press("Left")
        #expect(harness.screen.cursor == Point(x: 7, y: 1))
        harness.press("^A", "^X")
        #expect(controller.field.text == "")
        harness.type("again")
        harness.press("^U")
        #expect(controller.field.text == "")
        #expect(controller.field.clipboard.text.isEmpty)
    }

    @Test func showsWideTextUpToItsEdge() throws {
        let (harness, controller) = try make()
        controller.field.text = "漢字漢字漢字漢字"
        harness.settle()
        #expect(controller.field.marked == "漢字漢字漢字漢字|")
        #expect(harness.screen.cursor == Point(x: 13, y: 1))
    }

    @Test func aPasteBecomesOneLine() throws {
        let (harness, controller) = try make()
        harness.application.handle(.paste("/tmp/a b\n/tmp/c\n"))
        #expect(controller.field.text == "/tmp/a b /tmp/c")
    }

    @Test func completesOrLetsTabGoOn() throws {
        let (harness, controller) = try make()
        controller.field.completion = { $0 == "pa" ? "panorama.jpg" : nil }
        harness.type("p")
        harness.press("Tab")
        #expect(controller.log.entries == ["next"])
        harness.type("a")
        #expect(harness.footer.contains("Tab complete"))
        harness.press("Tab")
        #expect(controller.field.text == "panorama.jpg")
        #expect(controller.log.entries == ["next"])
        harness.press("^Z")
        #expect(controller.field.text == "pa")
    }

    @Test func leavesKeysItDoesNotUseToOthers() throws {
        let (harness, controller) = try make()
        harness.type("ab")
        harness.press("Esc", "Down", "^C")
        #expect(controller.log.entries == ["cancel", "down", "cancel"])
        harness.press("^A", "^C")
        #expect(controller.log.entries.count == 3)
    }

    @Test func settingTheTextTellsNobodyAndCannotBeUndone() throws {
        let (harness, controller) = try make()
        var changes = 0
        controller.field.didChange = { changes += 1 }
        controller.field.text = "set"
        #expect(changes == 0)
        harness.type("x")
        #expect(changes == 1)
        harness.press("^Z", "^Z")
        #expect(controller.field.text == "set")
    }

    @Test func aClickPlacesTheCaret() throws {
        let (harness, controller) = try make()
        controller.field.text = "one two"
        harness.click(5, 1)
        #expect(controller.field.marked == "one| two")
        harness.click(12, 1)
        #expect(controller.field.marked == "one two|")
    }

    @Test func showsAPlaceholderWhileEmpty() throws {
        let (harness, controller) = try make()
        controller.field.placeholder = TextLine("Name", .secondary)
        harness.settle()
        #expect(harness.lines[1] == "  Name")
    }
}
