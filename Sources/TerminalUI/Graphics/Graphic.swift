import Synchronization

/// A picture of real pixels, ready for the terminal it was made for.
///
/// Made anywhere, off the main actor; ``Surface/place(_:at:)`` puts it on a frame.
public struct Graphic: Sendable {
    /// How it comes onto the screen.
    public enum Kind: Sendable {
        /// Sent once; then each of its cells names the part of it that it shows. What is drawn on the
        /// cells later simply takes their place. (kitty's placeholders)
        case placeholders
        /// Drawn from the cursor's place on, over the cells. (sixel, iTerm2)
        case inline
    }

    /// The number of the picture: two with the same number are the same picture.
    public let id: UInt32
    /// How the bytes come onto the screen.
    public let kind: Kind
    /// In cells.
    public let size: Size
    /// Sent as they are.
    public let bytes: [UInt8]

    /// A picture of so many cells from the sequences that draw it.
    public init(id: UInt32, _ kind: Kind, size: Size, bytes: [UInt8]) {
        self.id = id
        self.kind = kind
        self.size = size
        self.bytes = bytes
    }

    /// A number that no other picture of this program has, and hardly one of another program's in the
    /// same terminal: 24 bits, for they travel as a color.
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
    /// The cell of the picture that is at the rectangle's upper left corner.
    let part: Point
    /// What was drawn there for who sees no pixels: as long as it is, nothing lies over it.
    let cells: ContiguousArray<Cell>
}

extension Surface {
    /// Puts a picture over cells that show the same in characters.
    ///
    /// They are what is seen where the picture cannot be shown: beneath a box, and where an edge cuts one that
    /// is not made of cells.
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
