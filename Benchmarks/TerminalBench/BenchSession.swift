import Foundation
import TestSupport

/// A program on a terminal, watched from one thread so that nothing but the kernel stands between
/// the key and the screen.
final class BenchSession {
    let terminal: PseudoTerminal
    let emulator: EmulatedTerminal
    let began: ContinuousClock.Instant
    private(set) var receivedByteCount = 0
    /// Everything that was written, with the time it came.
    private(set) var chunks: [(time: ContinuousClock.Instant, bytes: [UInt8])] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(_ program: TerminalProgram) throws {
        began = .now
        terminal = try PseudoTerminal(running: program, hasIdlePipe: false)
        emulator = EmulatedTerminal(size: program.size)
    }

    /// Ends the program and everything it started on this terminal.
    func close() {
        ProcessTable.kill(session: terminal.process)
        var status: Int32 = 0
        waitpid(terminal.process, &status, 0)
        terminal.close()
    }

    var process: Int32 { terminal.process }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(terminal.master, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            if count < 0, errno != EAGAIN, errno != EINTR { return }
        }
    }

    /// - Parameter quiet: How long nothing is to come before the next key; nil for no wait.
    func press(_ keys: TerminalKey..., quiet: Duration? = .milliseconds(30)) {
        for key in keys {
            send(key.bytes(in: emulator.modes))
            if let quiet { settle(quiet: quiet) }
        }
    }

    func type(_ text: String) { send(Array(text.utf8)) }

    /// Reads what is there, waiting for it no longer than this; tells whether something came, and
    /// when.
    @discardableResult
    func receive(atMost timeout: Duration) -> ContinuousClock.Instant? {
        var watched = pollfd(fd: terminal.master, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(max(0, timeout / .milliseconds(1)).rounded(.up))
        guard poll(&watched, 1, milliseconds) > 0 else { return nil }
        let count = read(terminal.master, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let time = ContinuousClock.now
        receivedByteCount += count
        let bytes = Array(buffer[..<count])
        chunks.append((time, bytes))
        emulator.write(bytes)
        send(emulator.takeReplies())
        return time
    }

    /// Reads until nothing has come for a while.
    func settle(quiet: Duration = .milliseconds(150), atMost: Duration = .seconds(20)) {
        let end = ContinuousClock.now + atMost
        while receive(atMost: quiet) != nil, ContinuousClock.now < end {}
    }

    /// Reads until the screen is as wished; nil when it never was.
    @discardableResult
    func wait(
        atMost: Duration = .seconds(20), until isReached: (EmulatedTerminal) -> Bool
    ) -> ContinuousClock.Instant? {
        let end = ContinuousClock.now + atMost
        var last = ContinuousClock.now
        while !isReached(emulator) {
            guard ContinuousClock.now < end else { return nil }
            if let time = receive(atMost: .milliseconds(200)) { last = time }
        }
        return last
    }

    @discardableResult
    func wait(forText texts: String...) -> ContinuousClock.Instant? {
        wait { emulator in
            let screen = emulator.screen()
            return texts.allSatisfy { screen.contains($0) }
        }
    }

    /// The time from a key to its character at a place on the screen; nil when it never came.
    func timeToShow(_ character: Character, at place: TerminalPosition) -> Duration? {
        let text = String(character)
        let key = Array(text.utf8)
        let pressed = ContinuousClock.now
        send(key)
        while pressed.duration(to: .now) < .seconds(10) {
            guard let time = receive(atMost: .seconds(2)) else { continue }
            if emulator.cell(row: place.row, column: place.column).text == text {
                return pressed.duration(to: time)
            }
        }
        return nil
    }

    /// When the screen first was as wished, found by showing all that came once more.
    func firstTime(where isReached: (TerminalScreen) -> Bool) -> Duration? {
        let replay = EmulatedTerminal(size: emulator.size)
        for chunk in chunks {
            replay.write(chunk.bytes)
            if isReached(replay.screen()) { return began.duration(to: chunk.time) }
        }
        return nil
    }
}
