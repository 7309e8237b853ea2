internal import Dispatch
internal import FoundationEssentials
internal import Glibc

/// The user's own editor: `$VISUAL`, else `$EDITOR`, else a common one that is installed.
package struct ExternalEditor: Sendable {
    /// A shell command: `vim`, `code --wait`.
    package let command: String

    /// - Returns: Nil if none is set and no common one is installed.
    package init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let chosen = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }
            .first { $0.contains { !$0.isWhitespace } }
        let usual = ChildProgram.path(
            ofFirst: ["sensible-editor", "editor", "nano", "vi"], environment: environment)
        guard let command = chosen ?? usual?.name else { return nil }
        self.command = command
    }

    /// Its name on the screen.
    package var name: String {
        let program = command.split(separator: " ").first.map(String.init) ?? command
        return program.split(separator: "/").last.map(String.init) ?? program
    }

    /// How it ended.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// The system could not start a shell; an error number.
        case notStarted(Int32)

        package var isSuccess: Bool { self == .exited(0) }
    }

    /// Runs the editor in this terminal; returns when it has ended.
    ///
    /// - Parameter lock: A descriptor for the editor to inherit; -1 for none.
    package func run(on path: String, lock: CInt = -1) async -> Ending {
        var process: pid_t = 0
        let failure = start(path, lock, &process)
        guard failure == 0 else { return .notStarted(failure) }
        let child = process
        // A separate queue: once used, the global ones wake the process every second.
        let queue = DispatchQueue(label: "byteclub.external-editor")
        let status: Int32 = await withCheckedContinuation { continuation in
            queue.async { @Sendable in
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }

    /// - Returns: 0 or an error number.
    private func start(_ path: String, _ lock: CInt, _ process: inout pid_t) -> Int32 {
        // The shell splits the command; the path is an argument, whatever it contains. The lock is inherited:
        // it protects the file while the editor runs.
        ChildProgram.start(
            "/bin/sh", ["/bin/sh", "-c", "\(command) \"$1\"", "sh", path],
            descriptors: lock >= 0 ? [3: .open(lock)] : [:], process: &process)
    }
}
