import FoundationEssentials
import Glibc

/// The club's persistent state between two runs of its server: identifiers, revisions, hashes and
/// sequence numbers. It is in the state folder, never in the club's.
///
/// Losing it loses no file: revisions are derived from the disk, identifiers are created again, and
/// clients must list again.
final class Journal {
    private let folder: Descriptor
    private let name: String
    private var file: Descriptor?
    private var lineCount = 0

    /// - Parameter name: Specific to the club, since all clubs of a user share a state folder.
    init(folder path: String, name: String) throws(SystemError) {
        folder = try .opened("open", open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        self.name = name
    }

    /// The stored index, or nil when there is no usable one.
    func load() -> ClubIndex? {
        guard let bytes = try? read() else { return nil }
        var index: ClubIndex?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // A truncated or invalid line is dropped, which affects only its entry.
            guard let text = String(validating: line, as: UTF8.self),
                let fact = JournalLine(text[...])
            else { continue }
            switch fact {
            case .header(let epoch, let forgotten, let sequence):
                if index != nil { continue }
                index = ClubIndex(epoch: epoch, sequence: sequence, forgotten: forgotten)
            case .entry(let entry): index?.restore(entry)
            case .gone(let trace): index?.restore(trace)
            }
        }
        return index
    }

    /// Replaces the journal with a whole index.
    func rewrite(_ index: ClubIndex) throws(SystemError) {
        let temporary = name + ".new"
        let file = try Descriptor.opened(
            "open",
            openat(
                folder.number, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600
            ))
        var lines = [
            JournalLine.header(
                epoch: index.epoch, forgotten: index.forgotten, sequence: index.sequence)
        ]
        // Folders before their contents, and everything in the order of its last change.
        lines += index.entries.values.filter { !$0.key.isEmpty }
            .sorted { $0.sequence < $1.sequence }.map(JournalLine.entry)
        lines += index.tombstones.values.map(JournalLine.gone)
        try Self.write(lines, to: file)
        try SystemError.check(
            "rename", renameat(folder.number, temporary, folder.number, name))
        self.file = consume file
        lineCount = lines.count
    }

    /// Appends lines. The kernel has them when this returns, so a killed server loses none.
    func append(_ lines: [JournalLine]) throws(SystemError) {
        guard !lines.isEmpty else { return }
        guard let file = file.take() else { throw SystemError("write", code: EBADF) }
        // Stays closed after a failed write: a journal with a gap must not be used.
        try Self.write(lines, to: file)
        self.file = consume file
        lineCount += lines.count
    }

    /// Whether it has so many outdated lines that it should be rewritten.
    func isLong(for index: ClubIndex) -> Bool {
        lineCount > 10_000 + 4 * (index.entries.count + index.tombstones.count)
    }

    /// Removes the journal, so that the next run starts a new epoch.
    func discard() {
        file = nil
        unlinkat(folder.number, name, 0)
    }

    private func read() throws(SystemError) -> [UInt8] {
        let file = try FolderAccess.file(name, in: folder.number)
        let size = try Int(FileStatus.of(file).signature.size)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        try FileReader.forEachPiece(of: file) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private static func write(
        _ lines: [JournalLine], to file: borrowing Descriptor
    ) throws(SystemError) {
        let text = lines.map(\.text).joined()
        try FileWriter.writeAll(Array(text.utf8), to: file)
    }
}
