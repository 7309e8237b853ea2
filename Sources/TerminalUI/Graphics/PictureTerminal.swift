/// How pictures are displayed in a terminal.
public enum PictureProtocol: String, Hashable, Sendable, CaseIterable {
    /// As colored characters: works in every terminal.
    case blocks
    /// DEC's sixels.
    case sixel
    /// iTerm2's inline images: a whole JPEG or PNG in one sequence.
    case iterm
    /// kitty's graphics protocol, placed by characters (Unicode placeholders).
    case kitty
}

/// The user's setting.
public enum PictureSetting: String, Hashable, Sendable, CaseIterable {
    /// The best protocol that the terminal supports.
    case auto
    case kitty
    case sixel
    case iterm
    case blocks
}

/// The terminal's properties for pictures.
public struct PictureTerminal: Hashable, Sendable {
    /// The protocol.
    public var format: PictureProtocol
    /// Nil if unknown.
    public var cellPixels: CellPixels?
    /// Whether sequences must be passed through tmux to the outer terminal.
    public var isInsideTmux: Bool
    /// The color depth of characters; may increase when the terminal replies.
    public var depth: ColorDepth

    /// A terminal with the given properties.
    public init(
        _ format: PictureProtocol = .blocks, cellPixels: CellPixels? = nil,
        isInsideTmux: Bool = false, depth: ColorDepth = .direct
    ) {
        self.depth = depth
        self.format = format
        self.cellPixels = cellPixels
        self.isInsideTmux = isInsideTmux
    }

    /// A cell's width divided by its height; 0.5, close to most fonts, if unknown.
    public var cellAspect: Double {
        cellPixels.map { Double($0.width) / Double($0.height) } ?? 0.5
    }
}
