import Testing
import TextEditing

@testable import TerminalUI

/// Parts of a text in a look of their own, and what becomes of them while the text is edited.
@MainActor @Suite struct TextHighlightTests {
    private func make(_ text: TextBuffer, _ ranges: [Range<Int>]) throws -> (
        Harness, EditorController
    ) {
        let controller = EditorController(text)
        let harness = try Harness(controller, width: 20, height: 7)
        controller.textView.highlights = ranges.map { TextHighlight($0, .success) }
        return (harness, controller)
    }

    @Test func areDrawnInTheirRole() throws {
        let (harness, _) = try make("one\ntwo\nthree", [4..<7])
        harness.application.drawIfNeeded()
        let plain = harness.screen.style(column: 0, row: 0)
        #expect(harness.screen.style(column: 0, row: 1) != plain)
        #expect(harness.screen.style(column: 2, row: 1) != plain)
        #expect(harness.screen.style(column: 0, row: 2) == plain)
    }

    @Test(
        arguments: [
            // Before, inside, behind.
            ("Home", "X", [5..<8]), ("C-End", "X", [4..<7]),
        ] as [(KeySequence, String, [Range<Int>])])
    func moveWithTheText(key: KeySequence, typed: String, expected: [Range<Int>]) throws {
        let (harness, controller) = try make("one\ntwo\nthree", [4..<7])
        harness.press(key)
        harness.type(typed)
        #expect(controller.textView.highlights.map(\.range) == expected)
    }

    @Test func whatIsTypedInsideBelongsToThem() throws {
        let (harness, controller) = try make("one\ntwo\nthree", [4..<7])
        harness.press("Down")
        harness.press("Right")
        harness.type("X")
        #expect(controller.textView.highlights.map(\.range) == [4..<8])
        harness.press("^Z")
        #expect(controller.textView.highlights.map(\.range) == [4..<7])
    }

    @Test func goWithWhatIsDeletedAndWithAnotherText() throws {
        let (harness, controller) = try make("one\ntwo\nthree", [0..<3, 4..<7])
        harness.press("Down")
        harness.press("^K")
        #expect(controller.textView.highlights.map(\.range) == [0..<3])
        controller.textView.load("another")
        #expect(controller.textView.highlights.isEmpty)
    }
}
