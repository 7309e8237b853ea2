import FoundationEssentials
import WebText

/// The visited pages, and the current one.
struct WebHistory {
    struct Entry {
        var url: URL
        /// nil if it must be loaded again.
        var page: WebPage?
        var title = ""
        var place: WebPlace?
        var link: Int?
    }

    /// The number of pages kept on either side of the current one.
    private static let keptPageCount = 6
    private static let limit = 100

    private(set) var entries: [Entry] = []
    private(set) var index = -1

    var current: Entry? {
        get { entries.indices.contains(index) ? entries[index] : nil }
        set {
            guard let newValue, entries.indices.contains(index) else { return }
            entries[index] = newValue
        }
    }

    var canGoBack: Bool { index > 0 }
    var canGoForward: Bool { index + 1 < entries.count }

    /// Adds a page after the current one; removes those ahead.
    mutating func push(_ entry: Entry) {
        entries.removeSubrange((index + 1)...)
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
        index = entries.count - 1
        dropFarPages()
    }

    mutating func move(by step: Int) {
        index = max(0, min(index + step, entries.count - 1))
        dropFarPages()
    }

    private mutating func dropFarPages() {
        for far in entries.indices where abs(far - index) > Self.keptPageCount {
            entries[far].page = nil
        }
    }
}
