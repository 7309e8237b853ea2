/// The picture of an `<img>` element.
enum HTMLPicture {
    /// Smaller ones are icons or for tracking: words are better.
    static let leastLength = 24

    /// The address of the picture, including one that a script would set later. Nil for `data:`.
    static func address(_ attributes: [String: String]) -> String? {
        let first = attributes["srcset"]?.split(separator: ",").first?
            .split(whereSeparator: \.isWhitespace).first.map(String.init)
        return [attributes["src"], attributes["data-src"], first].compactMap { $0 }
            .first { !$0.isEmpty && !$0.lowercased().hasPrefix("data:") }
    }

    /// Whether it is declared as small.
    static func isIcon(_ attributes: [String: String]) -> Bool {
        [attributes["width"], attributes["height"]].contains { text in
            length(text).map { $0 < leastLength } ?? false
        }
    }

    /// `640`, `640px`; nil for relative lengths.
    static func length(_ text: String?) -> Int? {
        guard let text, !text.contains("%"), let number = Int(text.prefix { $0.isNumber }),
            number >= 0
        else { return nil }
        return min(number, 20_000)
    }
}
