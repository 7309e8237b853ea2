import Testing

@testable import TerminalUI

/// An alert on a screen that is too small for all of it.
@MainActor @Suite struct SmallAlertTests {
    private func present(_ height: Int) throws -> Harness {
        let root = WordsController(["below"])
        let harness = try Harness(root, width: 20, height: height)
        root.present(
            AlertController(
                title: "Which?", message: "The note “Plan” is kept.\nIt has 12 bytes.",
                actions: ["First", "Second", "Third"].map { AlertAction("The \($0) of all") }))
        harness.settle()
        return harness
    }

    /// Buttons alone do not say what they are about.
    @Test func aRowOfTheMessageStaysBesideTheButtons() throws {
        let harness = try present(6)
        #expect(harness.lines.contains { $0.contains("The note “Plan”") })
        #expect(harness.lines.contains { $0.contains("The First of all") })
        #expect(harness.lines.contains { $0.contains("↓") })
        harness.press("PgDn")
        #expect(!harness.lines.contains { $0.contains("The note “Plan”") })
        harness.press("PgDn", "PgDn")
        #expect(harness.lines.contains { $0.contains("It has 12 bytes.") })
        // Each button can be reached.
        harness.press("Down", "Down")
        #expect(harness.lines.contains { $0.contains("The Third of all") })
        #expect(harness.lines.contains { $0.contains("It has 12 bytes.") })
    }
}
