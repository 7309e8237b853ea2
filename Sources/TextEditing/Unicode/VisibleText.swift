/// One thing drawn into one or two cells.
public struct Glyph: Hashable, Sendable {
    /// What to write: a printable cluster, never a control, never an escape sequence.
    public var text: String
    /// Cells it takes: 1 or 2.
    public var width: Int
    /// UTF-8 offsets of the cluster it stands for, in the text it was made from. All the
    /// characters of a substitute share the range of what they stand for.
    public var source: Range<Int>
    /// Whether it is part of a visible form like `^[` or `<U+202E>` instead of the text itself;
    /// worth a style of its own, so that the two cannot be confused.
    public var isSubstitute: Bool
    /// Whether terminals disagree about its width: move the cursor to where it must be after it.
    public var isDisputed: Bool

    public init(
        _ text: String, width: Int, source: Range<Int>, isSubstitute: Bool = false,
        isDisputed: Bool = false
    ) {
        self.text = text
        self.width = width
        self.source = source
        self.isSubstitute = isSubstitute
        self.isDisputed = isDisputed
    }
}

/// Text made safe and honest for a screen: the one door for everything that comes from outside.
///
/// Controls show as `^[`, C1 and bidirectional controls, zero-width and other invisible characters
/// as `<U+202E>`, invalid UTF-8 as `<E9>`. Joiners and variation selectors stay where they belong
/// to an emoji or a script's spelling. Combining marks without a base are on a dotted circle. Line
/// feeds and tabs are controls here: callers that lay out lines handle them first.
public struct VisibleText: Sendable, Hashable {
    /// What is drawn, from left to right, in the order of the text.
    public let glyphs: [Glyph]
    /// Cells of all glyphs together.
    public let width: Int

    /// Makes a string visible; the glyphs' sources are offsets of its UTF-8.
    public init(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8))
    }

    /// Makes bytes visible that should be UTF-8.
    public init(utf8 bytes: some Sequence<UInt8>) {
        var glyphs: [Glyph] = []
        var width = 0
        Array(bytes).withUnsafeBufferPointer { bytes in
            glyphs.reserveCapacity(bytes.count)
            Self.forEachGlyph(in: bytes) { glyph in
                glyphs.append(glyph)
                width += glyph.width
                return true
            }
        }
        self.glyphs = glyphs
        self.width = width
    }

    /// The whole text, safe to write to a terminal or a log.
    public var string: String {
        glyphs.reduce(into: "") { $0 += $1.text }
    }

    /// Calls `body` with the glyphs of a run of UTF-8, in order, until it returns false.
    ///
    /// The run must begin and end at cluster boundaries.
    public static func forEachGlyph(
        in bytes: UnsafeBufferPointer<UInt8>, _ body: (Glyph) -> Bool
    ) {
        var offset = 0
        while offset < bytes.count {
            let end = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
            let first = bytes[offset]
            if first >= 0x20, first < 0x7F, end &- offset == 1 {
                let text = String(UnicodeScalar(first))
                guard body(Glyph(text, width: 1, source: offset..<end)) else { return }
            } else {
                guard emit(offset..<end, of: bytes, body) else { return }
            }
            offset = end
        }
    }

    /// Calls `body` with the glyphs of a string's UTF-8; see `forEachGlyph(in:_:)`.
    public static func forEachGlyph(of text: some StringProtocol, _ body: (Glyph) -> Bool) {
        let fast: Void? = text.utf8.withContiguousStorageIfAvailable { forEachGlyph(in: $0, body) }
        if fast != nil { return }
        Array(text.utf8).withUnsafeBufferPointer { forEachGlyph(in: $0, body) }
    }

    /// Calls `body` with the glyphs of one cluster. Returns false as soon as it does.
    static func emit(
        _ cluster: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, _ body: (Glyph) -> Bool
    ) -> Bool {
        var isWanted = true
        ClusterShape.forEachPiece(in: bytes, cluster) { piece in
            guard isWanted else { return }
            switch piece.form {
            case .verbatim, .marks:
                let text = String(decoding: bytes[piece.bytes], as: UTF8.self)
                isWanted = body(
                    Glyph(
                        piece.form == .marks ? "\u{25CC}" + text : text, width: piece.width,
                        source: cluster, isDisputed: piece.isDisputed))
            default:
                for character in piece.form.substitute.unicodeScalars where isWanted {
                    isWanted = body(
                        Glyph(String(character), width: 1, source: cluster, isSubstitute: true))
                }
            }
        }
        return isWanted
    }
}
