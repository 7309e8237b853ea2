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

    @Test func theMarkCoversNoWords() throws {
        let root = TextController()
        let harness = try Harness(root, width: 20, height: 6)
        root.present(
            AlertController(
                title: "Which?", message: "One of these.",
                actions: [AlertAction("In the foregroun"), AlertAction("Elsewhere, of course")]))
        harness.settle()
        // It has two rows of the box, one of them for the words.
        let row = try #require(harness.lines.first { $0.contains("foreg") })
        #expect(row.contains("In the foregroun"))
        harness.press("Down")
        let other = try #require(harness.lines.first { $0.contains("Elsewhere") })
        #expect(other.contains("…"), "\(other)")
    }

    @Test func whatIsTooLongIsSaidShorter() throws {
        let root = TextController()
        let harness = try Harness(root, width: 20, height: 6)
        let alert = AlertController(
            title: "No", message: "The photo of that name was not sent since it is damaged.",
            shortMessage: "Damaged.")
        root.present(alert)
        harness.settle()
        #expect(harness.lines.contains { $0.contains("Damaged.") })
        harness.resize(60, 24)
        harness.settle()
        #expect(harness.lines.contains { $0.contains("The photo of that name") })
        #expect(!harness.lines.contains { $0.contains("Damaged.") })
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
