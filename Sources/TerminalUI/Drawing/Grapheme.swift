import Synchronization

/// A grapheme as a number: a scalar's own value, or the index of a longer cluster in a table.
///
/// Numbers compare and copy without reference counting, which matters for frames of thousands of cells.
public struct Grapheme: Hashable, Sendable {
    let bits: UInt32

    private static let clusterFlag: UInt32 = 1 << 31
    private static let placeholderFlag: UInt32 = 1 << 30
    private static let holeFlag: UInt32 = 1 << 29

    private init(bits: UInt32) { self.bits = bits }

    /// A part of a picture that is displayed through characters; rows and columns are those of the picture.
    static func placeholder(row: Int, column: Int) -> Grapheme {
        Grapheme(bits: placeholderFlag | UInt32(row & 511) << 9 | UInt32(column & 511))
    }

    /// The cell below a picture that is drawn over cells.
    static let hole = Grapheme(bits: holeFlag)

    /// The part of a picture, if it is one.
    var placeholder: (row: Int, column: Int)? {
        guard bits & Self.clusterFlag == 0, bits & Self.placeholderFlag != 0 else { return nil }
        return (Int(bits >> 9 & 511), Int(bits & 511))
    }

    /// Whether it belongs to a picture of pixels.
    var isOfPicture: Bool {
        bits & Self.clusterFlag == 0 && bits & (Self.placeholderFlag | Self.holeFlag) != 0
    }

    /// A grapheme of one scalar.
    public init(_ scalar: Unicode.Scalar) { bits = scalar.value }

    /// A cluster of one scalar or more. An empty one becomes a space.
    public init(cluster: some StringProtocol) {
        let scalars = cluster.unicodeScalars
        guard let first = scalars.first else {
            self = .space
            return
        }
        if scalars.index(after: scalars.startIndex) == scalars.endIndex {
            bits = first.value
        } else if let index = ClusterTable.index(of: String(cluster)) {
            bits = Self.clusterFlag | index
        } else {
            bits = first.value
        }
    }

    /// The grapheme of an empty cell.
    public static let space = Grapheme(" ")

    /// The grapheme as text.
    public var text: String {
        if bits & Self.clusterFlag != 0 {
            return ClusterTable.text(at: bits & ~Self.clusterFlag)
        }
        if let placeholder {
            return KittyPlaceholder.text(row: placeholder.row, column: placeholder.column)
        }
        return Unicode.Scalar(bits).map { String($0) } ?? " "
    }

    /// The only scalar of the grapheme; nil for a longer cluster.
    public var scalar: Unicode.Scalar? {
        bits & Self.clusterFlag == 0 ? Unicode.Scalar(bits) : nil
    }
}

extension Grapheme: ExpressibleByUnicodeScalarLiteral {
    public init(unicodeScalarLiteral value: Unicode.Scalar) { self.init(value) }
}

/// The clusters seen so far, numbered in order of appearance.
private enum ClusterTable {
    private struct State {
        var texts: [String] = []
        var indices: [String: UInt32] = [:]
    }

    private static let state = Mutex(State())

    /// Foreign text may contain any number of clusters: beyond this limit, new ones are reduced to their
    /// first scalar.
    private static let limit = 1 << 16

    static func index(of text: String) -> UInt32? {
        state.withLock { state in
            if let index = state.indices[text] { return index }
            guard state.texts.count < limit else { return nil }
            let index = UInt32(state.texts.count)
            state.texts.append(text)
            state.indices[text] = index
            return index
        }
    }

    static func text(at index: UInt32) -> String {
        state.withLock { state in
            state.texts.indices.contains(Int(index)) ? state.texts[Int(index)] : " "
        }
    }
}
