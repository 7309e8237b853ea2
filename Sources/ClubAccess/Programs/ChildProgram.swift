internal import CByteClubLinux
internal import FoundationEssentials
internal import Glibc

/// Starts other programs, which inherit only what is passed to them: no signal handlers, no other
/// descriptors.
package enum ChildProgram {
    /// What a descriptor of the program is connected to.
    package enum Descriptor: Sendable {
        case open(CInt)
        /// `/dev/null`.
        case null
    }

    /// Starts a program in this terminal and folder.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: Including the name as first one.
    ///   - descriptors: By number; standard descriptors that are not listed are inherited.
    ///   - process: The process identifier, for `waitpid`.
    /// - Returns: 0 or an error number.
    package static func start(
        _ path: String, _ arguments: [String], descriptors: [CInt: Descriptor] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        process: inout CInt
    ) -> CInt {
        start(
            path, arguments, descriptors: descriptors, environment: environment, folder: nil,
            flags: 0, process: &process)
    }

    /// Starts a program in its own session: without this terminal, in the root folder. Standard descriptors
    /// that are not listed are `/dev/null`.
    ///
    /// - Returns: 0 or an error number.
    package static func startDetached(
        _ path: String, _ arguments: [String], descriptors: [CInt: Descriptor] = [:],
        environment: [String: String], process: inout CInt
    ) -> CInt {
        let empty: [CInt: Descriptor] = [0: .null, 1: .null, 2: .null]
        // Its working directory must not prevent a disk from being unmounted.
        return start(
            path, arguments, descriptors: empty.merging(descriptors) { $1 },
            environment: environment, folder: "/", flags: byteclub_spawn_setsid, process: &process)
    }

    private static func start(
        _ path: String, _ arguments: [String], descriptors: [CInt: Descriptor],
        environment: [String: String], folder: String?, flags: Int16, process: inout CInt
    ) -> CInt {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.sorted(by: { $0.key < $1.key }) {
            switch descriptor {
            case .open(let own): posix_spawn_file_actions_adddup2(&actions, own, number)
            case .null:
                posix_spawn_file_actions_addopen(
                    &actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        byteclub_spawn_close_from(&actions, max(3, (descriptors.keys.max() ?? 2) + 1))
        if let folder { byteclub_spawn_change_folder(&actions, folder) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let own = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, own | flags)

        // The test descriptor is for the app only.
        let variables = environment.filter { $0.key != "BYTECLUB_TEST_FD" }
            .map { "\($0.key)=\($0.value)" }
        return withCStrings(arguments) { arguments in
            withCStrings(variables) { variables in
                posix_spawn(&process, path, &actions, &attributes, arguments, variables)
            }
        }
    }

    /// The path of the first of these programs that is installed.
    package static func path(ofFirst names: [String], environment: [String: String]) -> (
        name: String, path: String
    )? {
        // A relative folder could belong to anyone.
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .filter { $0.hasPrefix("/") }
        for name in names {
            for folder in folders where access("\(folder)/\(name)", X_OK) == 0 {
                return (name, "\(folder)/\(name)")
            }
        }
        return nil
    }
}

/// Calls `body` with a null-terminated array of C strings, valid during the call.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}
