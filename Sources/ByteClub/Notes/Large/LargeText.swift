internal import FoundationEssentials
internal import Glibc
internal import TextEditing

/// A text file that is too large for memory: it is read in parts.
///
/// Calls block on the disk: do not call them on the main actor. Safe from any thread.
final class LargeText: Sendable {
    let byteCount: Int64
    /// Nil for UTF-8, and for a file that is not text.
    let encoding: TextEncoding?
    let isText: Bool
    private let descriptor: Int32

    /// The part in memory.
    struct Part: Sendable {
        /// Byte offsets in the file.
        let range: Range<Int64>
        /// UTF-8 in any case; the raw bytes if the file is not text.
        let text: TextBuffer
    }

    /// Why a file cannot be read.
    struct Failure: Error {
        let reason: String
    }

    /// Opens a file and unlinks it: it is removed when closed, however the program ends.
    ///
    /// - Throws: `Failure`.
    init(taking file: URL) throws(Failure) {
        descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        unlink(file.path)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure(reason: reason)
        }
        byteCount = Int64(facts.st_size)
        let start = TextBuffer(utf8: Self.read(descriptor, 0..<min(byteCount, 1 << 16)))
        let whole = Self.droppingCutCharacter(start)
        encoding = whole.isValidUTF8 ? nil : TextEncoding.detected(in: start)
        isText = whole.isValidUTF8 || encoding != nil
    }

    deinit { close(descriptor) }

    /// The approximate size of a part.
    static let partByteCount: Int64 = 2 << 20
    /// How far to search for the start of a line; a longer line is split.
    private static let lineReach: Int64 = 64 << 10

    // MARK: - Parts

    /// The part that begins with the line at an offset.
    func part(at offset: Int64) -> Part {
        let start = lineStart(around: max(0, min(offset, byteCount)))
        return part(start..<lineStart(around: min(byteCount, start + Self.partByteCount)))
    }

    /// The part that ends before the line at an offset.
    func part(before offset: Int64) -> Part {
        let end = lineStart(around: max(0, min(offset, byteCount)))
        return part(lineStart(around: max(0, end - Self.partByteCount))..<end)
    }

    /// The last part.
    func lastPart() -> Part {
        part(lineStart(around: max(0, byteCount - Self.partByteCount))..<byteCount)
    }

    private func part(_ range: Range<Int64>) -> Part {
        // A single long line may have no other place to split.
        let range =
            range.isEmpty && range.lowerBound < byteCount
            ? range.lowerBound..<min(byteCount, range.lowerBound + Self.partByteCount) : range
        let bytes = Self.read(descriptor, range)
        return Part(range: range, text: decoded(bytes, isFirst: range.lowerBound == 0))
    }

    private func decoded(_ bytes: [UInt8], isFirst: Bool) -> TextBuffer {
        guard let encoding else { return TextBuffer(utf8: bytes) }
        // Each part of a UTF-16 text begins with a byte order mark.
        let mark: [UInt8] = isFirst ? [] : byteOrderMark
        return encoding.decoded(TextBuffer(utf8: mark + bytes)) ?? TextBuffer(utf8: bytes)
    }

    private var byteOrderMark: [UInt8] {
        switch encoding {
        case .utf16LittleEndian: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        default: []
        }
    }

    /// The start of the line at an offset or, in a very long line, of a character near it.
    private func lineStart(around offset: Int64) -> Int64 {
        guard offset > 0, offset < byteCount else { return offset }
        let first = max(0, offset - Self.lineReach)
        // In UTF-16, a line feed byte may be half of another character.
        guard byteOrderMark.isEmpty else { return unitStart(at: offset) }
        let bytes = Self.read(descriptor, first..<offset)
        if let feed = bytes.lastIndex(of: 0x0A) { return first + Int64(feed) + 1 }
        guard first > 0 else { return 0 }
        var start = offset
        while offset - start < 4, let byte = Self.read(descriptor, start..<start + 1).first,
            byte & 0xC0 == 0x80
        {
            start -= 1
        }
        return start
    }

    /// The start of the UTF-16 character at an offset.
    private func unitStart(at offset: Int64) -> Int64 {
        let start = offset & ~1
        let unit = Self.read(descriptor, start..<min(byteCount, start + 2))
        let high = encoding == .utf16LittleEndian ? unit.last : unit.first
        // It may be the second half of a surrogate pair.
        guard let high, (0xDC...0xDF).contains(high), start >= 2 else { return start }
        return start - 2
    }

    // MARK: - Finding

    /// The range in a part's UTF-8 text of a range in the file.
    func place(of found: Range<Int64>, in part: Part) -> Range<Int> {
        let before = part.range.lowerBound..<found.lowerBound
        guard encoding != nil else { return before.count..<before.count + found.count }
        let start =
            before.isEmpty
            ? 0 : decoded(Self.read(descriptor, before), isFirst: before.lowerBound == 0).count
        return start..<start + decoded(Self.read(descriptor, found), isFirst: false).count
    }

    /// A search text as bytes in the file's encoding; nil if it cannot be encoded.
    func bytes(of words: String) -> [UInt8]? {
        switch encoding {
        case nil: return Array(words.utf8)
        case .utf16LittleEndian:
            return words.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian:
            return words.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .latin1, .windows1252:
            let bytes = words.unicodeScalars.compactMap { encoding?.byte(of: $0) }
            return bytes.count == words.unicodeScalars.count ? bytes : nil
        }
    }

    /// The first occurrence of some bytes at or after an offset, or the last one before it; nil if there is
    /// none.
    ///
    /// - Parameters:
    ///   - ignoresCase: Applies to the letters A to Z.
    ///   - isCancelled: Called after each MiB.
    func find(
        _ wanted: [UInt8], from offset: Int64, backwards: Bool = false, ignoresCase: Bool,
        isCancelled: () -> Bool = { false }
    ) -> Int64? {
        guard !wanted.isEmpty else { return nil }
        let search = ByteSearch(wanted, ignoresCase: ignoresCase)
        let overlap = Int64(wanted.count - 1)
        let step: Int64 = 1 << 20
        var place = max(0, min(offset, byteCount))
        while !isCancelled() {
            guard backwards ? place > 0 : place < byteCount else { return nil }
            let range =
                backwards
                ? max(0, place - step)..<min(byteCount, place + overlap)
                : place..<min(byteCount, place + step + overlap)
            let found = Self.read(descriptor, range).withUnsafeBufferPointer { bytes in
                backwards ? search.last(in: bytes) : search.first(in: bytes)
            }
            if let found {
                let hit = range.lowerBound + Int64(found)
                // A match across two UTF-16 characters does not count.
                if byteOrderMark.isEmpty || hit % 2 == 0 { return hit }
                place = backwards ? hit : hit + 1
            } else {
                place = backwards ? range.lowerBound : place + step
            }
        }
        return nil
    }

    // MARK: - Bytes

    /// Reads as many bytes as available: a file that becomes unreadable ends there.
    private static func read(_ descriptor: Int32, _ range: Range<Int64>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(range.count)) { buffer, count in
            count = 0
            while count < buffer.count {
                let read = pread(
                    descriptor, buffer.baseAddress! + count, buffer.count - count,
                    Int(range.lowerBound) + count)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return }
                count += read
            }
        }
    }

    /// Without an incomplete last character.
    private static func droppingCutCharacter(_ text: TextBuffer) -> TextBuffer {
        let bytes = text.bytes(in: 0..<text.count)
        for count in 0...min(3, bytes.count) {
            let shorter = TextBuffer(utf8: bytes.dropLast(count))
            if shorter.isValidUTF8 { return shorter }
        }
        return text
    }
}
