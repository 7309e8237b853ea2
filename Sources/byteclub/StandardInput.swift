import Dispatch
import Glibc
import Synchronization

/// Lines from the terminal or a pipe.
enum StandardInput {
    /// What a line was read as.
    enum Line: Hashable, Sendable {
        case text(String)
        /// Longer than the limit.
        case tooLong
        /// The input had ended, or the wait was cancelled.
        case nothing

        /// Nil if there is none.
        var text: String? {
            if case .text(let text) = self { text } else { nil }
        }
    }

    /// Reads one line without its end; the rest stays for others. Waits on its own thread.
    static func line(limit: Int) async -> Line {
        let wait = Wait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.begin(continuation)
                DispatchQueue(label: "byteclub.standard-input").async { @Sendable in
                    wait.end(with: read(limit: limit))
                }
            }
        } onCancel: {
            // The thread keeps waiting for a line that is no longer needed.
            wait.end(with: .nothing)
        }
    }

    /// Reads one line from the terminal without echo.
    ///
    /// - Parameter ask: Shows the prompt. Called when echo is already off, because the user may type at once.
    static func secret(limit: Int, ask: () -> Void) async -> Line {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            ask()
            return await line(limit: limit)
        }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // A shell that takes the terminal back for a while restores it with echo.
        withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        ask()
        return await line(limit: limit)
    }

    /// Ends once, by a line or by cancellation.
    private final class Wait: Sendable {
        private enum State {
            case new, over
            case waiting(CheckedContinuation<Line, Never>)
        }

        private let state = Mutex(State.new)

        func begin(_ continuation: CheckedContinuation<Line, Never>) {
            let isOver = state.withLock { state in
                if case .over = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isOver { continuation.resume(returning: .nothing) }
        }

        func end(with line: Line) {
            let continuation = state.withLock { state in
                defer { state = .over }
                if case .waiting(let continuation) = state { return Optional(continuation) }
                return nil
            }
            continuation?.resume(returning: line)
        }
    }

    private static func read(limit: Int) -> Line {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= limit {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                return line.isEmpty ? .nothing : .text(String(decoding: line, as: UTF8.self))
            }
            if byte == UInt8(ascii: "\n") { return .text(String(decoding: line, as: UTF8.self)) }
            line.append(byte)
        }
        return .tooLong
    }
}
