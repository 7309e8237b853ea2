internal import CByteClubLinux
internal import Glibc

/// Keeps memory out of core dumps and from the user's other programs.
package enum ProcessSecrecy {
    /// Called before the first secret is in memory; in effect for the life of the process.
    package static func begin() { _ = begun }

    private static let begun: Void = {
        // Not dumpable: no core dump by any handler (a file, systemd), and no debugger may attach.
        byteclub_forbid_dumps()
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }()
}
