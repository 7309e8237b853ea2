import Testing
import TextEditing

@testable import TerminalUI

@MainActor
@Suite struct TextViewTests {
    private func make(
        _ text: TextBuffer = "", width: Int = 20, height: Int = 6
    ) throws -> (Harness, EditorController) {
        let controller = EditorController(text)
        // One row more for the footer.
        return (try Harness(controller, width: width, height: height + 1), controller)
    }

    @Test func writesWhatIsTypedAndWrapsBetweenWords() throws {
        let (harness, controller) = try make()
        harness.type("The quick brown fox jumps\nover")
        #expect(harness.lines.prefix(3) == ["The quick brown fox", "jumps", "over"])
        #expect(harness.screen.cursor == Point(x: 4, y: 2))
        #expect(controller.textView.isDirty)
        #expect(controller.textView.caretPosition == TextPosition(line: 1, column: 4))
    }

    @Test(
        arguments: [
            ("one two", ["C-Right", "X"], "oneX| two"),
            ("one two", ["M-f", "M-f", "M-b", "X"], "one X|two"),
            ("one", ["End", "Backspace"], "on|"), ("one", ["Del"], "|ne"),
            ("one two", ["End", "^W"], "one |"),
            ("one two", ["M-d"], "| two"), ("a\nb\nc", ["Down", "^K"], "a\n|c"),
            ("ab", ["^A", "^X"], "|"),
            ("ab", ["^A", "^C", "Right", "^V"], "abab|"), ("abc", ["S-Right", "S-Right"], "[ab|c"),
            ("a\nb", ["S-Down", "S-End"], "[a\nb|"), ("one two", ["C-S-Right", "X"], "X| two"),
            ("ab", ["X", "^Z"], "|ab"), ("ab", ["X", "^Z", "^Y"], "X|ab"),
            ("a\nb\nc", ["C-End", "Enter", "X"], "a\nb\nc\nX|"),
            ("a\r\nb", ["End", "Enter"], "a\r\n|\r\nb"), ("x", ["Tab"], "\t|x"),
            ("漢e\u{301}", ["End", "Left", "Backspace"], "|e\u{301}"),
            ("👨‍👩‍👧x", ["Right", "Backspace"], "|x"), ("abc", ["C-End", "C-S-Home"], "|abc["),
            ("abc", ["^A", "Left"], "|abc"), ("a", ["?"], "?|a"), ("a", ["q"], "q|a"),
            ("a", ["Space"], " |a"),
        ] as [(TextBuffer, [KeySequence], String)])
    func keysEdit(text: TextBuffer, keys: [KeySequence], expected: String) throws {
        let (harness, controller) = try make(text)
        for key in keys { harness.press(key) }
        #expect(controller.textView.marked == expected)
    }

    @Test func drawsWideCharactersAndMarksWhereTheyBelong() throws {
        let (harness, controller) = try make("漢字e\u{301}👍🏽नमस्ते|\u{1B}\u{202E}!", width: 30)
        #expect(harness.lines[0] == "漢字e\u{301}👍🏽नमस्ते|^[<U+202E>!")
        harness.press("End")
        #expect(harness.screen.cursor == Point(x: CellWidth.of("漢字e\u{301}👍🏽नमस्ते|") + 11, y: 0))
        let mark = harness.screen.style(column: CellWidth.of("漢字e\u{301}👍🏽नमस्ते|"), row: 0)
        #expect(mark != .plain)
        _ = controller
    }

    @Test func aWideCharacterIsNeverSplitAtTheEdge() throws {
        let (harness, _) = try make("abcdefghi漢字漢字漢字漢", width: 20)
        #expect(harness.lines.prefix(2) == ["abcdefghi漢字漢字漢", "字漢"])
    }

    @Test func aPasteIsOneStepAndNeverKeys() throws {
        let (harness, controller) = try make("ab")
        harness.press("Right")
        harness.application.handle(.paste("1\n2\u{1B}[A q"))
        harness.settle()
        #expect(controller.textView.marked == "a1\n2\u{1B}[A q|b")
        #expect(harness.lines[1] == "2^[[A qb")
        harness.press("^Z")
        #expect(controller.textView.marked == "a|b")
    }

    @Test func pastesWithTheTextsOwnLineEnds() throws {
        let (harness, controller) = try make("a\r\nb")
        harness.application.handle(.paste("1\n2"))
        #expect(controller.textView.buffer.string == "1\r\n2a\r\nb")
    }

