internal import CLinux
internal import Glibc

/// Keeps what is in memory out of core dumps and from other programs of the same person.
package enum ProcessSecrecy {
    /// Called before the first secret comes into memory; from then on for the life of the program.
    package static func begin() { _ = begun }

    private static let begun: Void = {
        // Not dumpable: no core, whatever takes them here (a file, systemd), and nobody may attach.
        byteclub_forbid_dumps()
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }()
}
