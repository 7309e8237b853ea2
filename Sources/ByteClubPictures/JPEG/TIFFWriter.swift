/// Writes a TIFF structure of one directory with others below it.
///
/// Source: TIFF 6.0, section 2.
struct TIFFWriter {
    /// An entry with its value, in the byte order of the structure.
    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        let value: [UInt8]

        init(tag: Int, type: Int, count: Int, value: [UInt8]) {
            (self.tag, self.type, self.count, self.value) = (tag, type, count, value)
        }

        init(_ entry: TIFF.Entry, of tiff: TIFF) {
            (tag, type, count) = (entry.tag, entry.type, entry.count)
            value = Array(tiff.bytes(entry.value))
        }

        /// A directory at an offset.
        fileprivate init(pointer tag: Int, to offset: [UInt8]) {
            (self.tag, type, count) = (tag, 4, 1)
            value = offset
        }
    }

    private let isLittleEndian: Bool
    private(set) var bytes: [UInt8]

    init(isLittleEndian: Bool) {
        self.isLittleEndian = isLittleEndian
        bytes = isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
        bytes += number(42, 2)
    }

    /// Writes all of it. To be called once.
    ///
    /// - Parameter directories: With the tags of the entries that point to them, in ascending order and
    ///   greater than the tags of `main` or between them.
    mutating func write(_ main: [Entry], directories: [(pointer: Int, entries: [Entry])]) {
        let first = 8
        var offset = first + byteCount(of: main)
        offset += directories.count * 12
        var pointers: [Entry] = []
        for (tag, entries) in directories {
            pointers.append(Entry(pointer: tag, to: number(offset, 4)))
            offset += byteCount(of: entries)
        }
        bytes += number(first, 4)
        append((main + pointers).sorted { $0.tag < $1.tag })
        for (_, entries) in directories { append(entries) }
    }

    /// A directory, followed by the values that do not fit into its entries.
    private mutating func append(_ entries: [Entry]) {
        let end = bytes.count + 2 + entries.count * 12 + 4
        var values: [UInt8] = []
        bytes += number(entries.count, 2)
        for entry in entries {
            bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            if entry.value.count <= 4 {
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                bytes += number(end + values.count, 4)
                values += padded(entry.value)
            }
        }
        bytes += number(0, 4) + values
    }

    private func byteCount(of entries: [Entry]) -> Int {
        entries.reduce(2 + entries.count * 12 + 4) {
            $0 + ($1.value.count <= 4 ? 0 : padded($1.value).count)
        }
    }

    /// Values begin at even offsets.
    private func padded(_ value: [UInt8]) -> [UInt8] {
        value.count % 2 == 1 ? value + [0] : value
    }

    private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return isLittleEndian ? bytes : bytes.reversed()
    }
}