    @Test func linesThatAreCutInARowArePastedTogether() throws {
        let (harness, controller) = try make("1\n2\n3\n4\n")
        controller.textView.clipboard = Clipboard()
        harness.press("^K", "^K", "C-End", "^V")
        #expect(controller.textView.buffer.string == "3\n4\n1\n2\n")
        harness.press("C-Home", "^K", "Down", "^K", "^V")
        #expect(controller.textView.buffer.string == "4\n1\n2\n")
    }

    @Test func cutsTheSelectionWhereThereIsOne() throws {
        let (harness, controller) = try make("1\n2\n3\n4\n")
        controller.textView.clipboard = Clipboard()
        harness.press("S-Down", "S-Down", "^K")
        #expect(controller.textView.marked == "|3\n4\n")
        harness.press("C-End", "^V")
        #expect(controller.textView.buffer.string == "3\n4\n1\n2\n")
    }

    @Test func linesOfAnotherTextGetTheEndsOfThisOne() throws {
        let clipboard = Clipboard()
        let (windows, other) = try make("a\r\nb\nc\r\n")
        other.textView.clipboard = clipboard
        windows.press("^A", "^C", "C-End", "^V")
        // Its own lines stay as they are.
        #expect(
            Array(other.textView.buffer.string.utf8) == Array("a\r\nb\nc\r\na\r\nb\nc\r\n".utf8))
        let (harness, controller) = try make("1\n2")
        controller.textView.clipboard = clipboard
        harness.press("^V")
        #expect(Array(controller.textView.buffer.string.utf8) == Array("a\nb\nc\n1\n2".utf8))
        harness.press("^A", "^C")
        windows.press("^A", "^V")
        #expect(other.textView.buffer.string == "a\r\nb\r\nc\r\n1\r\n2")
    }

    @Test(arguments: [["^A", "^X"], ["^K", "^K", "^K"]] as [[KeySequence]])
    func aWholeTextThatWasCutHasItsEndsWithIt(keys: [KeySequence]) throws {
        let clipboard = Clipboard()
        let (windows, other) = try make("a\r\nb\r\n")
        other.textView.clipboard = clipboard
        for key in keys { windows.press(key) }
        #expect(other.textView.buffer.isEmpty)
        let (harness, controller) = try make("1\n2")
        controller.textView.clipboard = clipboard
        harness.press("^V")
        #expect(Array(controller.textView.buffer.string.utf8) == Array("a\nb\n1\n2".utf8))
    }

    @Test func aDragBelongsToTheViewInWhichItBegan() throws {
        let lines = (1...50).map { "line \($0)" }.joined(separator: "\n")
        let (harness, controller) = try make(TextBuffer(lines))
        func mouse(_ action: MouseEvent.Action, _ x: Int, _ y: Int) {
            harness.application.handle(
                .mouse(MouseEvent(action, button: .left, at: Point(x: x, y: y))))
            harness.settle()
        }
        // Below the text is the footer.
        mouse(.press, 0, 5)
        for _ in 1...3 { mouse(.drag, 2, 6) }
        #expect(harness.lines[5] == "line 9")
        #expect(controller.textView.selectedRange.upperBound > TextBuffer(lines).start(ofLine: 7))
        mouse(.release, 2, 6)
        let selected = controller.textView.selectedRange
        mouse(.press, 2, 6)
        mouse(.drag, 2, 2)
        #expect(controller.textView.selectedRange == selected)
    }

    @Test func scrollsWithTheCaret() throws {
        let lines = (1...50).map { "line \($0)" }.joined(separator: "\n")
        let (harness, controller) = try make(TextBuffer(lines))
        for _ in 1...6 { harness.press("Down") }
        #expect(harness.lines.prefix(6).first == "line 2")
        #expect(harness.screen.cursor == Point(x: 0, y: 5))
        harness.press("PgDn")
        #expect(controller.textView.caretPosition.line == 11)
        harness.press("C-End")
        #expect(harness.lines.prefix(6) == ["line 47", "line 48", "line 49", "line 50", "", ""])
        harness.press("C-Home")
        #expect(harness.lines[0] == "line 1")
        #expect(harness.screen.cursor == .zero)
    }

    /// As a text is opened at a line: what is before the line can be read, too.
    @Test func aLineChosenBeforeItIsOnTheScreenComesInTheMiddle() throws {
        let controller = EditorController(
            TextBuffer((1...40).map(String.init).joined(separator: "\n")))
        controller.textView.moveCaret(toLine: 19)
        let harness = try Harness(controller, width: 20, height: 7)
        #expect(harness.lines.prefix(6) == ["17", "18", "19", "20", "21", "22"])
        #expect(harness.screen.cursor == Point(x: 0, y: 3))
    }

    /// It was left in a small window, at its end.
    @Test func aTextThatFitsIsNotScrolledWhenItIsComeBackTo() throws {
        let (harness, controller) = try make("one\ntwo\nthree\nfour")
        var memory = controller.textView.memory
        memory.selection = Selection(caret: 14)
        memory.scrollAnchor = 14
        controller.textView.restore(memory)
        harness.press("S-Right")
        #expect(harness.lines.prefix(4) == ["one", "two", "three", "four"])
        #expect(harness.screen.cursor == Point(x: 1, y: 3))
    }

    @Test func goesToALineAndColumn() throws {
        let (harness, controller) = try make("e\u{301}t\u{E9}\nsecond\n\nlast")
        let places = [(0, 3), (1, 2), (1, 99), (2, 5), (99, 0), (-1, -1)]
        let carets = places.map { line, column in
            controller.textView.go(to: TextPosition(line: line, column: column))
            return controller.textView.selectedRange.lowerBound
        }
        #expect(carets == [4, 9, 13, 14, 15, 0])
        // Bytes that are no text count as one each.
        controller.textView.load(TextBuffer(utf8: [0x61, 0xFF, 0xFE, 0x62, 0x0A, 0x63]))
        controller.textView.go(to: TextPosition(line: 0, column: 3))
        #expect(controller.textView.selectedRange == 3..<3)
        controller.textView.go(to: TextPosition(line: 1, column: .max))
        #expect(controller.textView.selectedRange == 6..<6)
        controller.textView.isEditable = false
        controller.textView.load(TextBuffer((1...50).map { "\($0)" }.joined(separator: "\n")))
        controller.textView.go(to: TextPosition(line: 29, column: 0))
        harness.settle()
        #expect(harness.lines.prefix(6).contains("30"))
    }

    @Test func theWheelScrollsAndTypingComesBack() throws {
        let lines = (1...50).map { "line \($0)" }.joined(separator: "\n")
        let (harness, controller) = try make(TextBuffer(lines))
        for _ in 1...4 {
            harness.application.handle(.mouse(MouseEvent(.scrollDown, at: Point(x: 3, y: 3))))
        }
        harness.settle()
        #expect(harness.lines[0] == "line 13")
        #expect(harness.screen.cursor == nil)
        harness.type("x")
        #expect(harness.lines[0] == "xline 1")
        for _ in 1...40 {
            harness.application.handle(.mouse(MouseEvent(.scrollDown, at: Point(x: 3, y: 3))))
        }
        harness.settle()
        #expect(harness.lines[5] == "line 50")
        #expect(controller.textView.caretPosition.line == 0)
    }

    @Test func theMousePlacesTheCaretAndSelects() throws {
        let (harness, controller) = try make("hello 漢字 world\nsecond")
        harness.click(7, 0)
        #expect(controller.textView.marked == "hello |漢字 world\nsecond")
        harness.click(7, 0)
        #expect(controller.textView.marked == "hello [漢字| world\nsecond")
        harness.click(2, 0)
        harness.application.handle(.mouse(MouseEvent(.drag, button: .left, at: Point(x: 3, y: 1))))
        #expect(controller.textView.marked == "he[llo 漢字 world\nsec|ond")
        harness.click(9, 4)
        #expect(controller.textView.marked == "hello 漢字 world\nsecond|")
    }

    @Test func marksTheSelectionWithItsLineEnds() throws {
        let (harness, _) = try make("abc\ndef")
        harness.press("Right", "S-Down")
        let selected = harness.application.surface.theme[.selectedText]
        let map = harness.screen.attributeMap([selected])
        #expect(map[0].hasPrefix(".aaa."))
        #expect(map[1].hasPrefix("a..."))
    }

    @Test func copiesToTheTerminalToo() throws {
        let (harness, _) = try make("abc")
        harness.press("S-Right", "S-Right", "^C")
        #expect(
            String(decoding: harness.screen.sentBytes, as: UTF8.self) == "\u{1B}]52;c;YWI=\u{7}")
    }

    @Test func leavesKeysItDoesNotUseToOthers() throws {
        let (harness, controller) = try make("abc")
        harness.press("Esc", "^S", "^C")
        #expect(controller.log.entries == ["cancel", "save", "cancel"])
        controller.textView.insertsTabs = false
        harness.press("Tab")
        #expect(controller.log.entries.last == "next")
    }

    @Test func tellsOfChangesAndMoves() throws {
        let (harness, controller) = try make("abc")
        harness.press("Right", "x", "Left", "S-Left")
        #expect(controller.log.entries == ["caret", "change", "caret", "caret", "caret"])
    }

    @Test func isCleanAgainWhenUndoneToWhatWasSaved() throws {
        let (harness, controller) = try make("abc")
        harness.type("x")
        controller.textView.markClean()
        harness.type("y")
        #expect(controller.textView.isDirty)
        harness.press("^Z")
        #expect(!controller.textView.isDirty)
    }

    @Test func saysWhyAKeyDoesNothing() throws {
        let (harness, _) = try make("abc", width: 40)
        harness.press("^Z")
        #expect(harness.footer.contains("There is nothing to undo."))
        harness.press("^X")
        #expect(harness.footer.contains("Nothing is selected."))
    }

    @Test func showsItsKeysInFooterAndMenu() throws {
        let (harness, _) = try make("abc", width: 60, height: 60)
        #expect(harness.footer.contains("^G keys"))
        harness.press("F1")
        #expect(harness.screen.text.contains("Select everything"))
        #expect(harness.screen.text.contains("^W"))
    }

    @Test func showsAPlaceholderWhileEmpty() throws {
        let (harness, controller) = try make()
        controller.textView.placeholder = "Write here."
        harness.settle()
        #expect(harness.lines[0] == "Write here.")
        harness.type("x")
        #expect(harness.lines[0] == "x")
    }

    @Test func aTextThatIsOnlyReadScrolls() throws {
        let lines = (1...50).map { "line \($0)" }.joined(separator: "\n")
        let (harness, controller) = try make(TextBuffer(lines))
        controller.textView.isEditable = false
        harness.press("Down", "Down")
        harness.type("x")
        #expect(harness.lines[0] == "line 3")
        #expect(harness.screen.cursor == nil)
        harness.press("End")
        #expect(harness.lines[5] == "line 50")
        harness.press("Home")
        #expect(harness.lines[0] == "line 1")
        #expect(controller.textView.buffer.string == lines)
    }

    @Test func showsLineNumbersAndScrollsSideways() throws {
        let long = "0123456789012345678901234567890123456789"
        let (harness, controller) = try make(TextBuffer("first\n\(long)\nthird"))
        harness.press("M-#")
        #expect(
            harness.lines.prefix(4) == [
                "  1 first", "  2 012345678901234", "    567890123456789", "    0123456789",
            ])
        harness.press("M-$")
        #expect(harness.lines.prefix(3) == ["  1 first", "  2 0123456789012345", "  3 third"])
        harness.press("Down", "End")
        #expect(harness.screen.cursor?.y == 1)
        #expect(harness.lines[1].hasSuffix("456789"))
        #expect(controller.textView.caretPosition == TextPosition(line: 1, column: 40))
        harness.press("Home")
        #expect(harness.lines[1] == "  2 0123456789012345")
    }

    @Test func staysOnItsFeetInAStormOfSizes() throws {
        let text = String(repeating: "漢字 and words, 👨‍👩‍👧 too. ", count: 60)
        let (harness, controller) = try make(TextBuffer(text))
        harness.press("C-End")
        for (width, height) in [(20, 6), (80, 24), (21, 40), (160, 50), (20, 6)] {
            harness.resize(width, height)
            let cursor = try #require(harness.screen.cursor)
            #expect(cursor.x < width && cursor.y < height - 1)
            harness.type("x")
            harness.press("Backspace", "Up", "Down")
        }
        #expect(controller.textView.buffer.string == text)
    }

    @Test func aCaretAtTheEndOfAFullRowStaysOnTheScreen() throws {
        let (harness, _) = try make("", width: 20)
        harness.type("abcdefghijklmnopqrs")
        #expect(harness.screen.cursor == Point(x: 19, y: 0))
        harness.type(" ")
        #expect(harness.screen.cursor == Point(x: 0, y: 1))
        harness.type("t")
        #expect(harness.lines.prefix(2) == ["abcdefghijklmnopqrs", "t"])
    }
}
