import FoundationEssentials
import Glibc

/// What the beginning of a part was when it was written, for as long as the part is not whole: a disk
/// that has turned a bit since would make a wrong file of it.
struct PartialFileMark: Hashable, Sendable {
    /// Counted from the beginning of the part.
    var byteCount: Int64
    /// A ``Checksum`` of so many bytes.
    var checksum: UInt64
}

enum PartialFileChecks {
    /// How much of a part is as it was written.
    struct Finding: Sendable {
        /// What can be continued.
        var byteCount: Int64
        /// Of so many bytes, to be carried on with what comes next.
        var checksum: Checksum
    }

    private static let blockByteCount = 1 << 20

    /// Reads a part and compares it with its marks. On the queue for files: a large one takes its time.
    ///
    /// - Parameters:
    ///   - limit: How many bytes there are at most to be continued.
    ///   - total: Of the whole body. The last byte is never taken for there: the server has to be asked
    ///     for something.
    ///   - marks: Without any, as with parts of earlier versions, all up to `limit` is believed.
    static func find(
        in descriptor: Int32, upTo limit: Int64, total: Int64?, _ marks: [PartialFileMark]
    ) -> Finding {
        let sums = Dictionary(
            marks.lazy.filter { (1...max(1, limit)).contains($0.byteCount) }
                .map { ($0.byteCount, $0.checksum) },
            uniquingKeysWith: { first, _ in first })
        let last = total.map { max(0, $0 - 1) } ?? .max
        let ends = Set(marks.isEmpty ? [limit] : Array(sums.keys)).union(last < limit ? [last] : [])
        var position: Int64 = 0
        var checksum = Checksum()
        var found = Finding(byteCount: 0, checksum: checksum)
        var beforeLast = found
        for end in ends.sorted() {
            guard add(from: position, to: end, of: descriptor, &checksum) == .whole else { break }
            position = end
            if end == last { beforeLast = Finding(byteCount: end, checksum: checksum) }
            if let expected = sums[end] {
                guard checksum.value == expected else { break }
                found = Finding(byteCount: end, checksum: checksum)
            } else if marks.isEmpty {
                found = Finding(byteCount: end, checksum: checksum)
            }
        }
        return found.byteCount > last ? beforeLast : found
    }

    private enum Reading {
        case whole
        case short
    }

    private static func add(
        from start: Int64, to end: Int64, of descriptor: Int32, _ checksum: inout Checksum
    ) -> Reading {
        withUnsafeTemporaryAllocation(byteCount: blockByteCount, alignment: 16) { buffer in
            var position = start
            while position < end {
                let wanted = Int(min(end - position, Int64(buffer.count)))
                let count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .short }
                checksum.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                position += Int64(count)
            }
            return .whole
        }
    }
}

extension ResumeData {
    /// What it says of its part; none in data of earlier versions.
    var marks: [PartialFileMark] {
        checksum.map { [PartialFileMark(byteCount: byteCount, checksum: $0)] } ?? []
    }
}
