import CVTerm
import Foundation

/// A program with its working directory and environment.
public struct TerminalProgram: Sendable {
    public var executable: String
    public var arguments: [String]
    /// The complete environment: nothing is inherited.
    public var environment: [String: String]
    public var directory: String
    public var size: TerminalSize

    public init(
        _ executable: String, _ arguments: [String] = [],
        environment: [String: String] = TerminalProgram.plainEnvironment,
        directory: String = "/", size: TerminalSize = .classic
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.size = size
    }

    /// A UTC, UTF-8, 256-color environment without a home.
    public static let plainEnvironment = [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "TZ": "UTC",
        "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
    ]
}

/// A pseudo-terminal with a program: the raw descriptors, for ``TerminalDriver`` and for
/// measurements that cannot afford a thread between key and screen.
public final class PseudoTerminal: Sendable {
    /// The leader of the terminal's session.
    public let process: Int32
    /// The user's end; non-blocking.
    public let master: Int32
    /// The program's end, kept open so that no output is lost when the program exits; blocking.
    public let slave: Int32
    /// The program's idle lines; non-blocking. -1 without one.
    public let idle: Int32
    /// The terminal settings before the program started.
    public let initialSettings: TerminalSettings?

    /// - Parameter hasIdlePipe: Gives the program descriptor 3 and `BYTECLUB_TEST_FD=3`.
    /// - Throws: `POSIXError` when the terminal or the program cannot be created.
    public init(running program: TerminalProgram, hasIdlePipe: Bool = true) throws {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        try PseudoTerminal.check(
            byteclub_open_terminal(
                &ends.master, &ends.slave, Int32(program.size.rows), Int32(program.size.columns)))
        let settings = TerminalSettings(of: ends.slave)
        var pipe: (reading: Int32, writing: Int32) = (-1, -1)
        if hasIdlePipe {
            let problem = byteclub_open_pipe(&pipe.reading, &pipe.writing)
            if problem != 0 {
                Glibc.close(ends.master)
                Glibc.close(ends.slave)
            }
            try PseudoTerminal.check(problem)
        }
        var environment = program.environment
        if hasIdlePipe { environment["BYTECLUB_TEST_FD"] = "3" }
        let pairs = environment.map { "\($0)=\($1)" }.sorted()
        let child = withCStrings([program.executable] + program.arguments) { words in
            withCStrings(pairs) { variables in
                byteclub_spawn_in_terminal(
                    ends.slave, pipe.writing, program.directory, program.executable, words,
                    variables)
            }
        }
        if pipe.writing >= 0 { Glibc.close(pipe.writing) }
        guard child > 0 else {
            for descriptor in [ends.master, ends.slave, pipe.reading] where descriptor >= 0 {
                Glibc.close(descriptor)
            }
            throw POSIXError(POSIXErrorCode(rawValue: -child) ?? .EIO)
        }
        initialSettings = settings
        process = child
        master = ends.master
        slave = ends.slave
        idle = pipe.reading
    }

    /// The current terminal settings.
    public var settings: TerminalSettings? { TerminalSettings(of: slave) }

    public func resize(to size: TerminalSize) {
        _ = byteclub_set_terminal_size(master, Int32(size.rows), Int32(size.columns))
    }

    /// Closes the descriptors; for use without a driver.
    public func close() {
        for descriptor in [master, slave, idle] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    private static func check(_ errno: Int32) throws {
        if errno != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
