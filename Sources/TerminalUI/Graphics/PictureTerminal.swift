/// How pictures reach a terminal.
public enum PictureProtocol: String, Hashable, Sendable, CaseIterable {
    /// As colored characters: every terminal can.
    case blocks
    /// DEC's sixels.
    case sixel
    /// iTerm2's inline images: a whole JPEG or PNG in one sequence.
    case iterm
    /// kitty's graphics protocol, placed by characters (Unicode placeholders).
    case kitty
}

/// What the person wants of it.
public enum PictureSetting: String, Hashable, Sendable, CaseIterable {
    /// The best that the terminal says it can.
    case auto
    case kitty
    case sixel
    case iterm
    case blocks
}

/// What is known of a terminal for showing pictures.
public struct PictureTerminal: Hashable, Sendable {
    /// How pictures are shown on it.
    public var format: PictureProtocol
    /// Nil where the terminal does not say.
    public var cellPixels: CellPixels?
    /// Whether sequences have to be handed through tmux to the terminal around it.
    public var isInsideTmux: Bool
    /// Of the characters; the terminal may turn out to have more than was thought.
    public var depth: ColorDepth

    /// A terminal of which nothing is known but what is given.
    public init(
        _ format: PictureProtocol = .blocks, cellPixels: CellPixels? = nil,
        isInsideTmux: Bool = false, depth: ColorDepth = .direct
    ) {
        self.depth = depth
        self.format = format
        self.cellPixels = cellPixels
        self.isInsideTmux = isInsideTmux
    }

    /// A cell's width over its height; 0.5, which most fonts are near, where it is not known.
    public var cellAspect: Double {
        cellPixels.map { Double($0.width) / Double($0.height) } ?? 0.5
    }
}
