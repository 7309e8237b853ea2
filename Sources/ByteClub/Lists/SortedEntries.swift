package import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import Glibc

/// Entries in the order of a list.
///
/// Only their order is sorted: to move many entries is slower, because each has references to be counted.
package struct SortedEntries: RandomAccessCollection, Sendable {
    private let unsorted: [FileEntry]
    private let order: [Int]

    /// Sorts folders before files.
    init(_ entries: [FileEntry], by sort: ListSort) {
        /// Contains no references, because many are moved.
        struct Item {
            /// Larger ones sort first.
            var weight: Int64
            var prefix: UInt64
            var key: Range<Int>
            var index: Int
        }
        var keys: [UInt8] = []
        keys.reserveCapacity(entries.count * 64)
        var items = entries.indices.map { index in
            let start = keys.count
            NaturalOrderKey.append(entries[index].name, to: &keys)
            return Item(
                weight: sort.weight(of: entries[index]),
                prefix: NaturalOrderKey.prefix(of: keys[start...]),
                key: start..<keys.count, index: index)
        }
        keys.withUnsafeBytes { keys in
            guard let base = keys.baseAddress else { return }
            items.sort { first, second in
                if first.weight != second.weight { return first.weight > second.weight }
                if first.prefix != second.prefix { return first.prefix < second.prefix }
                let (one, other) = (first.key, second.key)
                let order = memcmp(
                    base + one.lowerBound, base + other.lowerBound,
                    Swift.min(one.count, other.count))
                return order == 0 ? one.count < other.count : order < 0
            }
        }
        order = items.map(\.index)
        unsorted = entries
    }

    /// - Parameter sorted: Entries in their order.
    init(sorted: [FileEntry]) {
        unsorted = sorted
        order = Array(sorted.indices)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { order.count }
    package subscript(position: Int) -> FileEntry { unsorted[order[position]] }
}

extension ListSort {
    /// What is sorted before the name: larger ones come first.
    fileprivate func weight(of entry: FileEntry) -> Int64 {
        guard case .file(let file) = entry else { return .max }
        switch self {
        case .name: return 0
        case .size: return file.byteCount
        case .change: return Int64(max(-9e15, min(file.modified.timeIntervalSince1970, 9e15)))
        }
    }
}
