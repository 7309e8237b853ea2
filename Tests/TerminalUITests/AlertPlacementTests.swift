import TextEditing
import Testing

@testable import TerminalUI

/// Where an alert stands, and how its answers do.
@MainActor @Suite struct AlertPlacementTests {
    /// A text over the whole screen.
    private final class TextController: ViewController {
        let textView = TextView()

        override func viewDidLoad() {
            let lines = (1...40).map { "line \($0)." }
            textView.load(TextBuffer(lines.joined(separator: "\n")))
            view.addSubview(textView)
        }

        override func layoutView(in bounds: Rect) { textView.frame = bounds }
        override var preferredFirstResponder: View? { textView }
    }

    private func alert(about view: View?, answers: Int = 4) -> AlertController {
        AlertController(
            title: "Which?", message: "One of these.",
            actions: (1...answers).map { number in
                AlertAction("a longer answer, number \(number)", label: "\(number)")
            }, about: view)
    }

    @Test(arguments: [0, 5, 8, 10, 12, 15, 21]) func theLineAskedAboutStaysInSight(line: Int) throws
    {
        let root = TextController()
        let harness = try Harness(root, width: 60, height: 24)
        for _ in 0..<line { harness.press("Down") }
        root.present(alert(about: root.textView))
        harness.settle()
        #expect(harness.lines.contains { $0.contains("line \(line + 1).") })
        #expect(harness.lines.contains { $0.contains("number 4") })
    }

    @Test func withoutASubjectItIsInTheMiddle() throws {
        let root = TextController()
        let harness = try Harness(root, width: 60, height: 24)
        for _ in 0..<10 { harness.press("Down") }
        root.present(alert(about: nil))
        harness.settle()
        #expect(!harness.lines.contains { $0.contains("line 11.") })
    }

    @Test func answersThatAreOutOfSightAreMarked() throws {
        let root = TextController()
        let harness = try Harness(root, width: 40, height: 6)
        root.present(alert(about: nil, answers: 6))
        harness.settle()
        #expect(harness.lines.contains { $0.contains("number 1") })
        #expect(harness.lines.contains { $0.contains("↓") })
        #expect(!harness.lines.contains { $0.contains("↑") })
        harness.press("Up")
        #expect(harness.lines.contains { $0.contains("number 6") })
        #expect(harness.lines.contains { $0.contains("↑") })
        #expect(!harness.lines.contains { $0.contains("↓") })
    }

    @Test func theFooterNamesAnAnswerByItsLabel() throws {
        let root = TextController()
        let harness = try Harness(root, width: 60, height: 24)
        root.present(
            AlertController(
                title: "Which?", message: "One of these.",
                actions: [
                    AlertAction("1 world", label: "world", key: "1"),
                    AlertAction("Leave it", kind: .cancel),
                ]))
        harness.settle()
        #expect(harness.footer.contains("Enter world"))
        #expect(!harness.footer.contains("1 world"))
    }
}
