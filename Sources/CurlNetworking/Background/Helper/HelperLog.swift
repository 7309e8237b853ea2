import FoundationEssentials
import CurlNetworkingPlatform

/// The helper's log for people, one line per event, without addresses and header fields of requests, and without
/// the texts of their errors, which quote addresses.
struct HelperLog {
    private let descriptor: Int32
    private static let largestByteCount: off_t = 256 << 10

    /// A large log is moved aside and replaces the one before. If it cannot be opened, nothing is logged.
    init(path: String) {
        var facts = stat()
        if lstat(path, &facts) == 0, facts.st_size > Self.largestByteCount {
            rename(path, path + ".old")
        }
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        descriptor = open(path, flags, 0o600)
    }

    func note(_ text: String) {
        guard descriptor >= 0 else { return }
        let safe = text.unicodeScalars.map { scalar in
            scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? " " : String(scalar)
        }.joined()
        let line = "\(Date.now.formatted(.iso8601)) [\(getpid())] \(safe)\n"
        _ = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

extension BackgroundTaskRecord.State {
    /// For the log.
    var summary: String {
        switch self {
        case .queued: "queued"
        case .running: "running"
        case .finished(let answer, _): "answered with \(answer.status)"
        case .failed(let code, _, _): "failed with \(code)"
        case .delivered: "delivered"
        }
    }
}
