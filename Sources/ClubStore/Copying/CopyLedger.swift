import FoundationEssentials
import Glibc

/// Records what earlier runs have copied and verified, so that a run after an interruption neither
/// sends nor compares it again.
///
/// An append-only file of JSON lines. Invalid lines, such as one truncated by a crash, are ignored:
/// that file is compared again.
struct CopyLedger {
    /// The revisions on both sides whose bytes are equal.
    struct Line: Codable, Hashable {
        var path: String
        var source: String
        var destination: String
    }

    private let file: URL
    private var lines: Set<Line> = []

    /// Reads the existing ledger; an unreadable one counts as empty.
    init(at file: URL) {
        self.file = file
        guard let data = try? Data(contentsOf: file) else { return }
        for line in data.split(separator: UInt8(ascii: "\n")) {
            if let line = try? JSONDecoder().decode(Line.self, from: Data(line)) {
                lines.insert(line)
            }
        }
    }

    func hasVerified(_ source: RemoteFile, as destination: RemoteFile) -> Bool {
        lines.contains(Self.line(source, destination))
    }

    /// Appends a line. A failed write costs only a comparison next time.
    mutating func note(_ source: RemoteFile, isEqualTo destination: RemoteFile) {
        let line = Self.line(source, destination)
        guard lines.insert(line).inserted, var data = try? JSONEncoder().encode(line) else {
            return
        }
        data.append(UInt8(ascii: "\n"))
        // It starts on a new line, whatever a crash has left at the end.
        data.insert(UInt8(ascii: "\n"), at: data.startIndex)
        let descriptor = file.withUnsafeFileSystemRepresentation { path in
            path.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600) }
                ?? -1
        }
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    private static func line(_ source: RemoteFile, _ destination: RemoteFile) -> Line {
        Line(
            path: source.path.string, source: source.revision.rawValue,
            destination: destination.revision.rawValue)
    }
}
