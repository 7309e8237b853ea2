import Foundation
import TestSupport
import Testing

/// The example of a whole program on `TerminalUI`.
@Suite struct GroceriesTests {
    @Test func theExampleWorks() async throws {
        let program = URL(filePath: ClubHome.program).deletingLastPathComponent()
            .appending(path: "groceries").path
        try await inFreshHome { home in
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    program, [], environment: home.environment(), directory: home.work.path,
                    size: .classic))
            defer { terminal.close() }
            try await terminal.wait(forText: "Coffee")
            terminal.press(.down, .enter)
            try await terminal.wait(forText: "✓ Bread")
            terminal.type("x")
            try await terminal.wait { !$0.contains("✓") }
            terminal.type("q")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
        }
    }
}
