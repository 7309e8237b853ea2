/// How the builder handles an element.
enum HTMLElement {
    case skipped
    case title, base
    /// Begins and ends a line.
    case block
    case heading(Int)
    /// A block with a style.
    case lookedBlock(WebTextLook)
    case look(WebTextLook)
    case quotation, preformatted
    case list(isOrdered: Bool)
    case item, definition
    case table, row, cell(isHeading: Bool)
    case link, frame, image, input, choice, quote
    case lineBreak, wordBreak, rule

    static let named: [String: HTMLElement] = {
        var all: [String: HTMLElement] = [
            "title": .title, "base": .base, "blockquote": .quotation, "ul": .list(isOrdered: false),
            "menu": .list(isOrdered: false), "dir": .list(isOrdered: false),
            "ol": .list(isOrdered: true), "li": .item, "dd": .definition, "table": .table,
            "tr": .row, "td": .cell(isHeading: false), "th": .cell(isHeading: true), "a": .link,
            "iframe": .frame, "frame": .frame, "img": .image, "input": .input, "select": .choice,
            "q": .quote, "br": .lineBreak, "wbr": .wordBreak, "hr": .rule,
        ]
        let groups: [(HTMLElement, String)] = [
            (
                .skipped,
                "script style template svg canvas datalist audio video object embed applet math "
                    + "noframes map"
            ),
            (
                .block,
                "p div section article header footer main nav aside address figure form fieldset "
                    + "details center hgroup dl body html search dialog"
            ),
            (.lookedBlock(.strong), "dt caption legend summary"),
            (.lookedBlock(.emphasis), "figcaption"),
            (.look(.emphasis), "em i cite var dfn"), (.look(.strong), "strong b mark"),
            (.look(.code), "code kbd samp tt"), (.look(.deleted), "del s strike"),
            (.preformatted, "pre listing xmp plaintext textarea"),
        ]
        for (element, names) in groups {
            for name in names.split(separator: " ") { all[String(name)] = element }
        }
        for level in 1...6 { all["h\(level)"] = .heading(level) }
        return all
    }()
}
