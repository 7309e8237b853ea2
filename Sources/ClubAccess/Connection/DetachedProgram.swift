internal import CLinux
internal import Glibc

/// Starts programs in a session of their own: without our terminal, descriptors and signals.
enum DetachedProgram {
    /// - Parameters:
    ///   - arguments: The first is the program's name.
    ///   - errorDescriptor: For its standard error; discarded when negative.
    ///   - descriptorThree: Becomes its descriptor 3; none when negative.
    ///   - process: Set to the new process, which must be waited for eventually.
    /// - Returns: 0 or an error number.
    static func spawn(
        _ program: String, _ arguments: [String], environment: [String: String],
        errorDescriptor: CInt = -1, descriptorThree: CInt = -1, process: inout pid_t
    ) -> CInt {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if errorDescriptor >= 0 {
            posix_spawn_file_actions_adddup2(&actions, errorDescriptor, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        if descriptorThree >= 0 { posix_spawn_file_actions_adddup2(&actions, descriptorThree, 3) }
        byteclub_spawn_close_from(&actions, descriptorThree >= 0 ? 4 : 3)
        // Its working directory must not prevent a disk from being unmounted.
        byteclub_spawn_change_folder(&actions, "/")

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, flags | byteclub_spawn_setsid)

        // The test descriptor is for the app only.
        let environment = environment.filter { $0.key != "BYTECLUB_TEST_FD" }
        return withCStrings(arguments) { argumentPointers in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environmentPointers in
                posix_spawn(
                    &process, program, &actions, &attributes, argumentPointers, environmentPointers)
            }
        }
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
