/// How the items of an ordered list are numbered.
///
/// Source: HTML standard, 4.4.5 (`start`, `reversed`, `type`).
struct ListNumbering {
    enum Style {
        case decimal, lowerLetters, upperLetters, lowerRoman, upperRoman
    }

    var style = Style.decimal
    /// From the number of items down to 1: known at the end of the list.
    var countsDownFromEnd = false
    /// From one number to the next.
    var step = 1

    init() {}

    init(_ attributes: [String: String]) {
        style =
            switch attributes["type"] {
            case "a": .lowerLetters
            case "A": .upperLetters
            case "i": .lowerRoman
            case "I": .upperRoman
            default: .decimal
            }
        if attributes["reversed"] != nil {
            step = -1
            countsDownFromEnd = attributes["start"].flatMap { Int($0) } == nil
        }
    }

    func marker(_ number: Int) -> String { text(number) + "." }

    /// The items of a list that has ended.
    func numbered(_ items: [WebListItem]) -> [WebListItem] {
        guard countsDownFromEnd else { return items }
        return items.enumerated().map { index, item in
            WebListItem(marker(items.count - index), item.blocks)
        }
    }

    private func text(_ number: Int) -> String {
        switch style {
        case .lowerLetters where number > 0: Self.letters(number)
        case .upperLetters where number > 0: Self.letters(number).uppercased()
        case .lowerRoman where (1..<4000).contains(number): Self.roman(number)
        case .upperRoman where (1..<4000).contains(number): Self.roman(number).uppercased()
        default: "\(number)"
        }
    }

    /// `a` to `z`, `aa`, `ab` and so on.
    private static func letters(_ number: Int) -> String {
        var (rest, letters): (Int, [UInt8]) = (number, [])
        while rest > 0 {
            rest -= 1
            letters.append(UInt8(ascii: "a") + UInt8(rest % 26))
            rest /= 26
        }
        return String(decoding: letters.reversed(), as: UTF8.self)
    }

    private static func roman(_ number: Int) -> String {
        let signs = [
            (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
            (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
        ]
        var rest = number
        return signs.reduce(into: "") { text, sign in
            while rest >= sign.0 {
                text += sign.1
                rest -= sign.0
            }
        }
    }
}
