import FoundationEssentials
import CurlNetworkingPlatform

/// The checksum of the first bytes of a partial file: detects bytes that the disk has corrupted since they
/// were written.
struct PartialFileMark: Hashable, Sendable {
    /// The number of bytes, from the start of the file.
    var byteCount: Int64
    /// The ``Checksum`` of these bytes.
    var checksum: UInt64
}

enum PartialFileChecks {
    /// How much of a partial file is intact.
    struct Finding: Sendable {
        /// The number of bytes that can be continued.
        var byteCount: Int64
        /// The checksum of these bytes, to continue with.
        var checksum: Checksum
    }

    private static let blockByteCount = 1 << 20

    /// Verifies a partial file against its marks. Call it on the file queue: a large file takes a while.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to use.
    ///   - total: The length of the whole body. The last byte is always requested, so that the server is
    ///     asked at all.
    ///   - marks: If there are none, as for partial files of earlier versions, all bytes up to `limit` are
    ///     accepted.
    ///   - isCancelled: Checked for each block; once it is true, the rest is not read.
    static func find(
        in descriptor: Int32, upTo limit: Int64, total: Int64?, _ marks: [PartialFileMark],
        isCancelled: () -> Bool = { false }
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
            guard add(from: position, to: end, of: descriptor, &checksum, isCancelled) == .whole
            else { break }
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
        from start: Int64, to end: Int64, of descriptor: Int32, _ checksum: inout Checksum,
        _ isCancelled: () -> Bool
    ) -> Reading {
        withUnsafeTemporaryAllocation(byteCount: blockByteCount, alignment: 16) { buffer in
            var position = start
            while position < end {
                guard !isCancelled() else { return .short }
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
    /// The marks in the resume data; none in data of earlier versions.
    var marks: [PartialFileMark] {
        checksum.map { [PartialFileMark(byteCount: byteCount, checksum: $0)] } ?? []
    }
}
