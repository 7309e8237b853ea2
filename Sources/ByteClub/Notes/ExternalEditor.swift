internal import CLinux
internal import ClubLibrary
internal import Dispatch
internal import FoundationEssentials
internal import Glibc

/// The person's own editor, `$VISUAL` or `$EDITOR`, on a file that exists only meanwhile: see ``HandedOverDraft``.
struct ExternalEditor: Sendable {
    /// As a shell reads it: `vim`, `code --wait`.
    let command: String

    /// - Returns: Nil when none is set and the usual ones are not installed.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let chosen = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }
            .first { $0.contains { !$0.isWhitespace } }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let usual = ["sensible-editor", "editor", "nano", "vi"].first { name in
            folders.contains { access("\($0)/\(name)", X_OK) == 0 }
        }
        guard let command = chosen ?? usual else { return nil }
        self.command = command
    }

    /// What to call it on the screen.
    var name: String {
        let program = command.split(separator: " ").first.map(String.init) ?? command
        return program.split(separator: "/").last.map(String.init) ?? program
    }

    /// How it ended.
    enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// The system could not start a shell for it; an error number.
        case notStarted(Int32)

        var isSuccess: Bool { self == .exited(0) }
    }

    /// Runs it on the terminal that this program has on its standard descriptors; returns when it has ended.
    func run(on file: HandedOverDraft) async -> Ending {
        var process: pid_t = 0
        let failure = start(file, &process)
        guard failure == 0 else { return .notStarted(failure) }
        let child = process
        // A queue of its own: once used, the global ones wake the program up every second.
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
    private func start(_ file: HandedOverDraft, _ process: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Inherited: as long as the editor is there, the file is.
        posix_spawn_file_actions_adddup2(&actions, file.lock, 3)
        byteclub_spawn_close_from(&actions, 4)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        // The shell splits the command; the path is an argument, whatever is in it.
        let words = ["sh", "-c", "\(command) \"$1\"", "sh", file.path]
        let environment = ProcessInfo.processInfo.environment
            .filter { $0.key != "BYTECLUB_TEST_FD" }.map { "\($0.key)=\($0.value)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) }
        arguments.append(nil)
        variables.append(nil)
        defer { for string in arguments + variables { free(string) } }
        return posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &variables)
    }
}
