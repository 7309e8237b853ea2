import CVTerm
import Foundation

/// A person at a terminal: starts a program, types, pastes, resizes, and looks at the screen.
///
/// A thread of its own reads the program's output into an ``EmulatedTerminal`` as it comes, so the
/// program never waits for the test. Nothing here sleeps: every wait ends with the event it waits
/// for, or with an error that shows the whole screen.
///
///     let terminal = try TerminalDriver(running: TerminalProgram("/bin/cat"))
///     defer { terminal.close() }
///     terminal.type("hello")
///     try await terminal.wait(forText: "hello")
public final class TerminalDriver: Sendable {
    let line: TerminalLine

    /// How long a wait may last before it fails. Not a measure of speed: a machine may be busy.
    ///
    /// `BYTECLUB_TEST_PATIENCE` in the environment, in seconds, changes it.
    public static let patience: Duration = {
        let text = ProcessInfo.processInfo.environment["BYTECLUB_TEST_PATIENCE"] ?? ""
        return .seconds(Int(text) ?? 30)
    }()

    /// - Throws: `POSIXError` when the program cannot be started.
    public init(running program: TerminalProgram) throws {
        line = TerminalLine(try PseudoTerminal(running: program), size: program.size)
        line.start()
    }

    deinit { close() }

    // MARK: - Doing

    /// Types the text as a keyboard would; a newline is the Enter key.
    public func type(_ text: String) {
        send(text.utf8.map { $0 == 0x0A ? 0x0D : $0 })
    }

    public func press(_ keys: TerminalKey...) {
        for key in keys { line.send(key) }
    }

    /// Pastes, in brackets when the program asked for them (as xterm: newlines become returns).
    public func paste(_ text: String) {
        let bytes = text.utf8.map { $0 == 0x0A ? 0x0D : $0 }
        line.sendPaste(bytes)
    }

    public func send(_ bytes: [UInt8]) { line.send(bytes) }

    /// Clicks the left button, if the program asked for mouse reports in SGR form.
    public func click(_ position: TerminalPosition) {
        let place = "\(position.column + 1);\(position.row + 1)"
        send(Array("\u{1B}[<0;\(place)M\u{1B}[<0;\(place)m".utf8))
    }

    public func resize(to size: TerminalSize) { line.resize(to: size) }

    /// Sends a signal to the program itself.
    public func signal(_ number: Int32) { kill(line.pty.process, number) }

    /// Closes the window: the kernel hangs up on the program.
    public func hangUp() { line.hangUp() }

    /// Runs a script step by step.
    public func run(_ script: TerminalScript) async throws {
        for step in script.steps {
            switch step {
            case .press(let key): press(key)
            case .waitFor(let text): try await wait(forText: text)
            case .waitUntilGone(let text): try await wait(untilGone: text)
            case .waitUntilIdle: try await waitUntilIdle()
            }
        }
    }

    /// Kills what is left of the session and gives the terminal back; safe to call twice.
    public func close() { line.close() }

    // MARK: - Looking

    /// What is on the screen now.
    public var screen: TerminalScreen { line.screen }
    public var process: Int32 { line.pty.process }
    public var life: ProgramLife { line.life }
    /// How the kernel treated the terminal before the program started.
    public var initialSettings: TerminalSettings? { line.pty.initialSettings }
    /// How the kernel treats the terminal now; nil after ``hangUp()``.
    public var settings: TerminalSettings? { line.settings }
    /// How many bytes the program has written so far.
    public var receivedByteCount: Int { line.receivedByteCount }
    /// What the program wrote, its last megabytes.
    public var output: [UInt8] { line.output }

    // MARK: - Waiting

    /// Waits until the screen is as wished, looking at it whenever something was written.
    ///
    /// - Throws: ``TerminalFailure`` when patience or the program ends first.
    @discardableResult
    public func wait(
        for goal: String = "the wished screen", patience: Duration = TerminalDriver.patience,
        until isReached: @escaping @Sendable (TerminalScreen) -> Bool
    ) async throws -> TerminalScreen {
        try await line.wait(for: goal, patience: patience, needsProgram: true) { state in
            isReached(state.screen)
        }
        return screen
    }

    @discardableResult
    public func wait(
        forText text: String, patience: Duration = TerminalDriver.patience
    ) async throws -> TerminalScreen {
        try await wait(for: "“\(text)” on the screen", patience: patience) { $0.contains(text) }
    }

    @discardableResult
    public func wait(
        untilGone text: String, patience: Duration = TerminalDriver.patience
    ) async throws -> TerminalScreen {
        try await wait(for: "“\(text)” to leave", patience: patience) { !$0.contains(text) }
    }

    /// Waits until the program has read all that was typed, drawn it, and rests; then until the
    /// last byte it wrote has arrived here.
    ///
    /// Needs a program that writes ``IdleLine``s. A line without numbers counts when it came after
    /// the last key or resize, which a very quick test can outrun.
    @discardableResult
    public func waitUntilIdle(
        patience: Duration = TerminalDriver.patience
    ) async throws -> TerminalScreen {
        try await line.wait(for: "the program to rest", patience: patience, needsProgram: true) {
            $0.isIdle
        }
        try await line.waitForAllOutput(patience: patience)
        return screen
    }

    /// Waits until the program has ended and all its output has arrived.
    @discardableResult
    public func waitForEnd(
        patience: Duration = TerminalDriver.patience
    ) async throws -> ProgramLife {
        try await line.wait(for: "the program to end", patience: patience) { $0.life.hasEnded }
        try await line.waitForAllOutput(patience: patience)
        return life
    }

    /// From now on another program reads the terminal: its idle lines count from zero.
    ///
    /// For a shell that starts Byte Club, before the line that starts it is typed, and whenever
    /// typed bytes were thrown away or went elsewhere.
    public func expectNewReader() { line.expectNewReader() }

    /// Waits for the first idle line of a program started by a shell on this terminal, whatever
    /// was typed before.
    @discardableResult
    public func waitForNewReader(
        patience: Duration = TerminalDriver.patience
    ) async throws -> TerminalScreen {
        try await line.wait(for: "a program's first rest", patience: patience, needsProgram: true) {
            $0.hasNewReader
        }
        line.countTypingFromHere()
        try await line.waitForAllOutput(patience: patience)
        return screen
    }
}

/// A wait that ended without what it waited for.
public struct TerminalFailure: Error, CustomStringConvertible {
    public let goal: String
    public let reason: String
    public let screen: TerminalScreen
    public let circumstances: String

    public var description: String {
        "waited for \(goal), but \(reason)\n\(screen)\n\(circumstances)"
    }
}
