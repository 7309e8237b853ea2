import FoundationEssentials
import Glibc

/// Where background sessions keep what has to outlive a process, by the XDG Base Directory
/// Specification. Each folder is its user's alone (0700).
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
    /// Tells the sockets of several state folders apart.
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
    /// Tasks on their way to the journal.
    var spool: String { state + "/deposits" }
    /// Which files a delegate was told of.
    var reportedTasks: String { state + "/announced" }
    /// Locked by the helper as long as it lives. Inside: the path of its socket.
    var lock: String { state + "/helper.lock" }
    /// Locked by a helper while it comes or goes.
    var handover: String { state + "/helper.turn" }
    var log: String { state + "/helper.log" }
    var socket: String { runtime + "/" + socketName }

    /// The journal's files of one session begin with this: an identifier is anybody's text.
    static func prefix(of session: String) -> String {
        (DigestAlgorithm.sha256.hexHash(session) ?? "").prefix(16) + "-"
    }

    /// The number in a file's name, if it is one that a task can have.
    static func number(_ text: Substring) -> Int? {
        Int(text).flatMap { BackgroundTaskRecord.numbers.contains($0) ? $0 : nil }
    }

    /// The numbers of a session's tasks in the journal and on their way to it, without a look into them.
    func numbers(of session: String) -> [Int] {
        // In the order in which tasks go from the one to the other, so that none is missed on its way.
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

/// What a helper gets of the environment of the program that starts it: where things are, how names
/// and certificates are found, and nothing that may be a secret of the program's.
enum BackgroundEnvironment {
    private static let names: Set<String> = [
        "HOME", "PATH", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LD_PRELOAD",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR", "OPENSSL_CONF", "RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES",
        "ASAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", idleVariable,
    ]

    /// How many seconds a helper stays when there is nothing to do; 10 unless set.
    static let idleVariable = "CURLNETWORKING_BACKGROUND_REST"

    static func fitting(_ environment: [String: String]) -> [String: String] {
        environment.filter { name, _ in
            names.contains(name) || name.hasPrefix("XDG_") || name.hasPrefix("LC_")
        }
    }
}
