import Glibc

/// The process's limit of open files and sockets.
enum DescriptorLimit {
    /// The number used by the club's folder, journal, watch and the program itself.
    static let ownCount = 40
    /// The minimum for useful service.
    static let least = 72
    private static let wanted: rlim_t = 4096

    /// Raises the limit to what all connections need, as far as the system allows.
    ///
    /// - Throws: ``ClubServerError/Code/tooManyOpenFiles`` when that is not enough.
    static func raise() throws(ClubServerError) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            setrlimit(resource, &limit)
            getrlimit(resource, &limit)
        }
        let count = Int(clamping: limit.rlim_cur)
        guard count >= least else { throw tooLow(count) }
        return count
    }

    /// Checks that a server started by this process could raise it far enough.
    static func check() throws(ClubServerError) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let count = Int(clamping: limit.rlim_max)
        guard count >= least else { throw tooLow(count) }
    }

    private static func tooLow(_ count: Int) -> ClubServerError {
        ClubServerError(
            .tooManyOpenFiles,
            "Too many open files: this program may have \(count), and the club's server needs "
                + "\(least). Raise the limit (ulimit -n \(least) or more).")
    }
}

extension SystemError {
    /// Whether the process, or the system, has no free descriptors.
    var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
}

extension ClubServerError {
    static func tooManyOpenFiles(_ error: SystemError) -> ClubServerError {
        ClubServerError(
            .tooManyOpenFiles, "Too many open files. Raise the limit (ulimit -n).", error)
    }
}
