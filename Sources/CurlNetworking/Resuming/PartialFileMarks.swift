import FoundationEssentials
import CurlNetworkingPlatform

/// Checksums of a growing partial file, stored beside it in `part-….sums`: sixteen bytes per mark, in
/// ascending order. After a kill, all but the last block is covered.
///
/// Used by one task at a time: the one that has locked the partial file.
final class PartialFileMarks {
    private let path: String
    private let descriptor: Int32
    private(set) var marks: [PartialFileMark] = []

    static let suffix = ".sums"
    private static let markByteCount = 16
    /// Maximum unmarked bytes (1/4096 for large files), which limits the file to ~10,000 marks.
    private static let minimumDistance: Int64 = 64 << 10

    /// Opens the marks of a partial file, and creates their file if needed; returns nil on failure.
    init?(ofPartAt part: String) {
        path = part + Self.suffix
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { return nil }
        marks = Self.read(descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Returns the marks of a partial file that is not being written.
    static func read(ofPartAt part: String) -> [PartialFileMark] {
        let descriptor = open(part + suffix, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return read(descriptor)
    }

    static func remove(ofPartAt part: String) {
        unlink(part + suffix)
    }

    func isDue(at byteCount: Int64) -> Bool {
        byteCount - (marks.last?.byteCount ?? 0) >= max(Self.minimumDistance, byteCount >> 12)
    }

    /// Adds a mark. If a mark cannot be written, bytes after the last mark are lost when the process is
    /// killed.
    func add(_ mark: PartialFileMark) {
        guard mark.byteCount > marks.last?.byteCount ?? 0 else { return }
        var words = [
            UInt64(bitPattern: mark.byteCount).littleEndian, mark.checksum.littleEndian,
        ]
        let place = off_t(marks.count * Self.markByteCount)
        guard pwrite(descriptor, &words, Self.markByteCount, place) == Self.markByteCount else {
            ftruncate(descriptor, place)
            return
        }
        marks.append(mark)
    }

    /// Removes the marks after a length to which the partial file is cut.
    func cut(to byteCount: Int64) {
        marks.removeAll { $0.byteCount > byteCount }
        ftruncate(descriptor, off_t(marks.count * Self.markByteCount))
    }

    /// Parses marks up to the first invalid one.
    private static func read(_ descriptor: Int32) -> [PartialFileMark] {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            facts.st_size < 16 << 20
        else { return [] }
        var data = Data(count: Int(facts.st_size))
        let count = data.withUnsafeMutableBytes { bytes in
            pread(descriptor, bytes.baseAddress, bytes.count, 0)
        }
        var marks: [PartialFileMark] = []
        data.withUnsafeBytes { bytes in
            for place in stride(from: 0, through: max(0, count) - markByteCount, by: markByteCount)
            {
                let number = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                let checksum = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
                guard number <= UInt64(Int64.max), number > marks.last?.byteCount ?? 0 else {
                    return
                }
                marks.append(PartialFileMark(byteCount: Int64(number), checksum: checksum))
            }
        }
        return marks
    }
}
