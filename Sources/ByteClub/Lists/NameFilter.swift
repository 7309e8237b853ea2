internal import ClubAccess

/// Finds names that have a text in them, ignoring case unless the text has a capital letter.
struct NameFilter: Hashable, Sendable {
    let query: String

    /// The query as it is compared: folded once, not for each name.
    private let needle: [Character]
    private let isExact: Bool

    init(query: String = "") {
        self.query = query
        isExact = query.contains(where: \.isUppercase)
        needle = Array(isExact ? query : query.lowercased())
    }

    var isActive: Bool { !needle.isEmpty }

    func matches(_ name: String) -> Bool {
        !isActive || matchedRange(in: name) != nil
    }

    /// Where the query first stands in a name, in characters; nil also when there is no query.
    func matchedRange(in name: String) -> Range<Int>? {
        guard isActive else { return nil }
        let hay = Array(isExact ? name : name.lowercased())
        guard needle.count <= hay.count else { return nil }
        return (0...(hay.count - needle.count)).lazy
            .map { $0..<$0 + needle.count }
            .first { hay[$0].elementsEqual(needle) }
    }
}
