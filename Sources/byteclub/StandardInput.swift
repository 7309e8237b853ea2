import Dispatch
import Glibc
import Synchronization

/// Lines that are typed or piped in.
enum StandardInput {
    /// One line without its end; the rest stays for others. Waits on a thread of its own.
    ///
    /// - Returns: Nil at the end of the input, for a line longer than the limit, and when cancelled.
    static func line(limit: Int) async -> String? {
        let wait = Wait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.begin(continuation)
                DispatchQueue(label: "byteclub.standard-input").async { @Sendable in
                    wait.end(with: read(limit: limit))
                }
            }
        } onCancel: {
            // The thread goes on waiting for a line that nobody wants.
            wait.end(with: nil)
        }
    }

    /// One line typed on the terminal without being shown.
    ///
    /// - Parameter ask: Asks for it. Who is asked may type, or press ^Z, at once: that is hidden already.
    static func secret(limit: Int, ask: () -> Void) async -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            ask()
            return await line(limit: limit)
        }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // A shell that takes the terminal back for a while gives it back as it likes it, with echo.
        withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        ask()
        return await line(limit: limit)
    }

    /// Ends once, by a line or by being cancelled.
    private final class Wait: Sendable {
        private enum State {
            case new, over
            case waiting(CheckedContinuation<String?, Never>)
        }

        private let state = Mutex(State.new)

        func begin(_ continuation: CheckedContinuation<String?, Never>) {
            let isOver = state.withLock { state in
                if case .over = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isOver { continuation.resume(returning: nil) }
        }

        func end(with line: String?) {
            let continuation = state.withLock { state in
                defer { state = .over }
                if case .waiting(let continuation) = state { return Optional(continuation) }
                return nil
            }
            continuation?.resume(returning: line)
        }
    }

    private static func read(limit: Int) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= limit {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
