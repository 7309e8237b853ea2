/// What an `<img>` says of its picture.
enum HTMLPicture {
    /// Smaller ones are drawn for a line of text, or count readers: words say more in cells.
    static let leastLength = 24

    /// Where the picture is; where a script would put it there later, what it would put. Nil for what stands
    /// in the page itself (`data:`).
    static func address(_ attributes: [String: String]) -> String? {
        let first = attributes["srcset"]?.split(separator: ",").first?
            .split(whereSeparator: \.isWhitespace).first.map(String.init)
        return [attributes["src"], attributes["data-src"], first].compactMap { $0 }
            .first { !$0.isEmpty && !$0.lowercased().hasPrefix("data:") }
    }

    /// Whether it says that it is small.
    static func isIcon(_ attributes: [String: String]) -> Bool {
        [attributes["width"], attributes["height"]].contains { text in
            length(text).map { $0 < leastLength } ?? false
        }
    }

    /// `640`, `640px`; nil for shares of a width that is not known.
    static func length(_ text: String?) -> Int? {
        guard let text, !text.contains("%"), let number = Int(text.prefix { $0.isNumber }),
            number >= 0
        else { return nil }
        return min(number, 20_000)
    }
}
