import CByteClubNcurses

/// Assigns ncurses' color pairs on demand.
@MainActor
struct PairCache {
    private var numbers: [Int: Int32] = [:]
    private let limit: Int

    /// - Parameter limit: How many pairs the terminal has, pair 0 included.
    init(limit: Int) {
        // ncurses allocates a table up to the highest pair; a screen full of pictures needs a few thousand.
        self.limit = min(limit, 1 << 15)
    }

    /// The pair for two colors, -1 being the terminal's own; nil when all are taken.
    mutating func pair(_ foreground: Int, _ background: Int) -> Int32? {
        if foreground == -1, background == -1 { return 0 }
        let key = (foreground + 1) << 16 | (background + 1)
        if let number = numbers[key] { return number }
        let next = numbers.count + 1
        guard next < limit else { return nil }
        let number = Int32(next)
        guard byteclub_set_pair(number, Int32(foreground), Int32(background)) == OK else {
            return 0
        }
        numbers[key] = number
        return number
    }

    /// Forgets all pairs; whatever is drawn in them must be drawn again.
    mutating func removeAll() { numbers = [:] }
}
