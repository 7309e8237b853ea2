/// The remembered rows of one long line.
///
/// Row starts are known from the line's beginning up to the last requested row. An edit drops them
/// from the row before it on, but keeps those behind it, shifted: as soon as a new row begins where
/// an old one did, all that follow are the old ones.
struct LongLine: Sendable {
    /// Where the line begins in the text.
    private(set) var start: Int
    var lastUse = 0

    private var length: Int
    /// Where rows begin, from the line's start; the first is 0.
    private var starts: [Int] = [0]
    /// Whether `starts` reaches the end of the line.
    private var isComplete = false
    /// Starts of rows behind the last edit, if they should turn out right.
    private var oldStarts: [Int] = []
    private var isOldComplete = false

    init(_ line: Range<Int>) {
        start = line.lowerBound
        length = line.count
    }

    /// Compares the length with what the text says; another one means that lines were split or
    /// joined.
    mutating func adopt(length newLength: Int) {
        guard newLength != length else { return }
        length = newLength
        oldStarts = []
        isOldComplete = false
        isComplete = false
        starts.removeAll { $0 > newLength }
        if starts.count > 1 { starts.removeLast() }
    }

    /// Follows an edit; lost when nothing of the line can be kept.
    mutating func follow(replacing range: Range<Int>, withCount count: Int) -> EditSurvival {
        let delta = count - range.count
        if range.upperBound < start {
            start += delta
            return .kept
        }
        if range.lowerBound > start + length { return .kept }
        guard range.lowerBound >= start, range.upperBound <= start + length else {
            // The line's end went; its beginning stays as it was.
            guard range.lowerBound >= start else { return .lost }
            forgetRows(from: range.lowerBound - start)
            length = -1
            return .kept
        }
        let lower = range.lowerBound - start
        let upper = range.upperBound - start
        if oldStarts.isEmpty {
            let first = starts.firstIndex { $0 > upper } ?? starts.count
            let (kept, complete) = (starts[first...].map { $0 + delta }, isComplete)
            forgetRows(from: lower)
            (oldStarts, isOldComplete) = (kept, complete)
        } else {
            let first = oldStarts.firstIndex { $0 > upper } ?? oldStarts.count
            let (kept, complete) = (oldStarts[first...].map { $0 + delta }, isOldComplete)
            forgetRows(from: lower)
            (oldStarts, isOldComplete) = (kept, complete)
        }
        length += delta
        return .kept
    }

    /// The row that holds `target`, laying out as far as needed.
    mutating func row(
        at target: Int, _ isUpstream: Bool, in text: TextBuffer, _ breaker: RowBreaker
    ) -> (range: Range<Int>, isLast: Bool) {
        if !isComplete, starts[starts.count - 1] <= target {
            extend(past: target, in: text, breaker)
        }
        var index = Self.lastIndex(in: starts, notAbove: target)
        if isUpstream, index > 0, starts[index] == target { index -= 1 }
        let isLast = index + 1 == starts.count
        return (starts[index]..<(isLast ? length : starts[index + 1]), isLast)
    }
}

private extension LongLine {
    /// An edit can pull the beginning of its row up, so the row before is forgotten as well.
    mutating func forgetRows(from offset: Int) {
        let row = Self.lastIndex(in: starts, notAbove: offset)
        starts.removeSubrange(max(1, row)...)
        isComplete = false
        oldStarts = []
        isOldComplete = false
    }

    mutating func extend(past target: Int, in text: TextBuffer, _ breaker: RowBreaker) {
        // Read far ahead only when far ahead is wanted.
        let far = target - starts[starts.count - 1] > 16_384
        var windowCount = far ? 65_536 : 4 * breaker.columns + 1024
        while !isComplete, starts[starts.count - 1] <= target {
            let base = starts[starts.count - 1]
            let windowEnd = min(length, base + windowCount)
            let before = starts.count
            text.withBytes(in: start + base..<start + windowEnd) { bytes in
                addRows(of: bytes, from: base, isLineEnd: windowEnd == length, target, breaker)
            }
            if starts.count == before, !isComplete { windowCount *= 2 }
        }
    }

    mutating func addRows(
        of bytes: UnsafeBufferPointer<UInt8>, from base: Int, isLineEnd: Bool, _ target: Int,
        _ breaker: RowBreaker
    ) {
        var offset = 0
        var old = Self.lastIndex(in: oldStarts, notAbove: base) + 1
        while let row = breaker.breakRow(in: bytes, from: offset, isLineEnd: isLineEnd) {
            offset = row.end
            if isLineEnd, offset == bytes.count {
                if row.hangs { starts.append(base + offset) }
                isComplete = true
                (oldStarts, isOldComplete) = ([], false)
                return
            }
            starts.append(base + offset)
            while old < oldStarts.count, oldStarts[old] < base + offset { old += 1 }
            if old < oldStarts.count, oldStarts[old] == base + offset {
                starts.append(contentsOf: oldStarts[(old + 1)...])
                isComplete = isOldComplete
                (oldStarts, isOldComplete) = ([], false)
                return
            }
            if base + offset > target { return }
        }
    }

    /// The index of the last of the ascending `values` that is not above `limit`; -1 if none is.
    static func lastIndex(in values: [Int], notAbove limit: Int) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}

/// What an edit leaves of what is remembered of a line.
enum EditSurvival {
    case kept
    case lost
}
