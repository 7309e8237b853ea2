import Testing
import TextEditing

@testable import TerminalUI

/// Counts how often it is drawn.
private final class CountingView: View {
    var drawCount = 0
    var word = "beneath"
    override func draw(on surface: Surface) {
        drawCount += 1
        surface.draw(word, at: .zero)
    }
}

private final class BeneathController: ViewController {
    let counting = CountingView()
    override func viewDidLoad() { view.addSubview(counting) }
    override func layoutView(in bounds: Rect) { counting.frame = bounds }
}

/// An editor over the right half of the screen, or all of it.
private final class PaneController: ViewController {
    let textView = TextView()
    var fillsScreen = false { didSet { setNeedsPresentationLayout() } }

    override var presentationStyle: PresentationStyle { .pane }
    override func paneFrame(in bounds: Rect) -> Rect {
        fillsScreen
            ? bounds
            : Rect(x: bounds.width / 2, y: 1, width: bounds.width / 2, height: bounds.height - 1)
    }
    override func viewDidLoad() { view.addSubview(textView) }
    override func layoutView(in bounds: Rect) { textView.frame = bounds }
    override var preferredFirstResponder: View? { textView }
}

@MainActor
@Suite struct LayersTests {
    private func make() throws -> (Harness, BeneathController, PaneController) {
        let beneath = BeneathController()
        let harness = try Harness(beneath)
        let pane = PaneController()
        beneath.present(pane)
        harness.settle()
        return (harness, beneath, pane)
    }

    @Test func whatIsBesideAPaneStaysInSightAndGetsNoKeys() throws {
        let (harness, _, pane) = try make()
        harness.type("typed")
        #expect(harness.lines[0] == "beneath")
        #expect(harness.lines[1] == String(repeating: " ", count: 20) + "typed")
        #expect(harness.screen.cursor == Point(x: 25, y: 1))
        harness.click(2, 0)
        #expect(pane.textView.isFirstResponder)
    }

    @Test func typingDrawsNothingBeneath() throws {
        let (harness, beneath, _) = try make()
        let before = beneath.counting.drawCount
        harness.type("many letters")
        #expect(beneath.counting.drawCount == before)
        #expect(harness.lines[0] == "beneath")
    }

    @Test func whatChangesBeneathIsDrawn() throws {
        let (harness, beneath, _) = try make()
        harness.type("a")
        beneath.counting.word = "changed"
        beneath.counting.setNeedsDisplay()
        harness.settle()
        #expect(harness.lines[0] == "changed")
        harness.type("b")
        #expect(harness.lines[0] == "changed")
    }

    @Test func aPaneOverTheWholeScreenHidesEverythingBeneath() throws {
        let (harness, beneath, pane) = try make()
        pane.fillsScreen = true
        harness.settle()
        harness.type("x")
        #expect(harness.lines[0] == "x")
        let before = beneath.counting.drawCount
        harness.press("Right", "Left")
        #expect(beneath.counting.drawCount == before)
        pane.fillsScreen = false
        harness.settle()
        #expect(harness.lines[0] == "beneath")
        pane.dismiss()
        harness.settle()
        #expect(harness.lines.prefix(2) == ["beneath", ""])
    }

    @Test func theFooterFollowsWhatCanBeDone() throws {
        let (harness, _, _) = try make()
        harness.resize(120, 10)
        #expect(!harness.footer.contains("undo"))
        harness.type("a")
        #expect(harness.footer.contains("^Z undo"))
        harness.press("^Z")
        #expect(!harness.footer.contains("undo"))
        #expect(harness.footer.contains("^Y redo"))
        // A click does what the key does.
        let place = try #require(harness.footer.firstRange(of: "^Y redo"))
        harness.click(
            harness.footer.distance(from: harness.footer.startIndex, to: place.lowerBound) + 4, 9)
        #expect(harness.footer.contains("^Z undo"))
        harness.press("^A")
        #expect(harness.footer.contains("^C copy"))
    }
}
