internal import ClubAccess
internal import ClubLibrary
internal import ClubStore

/// Where each path of a list is, and its name in the form that a filter compares. Made once for many keys.
struct NameIndex: Sendable {
    let positions: [RemotePath: Int]
    /// The folded names, concatenated, and the end of each.
    private let letters: [UInt8]
    private let ends: [Int]

    /// - Parameter deeper: Entries whose positions follow those of `entries`.
    init(_ entries: SortedEntries, _ deeper: SortedEntries) {
        // Without copies of the entries: each has references to be counted.
        let count = entries.count + deeper.count
        var positions: [RemotePath: Int] = [:]
        var (letters, ends): ([UInt8], [Int]) = ([], [])
        positions.reserveCapacity(count)
        letters.reserveCapacity(count * 16)
        ends.reserveCapacity(count)
        for list in [entries, deeper] {
            for entry in list {
                positions[entry.path] = ends.count
                letters += SearchLetters.folded(entry.name)
                ends.append(letters.count)
            }
        }
        (self.positions, self.letters, self.ends) = (positions, letters, ends)
    }

    /// Calls a function with the folded name at each of these positions.
    func forEachName(
        of positions: [Int],
        _ body: (_ position: Int, _ letters: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        letters.withUnsafeBufferPointer { letters in
            for position in positions {
                let start = position == 0 ? 0 : ends[position - 1]
                body(position, UnsafeBufferPointer(rebasing: letters[start..<ends[position]]))
            }
        }
    }
}
