/// Words and names of a server's for people, on their way into a sentence or onto a screen.
///
/// Their cost is bounded too: nothing behind the limit is looked at.
package enum ServerText {
    /// Enough for a sentence or two; an error page has none.
    static let characterLimit = 200

    /// Words in one line, without control characters, cut with “…” where they are long; empty for a
    /// web page.
    package static func line(_ text: String) -> String {
        var line = ""
        for scalar in beginning(of: text) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if !line.isEmpty, line.last != " " { line += " " }
            default: line.unicodeScalars.append(scalar)
            }
        }
        if line.last == " " { line.removeLast() }
        guard !isPage(line) else { return "" }
        return cut(line, isPart: isLong(text))
    }

    /// A name unchanged, truncated with “…” if it is long.
    package static func name(_ text: String) -> String {
        cut(String(beginning(of: text)), isPart: isLong(text))
    }

    /// One character can have any number of combining marks.
    private static func beginning(of text: String) -> Substring.UnicodeScalarView {
        text.unicodeScalars.prefix(characterLimit * 4)
    }

    private static func isLong(_ text: String) -> Bool {
        beginning(of: text).endIndex < text.unicodeScalars.endIndex
    }

    private static func cut(_ text: String, isPart: Bool) -> String {
        guard isPart || text.count > characterLimit else { return text }
        return text.prefix(characterLimit - 1) + "…"
    }

    private static func isPage(_ line: String) -> Bool {
        let beginning = line.prefix(16).lowercased()
        return ["<!doctype", "<html", "<?xml", "<head", "<body"].contains(
            where: beginning.hasPrefix)
    }
}
