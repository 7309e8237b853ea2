import CByteClubLinux
import Glibc

/// The log of kept revisions: a text file with a line for each.
struct RevisionLog: ~Copyable {
    private let folder: Descriptor
    private let name: String
    private var file: Descriptor?
    private var lineCount = 0

    /// - Parameter path: The path of its folder.
    init(folder path: String, name: String) throws(SystemError) {
        folder = try .opened("open", open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        self.name = name
    }

    struct Contents {
        /// The kept revisions, unordered.
        var kept: [KeptRevision] = []
        /// Those that were removed. Their files may still be there.
        var dropped: Set<String> = []
        var clock: ExpiryClock?
    }

    /// Reads the log, and opens it for more lines; nil without one.
    ///
    /// - Throws: When it cannot be read; `EPROTO` for one of another version, `ELOOP` for a link or a folder. The revisions
    ///   must then stay.
    mutating func load() throws(SystemError) -> Contents? {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let file = try FolderAccess.file(name, in: folder.number)
            try FileReader.forEachPiece(of: file) { bytes.append(contentsOf: $0) }
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
            .compactMap { String(validating: $0, as: UTF8.self) }
        if let first = lines.first, RevisionLine.isOfAnotherVersion(first) {
            throw SystemError("read", code: EPROTO)
        }
        var contents = Contents()
        var kept: [String: KeptRevision] = [:]
        for line in lines {
            switch RevisionLine(line[...]) {
            case .kept(let revision):
                kept[revision.revision] = revision
                contents.dropped.remove(revision.revision)
            case .dropped(let revision):
                kept[revision] = nil
                contents.dropped.insert(revision)
            case .clock(let clock): contents.clock = clock
            case .header, nil: break
            }
        }
        contents.kept = Array(kept.values)
        file = try? .opened(
            "open", openat(folder.number, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC))
        // The last line may be cut off.
        if bytes.last != UInt8(ascii: "\n") { try? append([]) }
        lineCount = lines.count
        return contents
    }

    /// Renames a log that cannot be read, for a program that can.
    func setAside() throws(SystemError) {
        let aside = name + ".set-aside-" + RandomText.hexadecimal(byteCount: 4)
        try SystemError.check("rename", renameat(folder.number, name, folder.number, aside))
    }

    /// Whether lines can be added.
    var isOpen: Bool { file != nil }

    /// Rewrites the whole log. If that fails, the old one stays in use.
    mutating func rewrite(
        _ revisions: [KeptRevision], _ clock: ExpiryClock
    ) throws(SystemError) {
        let temporary = name + ".new"
        let file = try Descriptor.opened(
            "open",
            openat(
                folder.number, temporary,
                O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600))
        let lines = [.header, .clock(clock)] + revisions.map(RevisionLine.kept)
        let text = Array(lines.map(\.text).joined().utf8)
        do throws(SystemError) {
            try FileWriter.writeAll(text, to: file)
        } catch {
            unlinkat(folder.number, temporary, 0)
            throw error
        }
        // A full disk must not keep anybody from removing a file, nor the file from being kept.
        byteclub_reserve(file.number, Int64(text.count), Self.reservedByteCount)
        if !revisions.isEmpty { try SystemError.check("fsync", fsync(file.number)) }
        try SystemError.check("rename", renameat(folder.number, temporary, folder.number, name))
        self.file = consume file
        lineCount = lines.count
    }

    /// For some hundred lines.
    private static let reservedByteCount: Int64 = 64 << 10

    /// Appends lines. The kernel has them when this returns, so a killed server loses none.
    mutating func append(_ lines: [RevisionLine]) throws(SystemError) {
        guard let file = file.take() else { throw SystemError("write", code: EBADF) }
        let text = lines.isEmpty ? "\n" : lines.map(\.text).joined()
        do throws(SystemError) {
            try FileWriter.writeAll(Array(text.utf8), to: file)
        } catch {
            // A line truncated by a full disk must not damage the next one.
            try? FileWriter.writeAll([UInt8(ascii: "\n")], to: file)
            self.file = consume file
            throw error
        }
        self.file = consume file
        lineCount += lines.count
    }

    /// Whether it has so many outdated lines that it should be rewritten.
    func isLong(for count: Int) -> Bool { lineCount > 1_000 + 4 * count }

    /// A second descriptor of the log, to make it durable while others go on writing.
    mutating func duplicate() -> Descriptor? {
        guard let file = file.take() else { return nil }
        let copy = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        self.file = consume file
        return copy >= 0 ? Descriptor(copy) : nil
    }
}
