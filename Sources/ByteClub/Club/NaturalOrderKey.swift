/// Orders names as people expect: case ignored, numbers by value, so that `day 2` comes before `Day 10`.
///
/// Ties are broken by the exact name, so that the order is total and never flickers.
struct NaturalOrderKey: Comparable, Sendable {
    private enum Part: Equatable {
        case text(String)
        /// Digits without leading zeros: longer means larger, so numbers of any length compare.
        case number(digits: String)
    }

    private let parts: [Part]
    private let name: String

    init(_ name: String) {
        self.name = name
        var parts: [Part] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isNumber = Self.isDigit(first)
            let run = rest.prefix { Self.isDigit($0) == isNumber }
            rest = rest[run.endIndex...]
            parts.append(isNumber ? .number(digits: String(run.drop { $0 == "0" })) : .text(String(run)))
        }
        self.parts = parts
    }

    static func < (a: NaturalOrderKey, b: NaturalOrderKey) -> Bool {
        for (left, right) in zip(a.parts, b.parts) where left != right {
            switch (left, right) {
            case (.text(let left), .text(let right)): return left < right
            case (.number(let left), .number(let right)):
                return left.count == right.count ? left < right : left.count < right.count
            case (.number, .text): return true
            case (.text, .number): return false
            }
        }
        return a.parts.count == b.parts.count ? a.name < b.name : a.parts.count < b.parts.count
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
