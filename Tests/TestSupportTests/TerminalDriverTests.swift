import Foundation
import TestSupport
import Testing

/// The driver, proved on programs that every system has.
@Suite struct TerminalDriverTests {
    private func shell(
        _ script: String, size: TerminalSize = .classic
    ) throws -> TerminalDriver {
        try TerminalDriver(running: TerminalProgram("/bin/sh", ["-c", script], size: size))
    }

    @Test func showsWhatIsTyped() async throws {
        let terminal = try TerminalDriver(running: TerminalProgram("/bin/cat"))
        defer { terminal.close() }
        terminal.type("hello\n")
        // The kernel sends the line ending.
        let screen = try await terminal.wait {
            $0.positions(of: "hello").count == 2 && $0.cursor.row == 2
        }
        #expect(screen.text(ofRow: 0) == "hello")
        #expect(screen.text(ofRow: 1) == "hello")
        #expect(screen.cursor == TerminalPosition(row: 2, column: 0))
        terminal.press(.control("d"))
        #expect(try await terminal.waitForEnd() == .exited(status: 0))
    }

    @Test func readsColoursAttributesAndWideCharacters() async throws {
        let terminal = try shell(
            #"printf '\033[1;31mred\033[0m \033[38;5;200;48;2;1;2;3mrgb\033[0m 漢e\314\201x'"#)
        defer { terminal.close() }
        try await terminal.waitForEnd()
        let screen = terminal.screen
        #expect(screen.text(ofRow: 0) == "red rgb 漢e\u{301}x")
        #expect(
            screen.style(of: "red")
                == TerminalStyle(foreground: .palette(1), attributes: .bold))
        #expect(
            screen.style(of: "rgb")
                == TerminalStyle(
                    foreground: .palette(200), background: .rgb(red: 1, green: 2, blue: 3)))
        #expect(screen[0, 8].width == 2)
        #expect(screen[0, 9].width == 0)
        #expect(screen[0, 10].text == "e\u{301}")
        #expect(screen.firstPosition(of: "x") == TerminalPosition(row: 0, column: 11))
    }

    /// ncurses writes runs with it under `xterm-256color`.
    @Test func repeatsACharacterOnRequest() async throws {
        let terminal = try shell(#"printf 'a-\033[9b|'"#)
        defer { terminal.close() }
        try await terminal.waitForEnd()
        #expect(terminal.screen.text(ofRow: 0) == "a----------|")
    }

    @Test func hasTheSizeItWasGivenAndTellsOfAnother() async throws {
        let terminal = try shell(
            "trap 'stty size' WINCH; stty size; while read -r line; do :; done", size: .wide)
        defer { terminal.close() }
        try await terminal.wait(forText: "50 160")
        terminal.resize(to: TerminalSize(columns: 20, rows: 6))
        terminal.type("\n")
        let screen = try await terminal.wait(forText: "6 20")
        #expect(screen.size == TerminalSize(columns: 20, rows: 6))
    }

    @Test func keepsTheLastWordsOfAProgramThatEnded() async throws {
        let terminal = try shell(
            "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 7")
        defer { terminal.close() }
        #expect(try await terminal.waitForEnd() == .exited(status: 7))
        #expect(terminal.screen.contains("line 2999"))
        #expect(
            terminal.receivedByteCount == (0..<3000).reduce(0) { $0 + "line \($1)\r\n".utf8.count })
    }

    @Test func tellsWhichSignalEndedAProgram() async throws {
        let terminal = try TerminalDriver(running: TerminalProgram("/bin/cat"))
        defer { terminal.close() }
        terminal.signal(SIGTERM)
        #expect(try await terminal.waitForEnd() == .killed(signal: SIGTERM))
    }

    @Test func hangsUp() async throws {
        let terminal = try TerminalDriver(running: TerminalProgram("/bin/cat"))
        defer { terminal.close() }
        terminal.hangUp()
        #expect(try await terminal.waitForEnd() == .killed(signal: SIGHUP))
    }

    @Test func turnsControlKeysIntoSignals() async throws {
        let terminal = try TerminalDriver(running: TerminalProgram("/bin/cat"))
        defer { terminal.close() }
        terminal.press(.control("c"))
        #expect(try await terminal.waitForEnd() == .killed(signal: SIGINT))
    }

    @Test func comparesTheTerminalsSettings() async throws {
        let terminal = try shell(
            "stty raw -echo; printf raw; read -r x; stty sane; printf sane; read -r x")
        defer { terminal.close() }
        let before = try #require(terminal.initialSettings)
        #expect(before.echoes && before.readsLines && before.keysAreSignals)
        try await terminal.wait(forText: "raw")
        let raw = try #require(terminal.settings)
        #expect(raw != before)
        #expect(!raw.echoes && !raw.readsLines && !raw.keysAreSignals)
    }

    @Test func seesModesComeAndGo() async throws {
        let terminal = try shell(
            #"printf '\033[?1049h\033[?1000;1006h\033[?2004h\033[?25l\033[?1h\033=on'; read -r x; "#
                + #"printf '\033[?1049l\033[?1000;1006l\033[?2004l\033[?25h\033[?1l\033>off'"#)
        defer { terminal.close() }
        let on = try await terminal.wait(forText: "on").modes
        #expect(on.usesAlternateScreen && on.reportsMouse && on.bracketsPastes)
        #expect(!on.showsCursor && on.hasApplicationCursorKeys && on.hasApplicationKeypad)
        terminal.type("\n")
        try await terminal.waitForEnd()
        #expect(terminal.screen.modes == TerminalModes())
    }

    @Test func pastesInBracketsOnlyWhenAsked() async throws {
        let terminal = try shell(
            #"stty raw -echo; printf 'ready'; dd bs=1 count=3 2>/dev/null | od -An -c; "#
                + #"printf '\033[?2004hmore'; dd bs=1 count=15 2>/dev/null | od -An -c"#)
        defer { terminal.close() }
        try await terminal.wait(forText: "ready")
        terminal.paste("a\nb")
        try await terminal.wait(forText: "more")
        #expect(terminal.screen.contains("a  \\r   b"))
        terminal.paste("a\nb")
        try await terminal.waitForEnd()
        let bytes = terminal.screen.text.split(whereSeparator: \.isWhitespace).joined()
        #expect(bytes.hasSuffix("033[200~a\\rb033[201~"))
    }

    @Test func typesMoreThanTheKernelHolds() async throws {
        let count = 200_000
        let terminal = try shell("stty raw -echo; printf ready; head -c \(count) | wc -c")
        defer { terminal.close() }
        try await terminal.wait(forText: "ready")
        terminal.type(String(repeating: "x", count: count))
        try await terminal.wait(forText: "\(count)")
    }

    @Test func answersAProgramsQuestions() async throws {
        let terminal = try shell(
            #"stty raw -echo; printf 'abc\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c"#)
        defer { terminal.close() }
        try await terminal.wait(forText: "033   [   1   ;   4   R")
    }

    @Test func waitsForTheLineThatTellsOfTheNewestKey() async throws {
        let terminal = try shell(
            """
            stty raw -echo
            printf start; echo 'idle 0 80x24' >&$BYTECLUB_TEST_FD
            for n in 1 2 3; do
                key=$(dd bs=1 count=1 2>/dev/null)
                printf "<$key>"
                echo "idle $n 80x24" >&$BYTECLUB_TEST_FD
            done
            """)
        defer { terminal.close() }
        #expect(try await terminal.waitUntilIdle().text(ofRow: 0) == "start")
        terminal.type("ab")
        #expect(try await terminal.waitUntilIdle().text(ofRow: 0) == "start<a><b>")
        terminal.type("c")
        #expect(try await terminal.waitUntilIdle().text(ofRow: 0) == "start<a><b><c>")
    }

    @Test func failsWithTheWholeScreenAfterTheTimeout() async throws {
        let terminal = try shell("printf 'here I am'; read -r x")
        defer { terminal.close() }
        try await terminal.wait(forText: "here")
        do {
            try await terminal.wait(forText: "there", timeout: .milliseconds(1))
            Issue.record("it waited for a text that never came")
        } catch let failure as TerminalFailure {
            #expect("\(failure)".contains("│here I am  "))
            #expect("\(failure)".contains("“there” on the screen"))
        }
    }

    @Test func failsAtOnceWhenTheProgramHasEnded() async throws {
        let terminal = try shell("printf bye; exit 3")
        defer { terminal.close() }
        do {
            try await terminal.wait(forText: "never")
            Issue.record("it waited for a text that never came")
        } catch let failure as TerminalFailure {
            #expect("\(failure)".contains("exited with status 3"))
            #expect("\(failure)".contains("│bye"))
        }
    }

    @Test func stopsAndGoesOnUnderAShellWithJobs() async throws {
        let program = TerminalProgram(
            "/bin/sh", ["-i"],
            environment: TerminalProgram.plainEnvironment.merging(["PS1": "ready> "]) { $1 })
        let terminal = try TerminalDriver(running: program)
        defer { terminal.close() }
        try await terminal.wait(forText: "ready>")
        terminal.type("cat\n")
        terminal.type("one\n")
        try await terminal.wait { $0.rows(containing: "one").count == 2 }
        terminal.press(.control("z"))
        try await terminal.wait { $0.positions(of: "ready>").count == 2 }
        terminal.type("fg\n")
        terminal.type("two\n")
        try await terminal.wait { $0.rows(containing: "two").count == 2 }
    }

    @Test func handsDownNoDescriptorButTheIdlePipe() async throws {
        let pipe = Pipe()
        let terminal = try TerminalDriver(running: TerminalProgram("/bin/ls", ["/proc/self/fd"]))
        defer { terminal.close() }
        try await terminal.waitForEnd()
        // The last one is the folder that is being listed.
        #expect(terminal.screen.text(ofRow: 0).split(separator: " ") == ["0", "1", "2", "3", "4"])
        try pipe.fileHandleForReading.close()
    }

    @Test func failsWhenTheProgramCannotBeStarted() {
        #expect(throws: POSIXError.self) {
            try TerminalDriver(running: TerminalProgram("/nonexistent/program"))
        }
    }

    @Test func killsAllOfTheSessionAtTheEnd() async throws {
        let mark = "BYTECLUB_PROBE=\(UUID().uuidString)"
        let terminal = try shell("\(mark) sh -c 'sleep 1000 & sleep 1000 & echo up; wait'")
        try await terminal.wait(forText: "up")
        #expect(!ProcessTable.processes(withEnvironmentContaining: mark).isEmpty)
        terminal.close()
        await #expect(throws: TerminalFailure.self) { try await terminal.wait(forText: "x") }
        try await eventually("no process left") {
            ProcessTable.processes(withEnvironmentContaining: mark).isEmpty
        }
    }
}
