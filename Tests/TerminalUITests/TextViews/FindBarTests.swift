import Testing
import TextEditing

@testable import TerminalUI

/// A text with the bar below it.
final class FindController: ViewController {
    let textView = TextView()
    lazy var bar = FindBar(textView)

    init(_ text: TextBuffer) {
        super.init()
        textView.load(text)
        textView.clipboard = Clipboard()
    }

    override func viewDidLoad() {
        textView.didChange = { [bar] in bar.textDidChange() }
        textView.didMoveCaret = { [bar] in bar.selectionDidChange() }
        view.addSubview(textView)
        view.addSubview(bar)
        bar.didChangeLayout = { [weak self] in self?.view.setNeedsLayout() }
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        if !bar.isHidden { bar.frame = area.takeBottom(bar.rowCount) }
        textView.frame = area
    }

    override var preferredFirstResponder: View? { textView }

    override var keyTable: KeyTable {
        KeyTable("Test") {
            KeyCommand.find.performs { self.bar.open(replacing: false) }
            KeyCommand.replace.performs { self.bar.open(replacing: true) }
            KeyCommand.findNext.performs { self.bar.move(by: 1) }
            KeyCommand.findPrevious.performs { self.bar.move(by: -1) }
        }
    }
}

@MainActor
@Suite struct FindBarTests {
    private func make(
        _ text: TextBuffer, width: Int = 60, height: Int = 8
    ) throws -> (Harness, FindController) {
        let controller = FindController(text)
        return (try Harness(controller, width: width, height: height), controller)
    }

    @Test func searchesAgainInATextThatWasSavedElsewhere() throws {
        let (harness, controller) = try make("foo foo")
        harness.press("^F")
        harness.type("foo")
        #expect(harness.lines[6].hasSuffix("1 of 2"))
        controller.textView.becomeSaved("foo\nfoo\nfoo")
        harness.application.drawIfNeeded()
        #expect(controller.textView.matches == [0..<3, 4..<7, 8..<11])
        controller.textView.becomeSaved("x")
        #expect(controller.textView.matches.isEmpty)
    }

    /// The matches of the old text are offsets that the new one may not have.
    @Test func replacesNothingInATextThatWasSavedElsewhereMeanwhile() async throws {
        let long = String(repeating: "a line with foo\n", count: 20_000)
        let (harness, controller) = try make(TextBuffer(long))
        let finder = TextFinder(controller.textView)
        finder.find(TextQuery("fo+", isRegularExpression: true), from: nil)
        // The finder is not told.
        controller.textView.didChange = nil
        controller.textView.load("fo")
        finder.whenComplete { finder.replaceAll(with: "bar") { _, _ in } }
        // The first search, the one in the new text, and the one after the replacement.
        await finder.finish()
        await finder.finish()
        await finder.finish()
        #expect(controller.textView.buffer.string == "bar")
        _ = harness
    }

    @Test func findsWhileOneTypesAndGoesBackWithEsc() throws {
        let (harness, controller) = try make("one two\ntwo one\nTwo")
        harness.press("Down", "^F")
        harness.type("tw")
        #expect(controller.textView.marked == "one two\n[tw|o one\nTwo")
        #expect(harness.lines[6].hasSuffix("2 of 3"))
        harness.type("o")
        harness.press("Enter")
        #expect(controller.textView.marked == "one two\ntwo one\n[Two|")
        harness.press("^N")
        #expect(controller.textView.marked == "one [two|\ntwo one\nTwo")
        harness.press("^P")
        #expect(harness.lines[6].hasSuffix("3 of 3"))
        harness.press("Esc")
        #expect(controller.textView.marked == "one two\n|two one\nTwo")
        #expect(controller.bar.isHidden)
        #expect(controller.textView.matches.isEmpty)
        #expect(controller.textView.isFirstResponder)
    }

    @Test func marksAllMatchesOnTheScreen() throws {
        let (harness, _) = try make("cat dog cat\ncat")
        harness.press("^F")
        harness.type("cat")
        let match = harness.application.surface.theme[.match]
        #expect(harness.screen.style(column: 8, row: 0) == match)
        #expect(harness.screen.style(column: 2, row: 1) == match)
        #expect(harness.screen.style(column: 5, row: 0) == .plain)
    }

    @Test func aCapitalLetterAsksForCapitals() throws {
        let (harness, _) = try make("one One ONE")
        harness.press("^F")
        harness.type("One")
        #expect(harness.lines[6].hasSuffix("1 of 1"))
        harness.press("M-c", "M-c")
        #expect(harness.lines[6].contains("[aa]"))
        #expect(harness.lines[6].hasSuffix("1 of 3"))
    }

    @Test func looksForExpressionsAndSaysWhatIsWrong() async throws {
        let (harness, controller) = try make("a1 b22 c333")
        harness.press("^F", "M-r")
        harness.type("\\d{2,}")
        await controller.bar.finder.finish()
        harness.settle()
        #expect(harness.lines[6].contains("[.*]"))
        #expect(harness.lines[6].hasSuffix("1 of 2"))
        #expect(controller.textView.marked == "a1 b[22| c333")
        harness.type("(")
        #expect(harness.lines[6].hasSuffix("not valid"))
        harness.press("Enter")
        #expect(harness.footer.contains("Missing closing parenthesis."))
    }

