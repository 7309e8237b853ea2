import CVTerm
import Foundation

/// Simulates a person at a terminal: starts a program, types, pastes, resizes, and reads the
/// screen.
///
/// A separate thread feeds the program's output into an ``EmulatedTerminal`` as it arrives, so the
/// program never waits for the test. Every wait ends with its event, or with an error that shows the
/// whole screen; only a script's `pause` lasts a fixed time.
///
///     let terminal = try TerminalDriver(running: TerminalProgram("/bin/cat"))
///     defer { terminal.close() }
///     terminal.type("hello")
///     try await terminal.wait(forText: "hello")
public final class TerminalDriver: Sendable {
    let line: TerminalLine

    /// The timeout of a wait. Not a measure of speed: the machine may be busy.
    ///
    /// `BYTECLUB_TEST_PATIENCE` in the environment, in seconds, overrides it.
    public static let timeout: Duration = {
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

    /// Pastes, bracketed if the program requested it (as in xterm: newlines become returns).
    public func paste(_ text: String) {
        let bytes = text.utf8.map { $0 == 0x0A ? 0x0D : $0 }
        line.sendPaste(bytes)
    }

    public func send(_ bytes: [UInt8]) { line.send(bytes) }

    /// Clicks the left button, if the program requested SGR mouse reports.
    public func click(_ position: TerminalPosition) {
        let place = "\(position.column + 1);\(position.row + 1)"
        send(Array("\u{1B}[<0;\(place)M\u{1B}[<0;\(place)m".utf8))
    }

    public func resize(to size: TerminalSize) { line.resize(to: size) }

    /// Sends a signal to the program itself.
    public func signal(_ number: Int32) { kill(line.pty.process, number) }

    /// Reads no output any more until ``resumeReading()``, as over a line that has come to a standstill.
    public func pauseReading() { line.setPaused(true) }
    public func resumeReading() { line.setPaused(false) }

    /// How many bytes of output wait to be read, and how many of keys the program has not read.
    public var unreadByteCounts: (output: Int, keys: Int) { line.unreadByteCounts }

    /// Closes the window: the program gets SIGHUP.
    public func hangUp() { line.hangUp() }

    /// Runs a script step by step.
    public func run(_ script: TerminalScript) async throws {
        for step in script.steps {
            switch step {
            case .press(let key): press(key)
            case .waitFor(let text): try await wait(forText: text)
            case .waitUntilGone(let text): try await wait(untilGone: text)
            case .waitUntilIdle: try await waitUntilIdle()
            case .pause(let seconds): try await Task.sleep(for: .seconds(seconds))
            }
        }
    }

    /// Kills the rest of the session and closes the terminal; may be called twice.
    public func close() { line.close() }

    // MARK: - Looking

    /// The current screen.
    public var screen: TerminalScreen { line.screen }
    public var process: Int32 { line.pty.process }
    public var life: ProgramLife { line.life }
    /// The terminal settings before the program started.
    public var initialSettings: TerminalSettings? { line.pty.initialSettings }
    /// The current terminal settings; nil after ``hangUp()``.
    public var settings: TerminalSettings? { line.settings }
    /// How many bytes the program has written so far.
    public var receivedByteCount: Int { line.receivedByteCount }
    /// The last megabytes of the program's output.
    public var output: [UInt8] { line.output }

    // MARK: - Waiting

    /// Waits until the screen satisfies a condition, checked after each output.
    ///
    /// - Throws: ``TerminalFailure`` on timeout, or when the program exits first.
    @discardableResult
    public func wait(
        for goal: String = "the wished screen", timeout: Duration = TerminalDriver.timeout,
        until isReached: @escaping @Sendable (TerminalScreen) -> Bool
    ) async throws -> TerminalScreen {
        try await line.wait(for: goal, timeout: timeout, needsProgram: true) { state in
            isReached(state.screen)
        }
        return screen
    }

    @discardableResult
    public func wait(
        forText text: String, timeout: Duration = TerminalDriver.timeout
    ) async throws -> TerminalScreen {
        try await wait(for: "“\(text)” on the screen", timeout: timeout) { $0.contains(text) }
    }

    @discardableResult
    public func wait(
        untilGone text: String, timeout: Duration = TerminalDriver.timeout
    ) async throws -> TerminalScreen {
        try await wait(for: "“\(text)” to leave", timeout: timeout) { !$0.contains(text) }
    }

    /// Waits until the program has processed all input, drawn it, and is idle; then until its last
    /// byte of output has arrived.
    ///
    /// Needs a program that writes ``IdleLine``s. A line without numbers counts if it arrived after
    /// the last key or resize, which a very fast test can outrun.
    /// the last key or resize, which a very quick test can outrun.
    @discardableResult
    public func waitUntilIdle(
        timeout: Duration = TerminalDriver.timeout
    ) async throws -> TerminalScreen {
        try await line.wait(for: "the program to rest", timeout: timeout, needsProgram: true) {
            $0.isIdle
        }
        try await line.waitForAllOutput(timeout: timeout)
        return screen
    }

    /// Waits until the program has exited and all its output has arrived.
    @discardableResult
    public func waitForEnd(
        timeout: Duration = TerminalDriver.timeout
    ) async throws -> ProgramLife {
        try await line.wait(for: "the program to end", timeout: timeout) { $0.life.hasEnded }
        try await line.waitForAllOutput(timeout: timeout)
        return life
    }

    /// From now on another program reads the terminal: its idle lines count from zero.
    ///
    /// For a shell that starts Byte Club, before typing the line that starts it, and whenever typed
    /// bytes were discarded or read by another program.
    public func expectNewReader() { line.expectNewReader() }

    /// Waits for the first idle line of a program started by a shell on this terminal, regardless
    /// of earlier input.
    @discardableResult
    public func waitForNewReader(
        timeout: Duration = TerminalDriver.timeout
    ) async throws -> TerminalScreen {
        try await line.wait(for: "a program's first rest", timeout: timeout, needsProgram: true) {
            $0.hasNewReader
        }
        line.countTypingFromHere()
        try await line.waitForAllOutput(timeout: timeout)
        return screen
    }
}

/// A failed wait.
public struct TerminalFailure: Error, CustomStringConvertible {
    public let goal: String
    public let reason: String
    public let screen: TerminalScreen
    public let circumstances: String

    public var description: String {
        "waited for \(goal), but \(reason)\n\(screen)\n\(circumstances)"
    }
}
