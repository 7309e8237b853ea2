internal import FoundationEssentials
internal import Glibc
internal import TextEditing

/// A text in a file that is too large for memory: it is read in parts.
///
/// Calls block until the disk has answered: none belongs on the main actor. Safe from any thread.
final class LargeText: Sendable {
    let byteCount: Int64
    /// Nil for UTF-8, and for what is not text.
    let encoding: TextEncoding?
    let isText: Bool
    private let descriptor: Int32

    /// What is in memory of it.
    struct Part: Sendable {
        /// In bytes of the file.
        let range: Range<Int64>
        /// In UTF-8, whatever the file is in; the bytes themselves where they are not text.
        let text: TextBuffer
    }

    /// Why a file cannot be read.
    struct Failure: Error {
        let reason: String
    }

    /// Opens a file and removes its name: nothing is left of it when it is closed, however the program ends.
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

    /// Bytes of a part, more or less.
    static let partByteCount: Int64 = 2 << 20
    /// How far a line's beginning is looked for; one that is longer is cut.
    private static let lineReach: Int64 = 64 << 10

    // MARK: - Parts

    /// The part that begins with the line in which an offset lies.
    func part(at offset: Int64) -> Part {
        let start = lineStart(around: max(0, min(offset, byteCount)))
        return part(start..<lineStart(around: min(byteCount, start + Self.partByteCount)))
    }

    /// The part that ends with the line before the one in which an offset lies.
    func part(before offset: Int64) -> Part {
        let end = lineStart(around: max(0, min(offset, byteCount)))
        return part(lineStart(around: max(0, end - Self.partByteCount))..<end)
    }

    /// The last part.
    func lastPart() -> Part {
        part(lineStart(around: max(0, byteCount - Self.partByteCount))..<byteCount)
    }

    private func part(_ range: Range<Int64>) -> Part {
        // Of a single line there may be no other cut.
        let range =
            range.isEmpty && range.lowerBound < byteCount
            ? range.lowerBound..<min(byteCount, range.lowerBound + Self.partByteCount) : range
        let bytes = Self.read(descriptor, range)
        return Part(range: range, text: decoded(bytes, isFirst: range.lowerBound == 0))
    }

    private func decoded(_ bytes: [UInt8], isFirst: Bool) -> TextBuffer {
        guard let encoding else { return TextBuffer(utf8: bytes) }
        // Each part of a text in UTF-16 begins as the whole does.
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

    /// Where the line begins in which an offset lies, or, in a very long one, a character near it.
    private func lineStart(around offset: Int64) -> Int64 {
        guard offset > 0, offset < byteCount else { return offset }
        let first = max(0, offset - Self.lineReach)
        // A line feed in UTF-16 may be half of another character.
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

    /// Where the character begins in which an offset lies, in UTF-16.
    private func unitStart(at offset: Int64) -> Int64 {
        let start = offset & ~1
        let unit = Self.read(descriptor, start..<min(byteCount, start + 2))
        let high = encoding == .utf16LittleEndian ? unit.last : unit.first
        // Of some characters it is the second unit of two.
        guard let high, (0xDC...0xDF).contains(high), start >= 2 else { return start }
        return start - 2
    }

    // MARK: - Finding

    /// Where bytes of the file are in the text of a part that has them, in its UTF-8.
    func place(of found: Range<Int64>, in part: Part) -> Range<Int> {
        let before = part.range.lowerBound..<found.lowerBound
        guard encoding != nil else { return before.count..<before.count + found.count }
        let start =
            before.isEmpty
            ? 0 : decoded(Self.read(descriptor, before), isFirst: before.lowerBound == 0).count
        return start..<start + decoded(Self.read(descriptor, found), isFirst: false).count
    }

    /// The bytes that words are in this text; nil where it cannot have them.
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

    /// The first place of some bytes at or after an offset, or the last one before it; nil for none.
    ///
    /// - Parameters:
    ///   - ignoresCase: Of the letters A to Z.
    ///   - isCancelled: Asked after each MiB.
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
                // Halves of two characters of UTF-16 are no hit.
                if byteOrderMark.isEmpty || hit % 2 == 0 { return hit }
                place = backwards ? hit : hit + 1
            } else {
                place = backwards ? range.lowerBound : place + step
            }
        }
        return nil
    }

    // MARK: - Bytes

    /// As many of them as there are: a file that cannot be read any more ends there.
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

    /// Without the bytes of a last character that is not whole.
    private static func droppingCutCharacter(_ text: TextBuffer) -> TextBuffer {
        let bytes = text.bytes(in: 0..<text.count)
        for count in 0...min(3, bytes.count) {
            let shorter = TextBuffer(utf8: bytes.dropLast(count))
            if shorter.isValidUTF8 { return shorter }
        }
        return text
    }
}
