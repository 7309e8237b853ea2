internal import ClubAccess
internal import ClubLibrary

/// The transfers that run one after another: those that are wanted now, and those done since the last time that
/// none was.
struct TransferBatch: Equatable {
    /// Oldest first.
    let wanted: [TransferItem]
    let doneCount: Int
    /// Estimated if the size of one is not known yet: it is as large as the others are on average. Nil if none is
    /// known. Sizes come from a server, and their sum may overflow an integer.
    let byteCount: Double?
    let movedByteCount: Double

    /// - Parameter items: Those that failed, were cancelled or are paused do not count.
    init(_ items: [TransferItem]) {
        wanted = items.filter(\.isWanted)
        let done = items.filter { $0.state == .done }
        doneCount = done.count
        let sizes = (wanted + done).map { Double($0.status.totalByteCount) }.filter { $0 > 0 }
        let known = sizes.reduce(0, +)
        let count = Double(wanted.count + done.count)
        byteCount = known > 0 ? known / Double(sizes.count) * count : nil
        movedByteCount =
            wanted.reduce(0) { $0 + Double($1.status.byteCount) }
            + done.reduce(0) { $0 + Double($1.status.totalByteCount) }
    }

    /// Nil until a size is known.
    var fraction: Double? { byteCount.map { max(0, min(1, movedByteCount / $0)) } }

    /// Nil until a size is known; 100 only when all transfers are confirmed.
    var percent: Int? { fraction.map { min(99, Int($0 * 100)) } }

    /// `2/5`: the number of the one that moves, and of all; nil for a single one.
    var place: String? {
        let count = wanted.count + doneCount
        return count > 1 && !wanted.isEmpty ? "\(doneCount + 1)/\(count)" : nil
    }

    /// `↑`, `↓` or both.
    var arrows: String { Set(wanted.map(\.arrow)).sorted().joined() }
}
