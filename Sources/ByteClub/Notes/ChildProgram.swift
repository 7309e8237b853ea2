internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// Starts other programs, with nothing of this one's but what they are handed.
enum ChildProgram {
    /// - Parameters:
    ///   - words: The program's path and its arguments.
    ///   - descriptors: What it has on its descriptors, by their number there; the standard ones are as here.
    ///   - process: Its number, for `waitpid`.
    /// - Returns: 0 or an error number.
    static func start(
        _ words: [String], descriptors: [Int32: Int32] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        process: inout pid_t
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.sorted(by: { $0.key < $1.key }) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        byteclub_spawn_close_from(&actions, max(3, (descriptors.keys.max() ?? 2) + 1))
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
        let variables = environment.filter { $0.key != "BYTECLUB_TEST_FD" }
            .map { "\($0.key)=\($0.value)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
        arguments.append(nil)
        settings.append(nil)
        defer { for string in arguments + settings { free(string) } }
        return posix_spawn(&process, words[0], &actions, &attributes, &arguments, &settings)
    }

    /// The path of the first of these programs that is installed.
    static func path(ofFirst names: [String], environment: [String: String]) -> (
        name: String, path: String
    )? {
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for name in names {
            for folder in folders where access("\(folder)/\(name)", X_OK) == 0 {
                return (name, "\(folder)/\(name)")
            }
        }
        return nil
    }
}