    @Test func aTextWithoutAMatchKeepsTheCaret() throws {
        let (harness, controller) = try make("one two")
        harness.press("Right", "^F")
        harness.type("x")
        #expect(harness.lines[6].hasSuffix("no match"))
        #expect(controller.textView.marked == "o|ne two")
    }

    @Test func tabLeadsIntoTheTextWhereKeysGoOn() throws {
        let (harness, controller) = try make("one two one two")
        harness.press("^F")
        harness.type("two")
        harness.press("Tab", "Right", "!")
        #expect(controller.textView.marked == "one two!| one two")
        #expect(harness.lines[6].hasSuffix("2 matches"))
        harness.press("^N")
        #expect(controller.textView.marked == "one two! one [two|")
    }

    @Test func replacesOneAndGoesOn() throws {
        let (harness, controller) = try make("cat cat cat")
        harness.press("^F")
        harness.type("cat")
        harness.press("^R")
        harness.type("dog")
        #expect(harness.lines[6].hasPrefix("Replace dog"))
        harness.press("Enter")
        #expect(controller.textView.marked == "dog [cat| cat")
        harness.press("S-Enter", "^N", "Enter")
        #expect(controller.textView.buffer.string == "dog dog cat")
    }

    /// Expressions are searched beside the keys, which may be faster.
    @Test func keysThatOutrunTheSearchAreNotLost() async throws {
        let (harness, controller) = try make("a1 a2 a3 a4")
        harness.press("^R")
        harness.type("a")
        harness.press("M-r", "Tab")
        harness.type("b")
        harness.press("Enter", "Enter", "Enter")
        while controller.bar.finder.state == .searching { await controller.bar.finder.finish() }
        #expect(controller.textView.buffer.string == "b1 b2 b3 a4")
        harness.press("M-r", "M-r", "M-a")
        while controller.bar.finder.state == .searching { await controller.bar.finder.finish() }
        #expect(controller.textView.buffer.string == "b1 b2 b3 b4")
    }

    @Test func replacesAllAsOneStep() throws {
        let (harness, controller) = try make("cat cat\ncat")
        harness.press("^R")
        harness.type("cat")
        harness.press("Tab")
        harness.type("mouse")
        harness.press("M-a")
        #expect(controller.textView.buffer.string == "mouse mouse\nmouse")
        #expect(harness.footer.contains("3 matches were replaced."))
        harness.press("Esc", "^Z")
        #expect(controller.textView.buffer.string == "cat cat\ncat")
    }

    @Test func replacesThousandsAsOneStep() async throws {
        let text = String(repeating: "cat dog\n", count: 3000)
        let (harness, controller) = try make(TextBuffer(text))
        harness.press("^R")
        harness.type("cat")
        harness.press("Tab")
        harness.type("mouse")
        harness.press("M-a")
        await controller.bar.finder.finish()
        harness.settle()
        #expect(
            controller.textView.buffer.string
                == String(repeating: "mouse dog\n", count: 3000))
        harness.press("Tab", "^Z")
        #expect(controller.textView.buffer.string == text)
    }

    @Test func aLongTextIsSearchedBesideTheKeys() async throws {
        let line = String(repeating: "x", count: 99) + "\n"
        let text = String(repeating: line, count: 20_000) + "needle\nneedle"
        let (harness, controller) = try make(TextBuffer(text))
        harness.press("^F")
        harness.type("needle")
        harness.press("Enter")
        await controller.bar.finder.finish()
        harness.settle()
        #expect(harness.lines[6].hasSuffix("2 of 2"))
        #expect(harness.lines.contains("needle"))
    }

    /// Next and previous while it is searched wait for the end, and an end without a match is told all the same.
    @Test(arguments: ["^N", "^P"])
    func aStepDuringASearchThatFindsNothingIsAnswered(key: KeySequence) async throws {
        let line = String(repeating: "x", count: 99) + "\n"
        let (harness, controller) = try make(TextBuffer(String(repeating: line, count: 20_000)))
        harness.press("^F")
        harness.type("needle")
        #expect(controller.bar.finder.state == .searching)
        harness.press(key)
        await controller.bar.finder.finish()
        harness.settle()
        #expect(harness.lines[6].hasSuffix("no match"))
    }

    @Test func withoutTheBarTheLastRowSaysWhereOneIs() throws {
        let (harness, controller) = try make("one two one")
        harness.press("^F")
        harness.type("one")
        harness.press("Esc", "^N", "^N")
        #expect(controller.textView.marked == "one two [one|")
        #expect(harness.footer.contains("2 of 2"))
    }

    @Test(arguments: [20, 32, 40, 200])
    func fitsAnyWidth(width: Int) throws {
        let (harness, _) = try make("one two one", width: width, height: 6)
        harness.press("^R")
        harness.type("one")
        #expect(harness.lines[3].hasSuffix("1 of 2"))
    }
}
