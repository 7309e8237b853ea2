/// A YAML text as lines, to change some without the others.
struct YAMLLines {
    /// Without their line feeds; each keeps its carriage return, if it has one.
    let lines: [String]

    init(_ text: String) {
        // By bytes: in Swift, CRLF is one character and not a line feed.
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The line after the last one that is indented more than the key. Comments between entries belong
    /// to the following entry.
    func end(ofEntryAt key: YAMLNode) -> Int {
        var end = key.line
        for index in key.line..<max(key.line, lines.count) {
            let content = lines[index].drop { $0 == " " || $0 == "\t" }
            if content.isEmpty || content.first == "#" || content == "\r" { continue }
            guard lines[index].count - content.count >= key.column else { break }
            end = index + 1
        }
        return end
    }

    /// The file's line ending.
    private var ending: String { lines.first?.last == "\r" ? "\r" : "" }

    /// The text with other lines in place of some. Nil for lines that do not exist: YAML has more line
    /// endings than editors do.
    func replacing(_ range: Range<Int>, with new: [String]) -> String? {
        guard range.lowerBound >= 0, range.upperBound <= lines.count else { return nil }
        var result = lines
        // Adds a missing final line ending.
        if range.upperBound == result.count, result.last != "" { result.append("") }
        result.replaceSubrange(range, with: new.map { $0 + ending })
        return result.joined(separator: "\n")
    }

    /// The text with lines at its end, after an empty one.
    func appending(_ new: [String]) -> String {
        var result = lines
        if result.last == "" { result.removeLast() }
        if let last = result.last, !last.isEmpty, last != "\r" { result.append(ending) }
        return (result + new.map { $0 + ending } + [""]).joined(separator: "\n")
    }
}
