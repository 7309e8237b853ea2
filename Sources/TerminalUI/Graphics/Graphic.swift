import Synchronization

/// A picture in pixels, encoded for a terminal.
///
/// Created off the main actor; ``Surface/place(_:at:)`` adds it to a frame.
public struct Graphic: Sendable {
    /// How it is displayed.
    public enum Kind: Sendable {
        /// Sent once; its cells then refer to the parts that they show. Later drawing simply replaces these
        /// cells. (kitty's placeholders)
        case placeholders
        /// Drawn over the cells from the cursor's position on. (sixel, iTerm2)
        case inline
    }

    /// The number of the picture: pictures with the same number are identical.
    public let id: UInt32
    /// How the bytes are displayed.
    public let kind: Kind
    /// In cells.
    public let size: Size
    /// Sent unchanged.
    public let bytes: [UInt8]

    /// A picture from its size in cells and the bytes that draw it.
    public init(id: UInt32, _ kind: Kind, size: Size, bytes: [UInt8]) {
        self.id = id
        self.kind = kind
        self.size = size
        self.bytes = bytes
    }

    /// A number that is unique in this program, and most likely among other programs in the same terminal: 24
    /// bits, because it is encoded as a color.
    public static func makeID() -> UInt32 {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return (firstID &+ number) % 0xFF_FFFF + 1
    }

    private static let firstID = UInt32.random(in: 0..<0xFF_FFFF)
    private static let counter = Atomic<UInt32>(0)
}

extension Graphic: Hashable {
    public static func == (left: Graphic, right: Graphic) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A picture on a frame.
struct PlacedGraphic {
    let graphic: Graphic
    /// In cells of the screen.
    let rect: Rect
    /// The picture's cell at the rectangle's upper left corner.
    let part: Point
    /// The cells drawn in its place: if they are unchanged, nothing covers the picture.
    let cells: ContiguousArray<Cell>
}

extension Surface {
    /// Places a picture over cells that show the same in characters.
    ///
    /// The cells are visible where the picture cannot be shown: below a dialog, and if a picture that does
    /// not consist of cells is cut at an edge.
    public func place(_ graphic: Graphic, at point: Point) {
        let area = Rect(origin: point, size: graphic.size)
        guard !theme.isPlain,
            let rect = graphic.kind == .placeholders ? visiblePart(of: area) : visibleRect(area)
        else { return }
        let part = rect.origin - area.offset(by: windowOrigin).origin
        placedGraphics.append(
            PlacedGraphic(graphic: graphic, rect: rect, part: part, cells: cells(in: rect)))
    }
}
