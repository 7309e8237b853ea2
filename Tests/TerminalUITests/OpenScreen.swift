import Dispatch
import Glibc
import Synchronization
import Testing

@testable import TerminalUI

/// The real screen, open on a pseudo-terminal of 40 columns and 10 rows.
@MainActor struct OpenScreen {
    let screen: CursesScreen
    let terminal: PseudoTerminal
    /// The line's modes before the screen was opened.
    let modesBefore: [UInt32]

    /// - Parameter colors: `COLORTERM`.
    init(pictures: PictureSetting = .auto, colors: String? = nil) throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        for name in ["NO_COLOR", "COLORTERM", "TMUX", "TERM_PROGRAM", "LC_TERMINAL"] {
            unsetenv(name)
        }
        if let colors { setenv("COLORTERM", colors, 1) }
        terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        modesBefore = terminal.modes
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        options.pictures = pictures
        screen = CursesScreen(options: options)
        try screen.open()
    }

    func close() {
        terminal.close()
        unsetenv("COLORTERM")
    }
}

/// Both ends of a pseudo-terminal.
struct PseudoTerminal {
    let outer: Int32
    let inner: Int32

    init?(columns: Int, rows: Int) {
        outer = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        guard outer >= 0 else { return nil }
        var number: Int32 = -1
        var lock: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN, which do not cross into Swift.
        guard ioctl(outer, 0x4004_5431, &lock) == 0, ioctl(outer, 0x8004_5430, &number) == 0 else {
            return nil
        }
        inner = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard inner >= 0 else { return nil }
        setSize(columns: columns, rows: rows)
    }

    func setSize(columns: Int, rows: Int) {
        // A struct winsize: rows, columns and two numbers nobody needs.
        var size: [UInt16] = [UInt16(rows), UInt16(columns), 0, 0]
        _ = ioctl(inner, UInt(TIOCSWINSZ), &size)
    }

    /// What decides how the line behaves.
    var modes: [UInt32] {
        var modes = termios()
        tcgetattr(inner, &modes)
        return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
    }

    /// What was written since the last time.
    func readText() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(outer, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func close() {
        Glibc.close(inner)
        Glibc.close(outer)
    }
}

/// Reads what is written to a pseudo-terminal, on a queue of its own.
final class TerminalReader: Sendable {
    private let pieces: AsyncStream<[UInt8]>
    // Any thread may cancel it.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// - Parameter byteCount: It ends after so many bytes or a few more; otherwise when it is stopped.
    init(_ outer: Int32, byteCount: Int = .max) {
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: outer, queue: DispatchQueue(label: "terminal reader"))
        let remaining = Mutex(byteCount)
        source.setEventHandler { @Sendable in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(outer, &buffer, buffer.count)
            guard count > 0 else { return }
            continuation.yield(Array(buffer[..<count]))
            let isEnough = remaining.withLock { remaining in
                remaining -= count
                return remaining <= 0
            }
            if isEnough { source.cancel() }
        }
        // From here on the descriptor can be read elsewhere, and closed.
        source.setCancelHandler { @Sendable in continuation.finish() }
        (self.pieces, self.source) = (pieces, source)
        source.activate()
    }

    func stop() { source.cancel() }

    /// All that it has read, once it has ended.
    func text() async -> String {
        var bytes: [UInt8] = []
        for await piece in pieces { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}
