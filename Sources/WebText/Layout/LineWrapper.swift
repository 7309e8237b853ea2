import TextEditing

/// Fills lines with words in several styles.
///
/// Lines break at spaces, around wide characters (but not before closing punctuation), at zero-width spaces,
/// and inside words that are longer than a line.
struct LineWrapper {
    private let width: Int
    private let room: PictureRoom
    private(set) var lines: [WebLine] = []
    private var line: [WebRun] = []
    private var lineWidth = 0
    private var word: [WebRun] = []
    private var wordWidth = 0
    /// The space between line and word; nil if they are adjacent.
    private var space: WebRun?
    /// Whether the word ends with a wide character, after which a line may break.
    private var endsWide = false
    private var endsOpening = false

    init(width: Int, _ room: PictureRoom = PictureRoom()) {
        self.width = max(1, width)
        self.room = room
    }

    static func wrap(_ runs: [WebRun], width: Int, _ room: PictureRoom) -> [WebLine] {
        var wrapper = LineWrapper(width: width, room)
        for run in runs {
            guard let picture = run.picture else {
                wrapper.add(run)
                continue
            }
            wrapper.add(picture, run)
        }
        return wrapper.finish()
    }

    /// Preformatted lines, cut only if they exceed the width.
    static func cut(_ runs: [WebRun], width: Int, _ room: PictureRoom) -> [WebLine] {
        var wrapper = LineWrapper(width: width, room)
        for run in runs {
            if let picture = run.picture {
                wrapper.add(picture, run)
                continue
            }
            let parts = run.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 { wrapper.breakLine(isWrapped: false) }
                wrapper.addWhole(String(part), like: run)
            }
        }
        return wrapper.finish()
    }

    mutating func add(_ run: WebRun) {
        let utf8 = run.text.utf8
        var start = utf8.startIndex
        var count = 0
        var isASCII = true
        for index in utf8.indices {
            let byte = utf8[index]
            guard byte == 0x20 || byte == 0x0A else {
                isASCII = isASCII && byte < 0x7F && byte > 0x20
                count += 1
                continue
            }
            let piece = run.text[start..<index]
            if isASCII, word.isEmpty, count <= width {
                // Fast path for a whole word.
                if count > 0 { place(piece, count, like: run) }
            } else {
                addPiece(piece, like: run)
                endWord()
            }
            if byte == 0x0A {
                breakLine(isWrapped: false)
            } else {
                space = WebRun(" ", run.look, link: run.link, picture: run.picture)
            }
            start = utf8.index(after: index)
            (count, isASCII) = (0, true)
        }
        addPiece(run.text[start...], like: run)
    }

    mutating func finish() -> [WebLine] {
        endWord()
        if !line.isEmpty || lines.isEmpty { lines.append(WebLine(line)) }
        return lines
    }

    // MARK: - Pictures

    /// Adds a picture on separate lines, or its replacement text.
    private mutating func add(_ picture: Int, _ run: WebRun) {
        guard let box = room.box(for: picture, width: width) else {
            var run = run
            // A placeholder is needed to detect that the picture is near.
            if run.text.isEmpty, room.awaits(picture) { run.text = "[…]" }
            return add(run)
        }
        endWord()
        if lineWidth > 0 { breakLine(isWrapped: true) }
        let row = WebRun(
            String(repeating: " ", count: box.columns), run.look.union(.picture), link: run.link,
            picture: picture)
        for _ in 0..<box.rows { lines.append(WebLine([row], isWrapped: true)) }
        space = nil
    }

    // MARK: - Words

    /// Adds text without spaces to the word.
    private mutating func addPiece(_ text: Substring, like run: WebRun) {
        guard !text.isEmpty else { return }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            if endsWide, !Self.closes(text.unicodeScalars.first) { endWord() }
            addToWord(String(text), CellWidth.of(text), like: run)
            endsWide = false
            endsOpening = Self.opens(text.unicodeScalars.last)
            return
        }
        for cluster in GraphemeClusters.of(text) {
            if cluster == "\u{200B}" {
                endWord()
                continue
            }
            if cluster == "\u{AD}" { continue }
            let shown = cluster == "\u{A0}" ? " " : Self.bounded(cluster)
            let cells = CellWidth.of(shown)
            let isWide = cells == 2 && shown.utf8.count >= 3
            if isWide || endsWide, !endsOpening, !Self.closes(cluster.unicodeScalars.first) {
                endWord()
            }
            addToWord(shown, cells, like: run)
            endsWide = isWide
            endsOpening = Self.opens(cluster.unicodeScalars.last)
        }
    }

    private mutating func addToWord(_ text: String, _ cells: Int, like run: WebRun) {
        Self.append(text, like: run, to: &word)
        wordWidth += cells
    }

    private mutating func endWord() {
        defer {
            word = []
            wordWidth = 0
            endsWide = false
            endsOpening = false
        }
        guard !word.isEmpty else { return }
        makeRoom(for: wordWidth)
        if wordWidth <= width {
            for run in word { Self.append(run.text, like: run, to: &line) }
            lineWidth += wordWidth
        } else {
            for run in word { addInPieces(run.text, like: run) }
        }
    }

    /// Appends a word that fits into a line.
    private mutating func place(_ word: Substring, _ cells: Int, like run: WebRun) {
        makeRoom(for: cells)
        Self.append(word, like: run, to: &line)
        lineWidth += cells
    }

    /// Begins a new line if a word does not fit, else adds the space before it.
    private mutating func makeRoom(for cells: Int) {
        let gap = space == nil || lineWidth == 0 ? 0 : 1
        if lineWidth > 0, lineWidth + gap + cells > width { breakLine(isWrapped: true) }
        if let space, lineWidth > 0 {
            Self.append(" ", like: space, to: &line)
            lineWidth += 1
        }
        space = nil
    }

    private mutating func breakLine(isWrapped: Bool) {
        lines.append(WebLine(line, isWrapped: isWrapped))
        line = []
        lineWidth = 0
        space = nil
    }

    // MARK: - Text that is too long

    /// Adds text cell by cell, with tabs to every eighth column.
    private mutating func addWhole(_ text: String, like run: WebRun) {
        let parts = text.split(separator: "\t", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index > 0 {
                addInPieces(String(repeating: " ", count: 8 - lineWidth % 8), like: run)
            }
            addInPieces(String(part.replacing("\u{A0}", with: " ")), like: run)
        }
    }

    private mutating func addInPieces(_ text: String, like run: WebRun) {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            var rest = Substring(text).utf8
            while !rest.isEmpty {
                if lineWidth >= width { breakLine(isWrapped: true) }
                let piece = rest.prefix(width - lineWidth)
                rest = rest.dropFirst(piece.count)
                Self.append(String(Substring(piece)), like: run, to: &line)
                lineWidth += piece.count
            }
            return
        }
        for cluster in GraphemeClusters.of(text).map(Self.bounded) {
            let cells = CellWidth.of(cluster)
            if lineWidth > 0, lineWidth + cells > width { breakLine(isWrapped: true) }
            // A cluster wider than a line must be placed somewhere.
            Self.append(cluster, like: run, to: &line)
            lineWidth += cells
        }
    }

    /// A cluster with too many marks is replaced.
    private static func bounded(_ cluster: String) -> String {
        cluster.utf8.count > 32 && CellWidth.of(cluster) > 16 ? "\u{FFFD}" : cluster
    }

    private static func append(
        _ text: some StringProtocol, like run: WebRun, to line: inout [WebRun]
    ) {
        if let last = line.indices.last, line[last].isLike(run) {
            line[last].text += text
        } else {
            line.append(WebRun(String(text), run.look, link: run.link, picture: run.picture))
        }
    }

    // MARK: - Punctuation

    private static func closes(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return ",.:;!?)]}%、。，．：；？！）］｝」』】〉》〕ー々…".unicodeScalars.contains(scalar)
    }

    private static func opens(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return "([{（［｛「『【〈《〔".unicodeScalars.contains(scalar)
    }
}
