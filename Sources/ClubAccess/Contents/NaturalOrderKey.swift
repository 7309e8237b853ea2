/// Orders names as people expect: case ignored, numbers by value, so that `day 2` comes before `Day 10`,
/// and what is before the extension first, so that `plan.txt` comes before `plan 2.txt`.
///
/// Ties are broken by the exact name, so that the order is total and never flickers.
struct NaturalOrderKey: Comparable, Sendable {
    private enum Part: Equatable {
        case text(String)
        /// Digits without leading zeros: longer means larger, so numbers of any length compare.
        case number(digits: String)
    }

    private let stem: [Part]
    private let whole: [Part]
    private let name: String

    init(_ name: String) {
        self.name = name
        let folded = name.lowercased()
        let dot = folded.lastIndex(of: ".").flatMap { $0 == folded.startIndex ? nil : $0 }
        stem = Self.parts(of: folded[..<(dot ?? folded.endIndex)])
        whole = Self.parts(of: folded[...])
    }

    private static func parts(of text: Substring) -> [Part] {
        var parts: [Part] = []
        var rest = text
        while let first = rest.first {
            let isNumber = isDigit(first)
            let run = rest.prefix { isDigit($0) == isNumber }
            rest = rest[run.endIndex...]
            parts.append(
                isNumber ? .number(digits: String(run.drop { $0 == "0" })) : .text(String(run)))
        }
        return parts
    }

    static func < (a: NaturalOrderKey, b: NaturalOrderKey) -> Bool {
        isBefore(a.stem, b.stem) ?? isBefore(a.whole, b.whole) ?? (a.name < b.name)
    }

    /// Nil when they are the same.
    private static func isBefore(_ a: [Part], _ b: [Part]) -> Bool? {
        for (left, right) in zip(a, b) where left != right {
            switch (left, right) {
            case (.text(let left), .text(let right)): return left < right
            case (.number(let left), .number(let right)):
                return left.count == right.count ? left < right : left.count < right.count
            case (.number, .text): return true
            case (.text, .number): return false
            }
        }
        return a.count == b.count ? nil : a.count < b.count
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
