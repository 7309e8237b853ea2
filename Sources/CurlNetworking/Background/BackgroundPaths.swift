import FoundationEssentials
import CurlNetworkingPlatform

/// The folders of background sessions, after the XDG Base Directory Specification. Each is accessible to
/// its user only (0700).
///
/// | | |
/// |---|---|
/// | `$XDG_STATE_HOME/CurlNetworking/Background` | the journal, the helper's lock and log |
/// | `$XDG_CACHE_HOME/CurlNetworking/Background` | bodies that have arrived and wait for their program |
/// | `$XDG_CACHE_HOME/CurlNetworking/Downloads` | parts of downloads, as those of other sessions |
/// | `$XDG_RUNTIME_DIR/CurlNetworking` | the socket; `/tmp/CurlNetworking-<user id>` without one |
struct BackgroundPaths: Hashable, Sendable {
    let state: String
    let results: String
    let parts: String
    let runtime: String
    /// Unique for each state folder.
    private let socketName: String

    init(environment: [String: String]) {
        func home(_ variable: String, else folder: String) -> String {
            // Relative paths are to be ignored.
            if let path = environment[variable], path.hasPrefix("/") { return path }
            if let path = environment["HOME"], path.hasPrefix("/") { return path + folder }
            return "/tmp/CurlNetworking-\(geteuid())" + folder
        }
        state = home("XDG_STATE_HOME", else: "/.local/state") + "/CurlNetworking/Background"
        results = home("XDG_CACHE_HOME", else: "/.cache") + "/CurlNetworking/Background"
        parts = PartialFiles.standardPath(environment: environment)
        socketName = "background-\(DigestAlgorithm.sha256.hexHash(state)?.prefix(12) ?? "")"
        if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/"),
            path.utf8.count + socketName.utf8.count + 20 < BackgroundSocket.longestPath
        {
            runtime = path + "/CurlNetworking"
        } else {
            runtime = "/tmp/CurlNetworking-\(geteuid())"
        }
    }

    var journal: String { state + "/journal" }
    /// Tasks that are not in the journal yet.
    var spool: String { state + "/deposits" }
    /// Which files were reported to a delegate.
    var reportedTasks: String { state + "/announced" }
    /// Locked by the helper as long as it lives. Inside: the path of its socket.
    var lock: String { state + "/helper.lock" }
    /// Locked by a helper while it starts or exits.
    var handover: String { state + "/helper.turn" }
    var log: String { state + "/helper.log" }
    var socket: String { runtime + "/" + socketName }

    /// The prefix of a session's files in the journal: a hash, because an identifier can be any text.
    static func prefix(of session: String) -> String {
        (DigestAlgorithm.sha256.hexHash(session) ?? "").prefix(16) + "-"
    }

    /// The number in a file's name, if it is one that a task can have.
    static func number(_ text: Substring) -> Int? {
        Int(text).flatMap { BackgroundTaskRecord.numbers.contains($0) ? $0 : nil }
    }

    /// The numbers of a session's tasks in the journal and in the spool, from the names of the files.
    func numbers(of session: String) -> [Int] {
        // The spool first: a task that moves to the journal meanwhile is seen twice, and never missed.
        let onTheirWay = PendingTaskSpool(self).numbers(of: session)
        let prefix = Self.prefix(of: session)
        let suffix = BackgroundJournal.suffix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: journal)) ?? []
        let known = names.compactMap { name -> Int? in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
            return Self.number(name.dropFirst(prefix.count).dropLast(suffix.count))
        }
        return known + onTheirWay
    }
}

/// The environment variables passed on to a helper: locations, name resolution, certificates, the file for
/// traces, and nothing that may be a secret of the program.
enum BackgroundEnvironment {
    private static let names: Set<String> = [
        "HOME", "PATH", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LD_PRELOAD",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR", "OPENSSL_CONF", "RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES",
        "ASAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", idleVariable,
    ]

    /// After how many idle seconds a helper exits; 10 by default.
    static let idleVariable = "CURLNETWORKING_BACKGROUND_REST"

    static func fitting(_ environment: [String: String]) -> [String: String] {
        var fitting = environment.filter { name, _ in
            names.contains(name) || name.hasPrefix("XDG_") || name.hasPrefix("LC_")
        }
        // The helper has another working directory, and no standard error (`-`).
        if let path = environment[Tracer.variable], !path.isEmpty, path != "-" {
            fitting[Tracer.variable] = path.absolutePath
        }
        return fitting
    }
}
