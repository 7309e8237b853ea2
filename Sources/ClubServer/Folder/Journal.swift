import FoundationEssentials
import Glibc

/// The club's memory between two runs of its server: identifiers, revisions, hashes and the numbers
/// of changes. It lies in the state folder, never in the club's.
///
/// Losing it loses no file: revisions are made from what the disk says, identifiers are made anew,
/// and clients are told to list again.
final class Journal {
    private let folder: Descriptor
    private let name: String
    private var file: Descriptor?
    private var lineCount = 0

    /// - Parameter name: Told apart by club, since all clubs of a user share a state folder.
    init(folder path: String, name: String) throws(SystemError) {
        folder = try .opened("open", open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        self.name = name
    }

    /// What the journal remembers, or nil when there is none that can be used.
    func load() -> ClubIndex? {
        guard let bytes = try? read() else { return nil }
        var index: ClubIndex?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // A torn line at the end is dropped; so is any other, which costs that entry only.
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

    /// Writes all of an index in place of what was there.
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
        // Folders before what is in them, and everything in the order of its last change.
        lines += index.entries.values.filter { !$0.key.isEmpty }
            .sorted { $0.sequence < $1.sequence }.map(JournalLine.entry)
        lines += index.tombstones.values.map(JournalLine.gone)
        try Self.write(lines, to: file)
        try SystemError.check(
            "rename", renameat(folder.number, temporary, folder.number, name))
        self.file = consume file
        lineCount = lines.count
    }

    /// Adds facts. The kernel has them when this returns, so a killed server has lost none.
    func append(_ lines: [JournalLine]) throws(SystemError) {
        guard !lines.isEmpty else { return }
        guard let file = file.take() else { throw SystemError("write", code: EBADF) }
        // Not put back when writing fails: a journal with a hole in it must not be believed.
        try Self.write(lines, to: file)
        self.file = consume file
        lineCount += lines.count
    }

    /// Whether it holds so much that was replaced since that it should be written anew.
    func isLong(for index: ClubIndex) -> Bool {
        lineCount > 10_000 + 4 * (index.entries.count + index.tombstones.count)
    }

    /// Removes the journal, so that the next run starts a new line of numbers.
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
