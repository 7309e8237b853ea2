import Foundation
import TestSupport
import Testing

/// Whatever ends the app, the terminal is given back as it was.
@Suite struct RestoreTests {
    @Test(arguments: ["xterm-256color", "xterm", "vt100"])
    func givesTheTerminalBackAfterQ(terminal type: String) async throws {
        try await withApp(Look(type, .classic, type, .many)) { _, terminal in
            expectTaken(terminal)
            terminal.type("q")
            let end = try await terminal.waitForEnd()
            #expect(end == .exited(status: 0))
            expectGivenBack(terminal)
            // Where the last frame stays, the prompt does not come onto the footer.
            #expect(!terminal.screen.contains("q quit"))
        }
    }

    /// It ends itself when it is asked to; what shows a fault in it kills it.
    @Test(arguments: [
        (SIGTERM, true), (SIGHUP, true), (SIGINT, true), (SIGABRT, false), (SIGSEGV, false),
        (SIGBUS, false), (SIGILL, false), (SIGTRAP, false), (SIGFPE, false),
    ])
    func givesTheTerminalBackAfterASignal(number: Int32, endsItself: Bool) async throws {
        try await withApp { _, terminal in
            expectTaken(terminal)
            terminal.signal(number)
            let end = try await terminal.waitForEnd()
            #expect(end == (endsItself ? .exited(status: 128 + number) : .killed(signal: number)))
            expectGivenBack(terminal)
        }
    }

    /// The handler that gives the terminal back runs on the thread at fault, unless that blocks the signal.
    @Test func noThreadBlocksTheSignalsOfAFault() async throws {
        try await withApp(notes: ["a.txt": "text"]) { _, terminal in
            try await terminal.waitUntilIdle()
            let blocked = ProcessTable.blockedSignals(of: terminal.process)
            #expect(blocked.count > 2)
            // `abort` unblocks its own.
            for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] {
                #expect(blocked.allSatisfy { $0 & (1 << UInt64(fault - 1)) == 0 }, "\(fault)")
            }
        }
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func keepsADraftOfWhatWasTypedAtASignal(number: Int32) async throws {
        try await withApp { home, terminal in
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("Idea\nnever lost")
            try await terminal.wait(forText: "never lost")
            terminal.signal(number)
            try await terminal.waitForEnd()
            expectGivenBack(terminal)
            let next = try await home.open()
            defer { next.close() }
            try await next.wait(forText: "unsaved note")
            next.type("o")
            try await next.wait(forText: "never lost")
        }
    }

    @Test func leavesWhenTheWindowIsClosed() async throws {
        try await withApp { home, terminal in
            terminal.hangUp()
            _ = try await terminal.waitForEnd()
            try await eventually("no process left") { home.processes.isEmpty }
        }
    }

    @Test func givesTheTerminalBackWhileItIsSuspended() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "note.txt")
            let program = TerminalProgram(
                "/bin/sh", ["-i"],
                environment: home.environment(more: ["PS1": "ready> ", "ENV": ""]),
                directory: home.work.path)
            let terminal = try TerminalDriver(running: program)
            defer { terminal.close() }
            try await terminal.wait(forText: "ready>")
            let before = terminal.settings
            terminal.expectNewReader()
            terminal.type(ClubHome.program + "\n")
            try await terminal.waitForNewReader()
            try await terminal.wait(forText: "note.txt")
            try await terminal.waitUntilIdle()
            #expect(terminal.settings != before)

            terminal.expectNewReader()
            terminal.press(.control("z"))
            let stopped = try await terminal.wait(for: "the prompt") {
                $0.positions(of: "ready>").count == 2
            }
            #expect(terminal.settings == before)
            #expect(stopped.modes == TerminalModes())

            terminal.type("fg\n")
            try await terminal.waitForNewReader()
            let back = try await terminal.wait(forText: "note.txt")
            #expect(back.modes.usesAlternateScreen)
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.press(.escape)
            try await terminal.wait(untilGone: Label.nameField)
            terminal.type("q")
            try await terminal.wait(for: "the prompt") { $0.positions(of: "ready>").count == 3 }
            #expect(terminal.settings == before)
            #expect(terminal.screen.modes == TerminalModes())
        }
    }

    private func expectTaken(_ terminal: TerminalDriver) {
        #expect(terminal.settings?.echoes == false)
        #expect(terminal.settings?.readsLines == false)
    }

    private func expectGivenBack(_ terminal: TerminalDriver) {
        #expect(terminal.settings == terminal.initialSettings)
        #expect(terminal.screen.modes == TerminalModes())
    }
}
