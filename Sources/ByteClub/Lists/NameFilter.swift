/// Finds names that have a text in them, ignoring case unless the text has a capital letter.
struct NameFilter: Hashable, Sendable {
    var query = ""

    var isActive: Bool { !query.isEmpty }

    func matches(_ name: String) -> Bool {
        query.isEmpty || matchedRange(in: name) != nil
    }

    /// Where the query first stands in a name, in characters; nil also when there is no query.
    func matchedRange(in name: String) -> Range<Int>? {
        let isExact = query.contains(where: \.isUppercase)
        let needle = Array(isExact ? query : query.lowercased())
        let hay = Array(isExact ? name : name.lowercased())
        guard !needle.isEmpty, needle.count <= hay.count else { return nil }
        return (0...(hay.count - needle.count)).lazy
            .map { $0..<$0 + needle.count }
            .first { hay[$0].elementsEqual(needle) }
    }
}
