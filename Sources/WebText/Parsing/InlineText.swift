/// The text of a block while it is parsed: white space is collapsed, adjacent runs of one style are joined.
struct InlineText {
    private(set) var runs: [WebRun] = []
    /// Further white space is dropped.
    private var endsWithSpace = true

    var isEmpty: Bool { runs.isEmpty }

    /// Adds text unchanged, e.g. a picture's replacement.
    mutating func append(_ text: String, _ look: WebTextLook, link: Int?, picture: Int? = nil) {
        guard !text.isEmpty || picture != nil else { return }
        if !text.isEmpty { endsWithSpace = text.hasSuffix(" ") || text.hasSuffix("\n") }
        let run = WebRun(text, look, link: link, picture: picture)
        if let last = runs.indices.last, runs[last].isLike(run) {
            runs[last].text += text
        } else {
            runs.append(run)
        }
    }

    /// The text with collapsed white space.
    func collapsed(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var isAfterSpace = endsWithSpace
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
            if isSpace, isAfterSpace { continue }
            result.append(isSpace ? 0x20 : byte)
            isAfterSpace = isSpace
        }
        return String(decoding: result, as: UTF8.self)
    }

    mutating func breakLine(_ look: WebTextLook) {
        removeTrailingSpaces()
        append("\n", look, link: nil)
    }

    /// Ends the block and returns its text.
    mutating func finish(isPreformatted: Bool) -> [WebRun] {
        if isPreformatted {
            if let last = runs.indices.last, runs[last].text.hasSuffix("\n") {
                runs[last].text.removeLast()
            }
        } else {
            while let last = runs.last, last.text.utf8.last == 0x20 || last.text.utf8.last == 0x0A {
                removeTrailingSpaces(and: 0x0A)
            }
        }
        defer { self = InlineText() }
        return runs.filter { !$0.text.isEmpty || $0.picture != nil }
    }

    private mutating func removeTrailingSpaces(and other: UInt8 = 0x20) {
        while let last = runs.indices.last {
            let kept = runs[last].text.utf8.reversed().drop { $0 == 0x20 || $0 == other }
            if kept.count == runs[last].text.utf8.count { return }
            runs[last].text = String(decoding: kept.reversed(), as: UTF8.self)
            if !runs[last].text.isEmpty { return }
            runs.removeLast()
        }
    }
}
