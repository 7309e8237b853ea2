import Glibc

/// The `openssl` command in a process of its own, which is killed with the last reference to it.
///
/// Foundation's `Process` is not sufficient: its children inherit the pipes of others that are started
/// beside them, and from a thread of Dispatch the signals that are blocked there.
final class OpenSSLCommand {
    static let path = "/usr/bin/openssl"
    static var isInstalled: Bool { access(path, X_OK) == 0 }

    struct Failure: Error {
        let text: String
    }

    private var process: pid_t = 0
    private let output: Int32

    /// - Parameter isFed: Whether `write` reaches its standard input.
    init(_ arguments: [String], isFed: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        // Not a pipe: only this can be made so that no other child gets it, in one step.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(text: "no socket") }
        output = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        if isFed {
            posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        let words = ([Self.path] + arguments).map { strdup($0) }
        let result = posix_spawn(&process, Self.path, &actions, nil, words + [nil], environ)
        for word in words { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        guard result == 0 else { throw Failure(text: "cannot start \(Self.path)") }
    }

    deinit {
        stop()
        close(output)
    }

    func stop() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = 0
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(output, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What it prints, errors included, until `isEnough` or its end.
    func read(until isEnough: (String) -> Bool) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isEnough(String(decoding: bytes, as: UTF8.self)) {
            let count = Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for the end of a command that ends on its own.
    static func run(_ arguments: [String]) throws {
        let command = try OpenSSLCommand(arguments)
        let text = command.read { _ in false }
        var status: Int32 = 0
        waitpid(command.process, &status, 0)
        command.process = 0
        guard status == 0 else { throw Failure(text: text) }
    }
}
