/// Writes pixels as a terminal reads them.
///
/// A value; encoding runs on the calling thread.
public protocol PictureEncoder: Sendable {
    /// The sequences that show a picture over a rectangle of cells.
    ///
    /// - Parameters:
    ///   - id: The number by which the terminal knows it, where it does.
    ///   - box: The cells; the picture fills them whatever its shape.
    ///   - pixels: Those of the cells, in all; the picture may have fewer.
    ///   - motion: Quick for pictures that move, else as good as can be.
    func encode(
        _ image: PixelImage, as id: UInt32, over box: CellSize, of pixels: PixelSize,
        for motion: PictureMotion
    ) -> [UInt8]

    /// About how many bytes a pixel becomes.
    func byteCount(perPixelFor motion: PictureMotion) -> Double
}

/// Whether a picture is looked at or flies by.
public enum PictureMotion: Sendable, Hashable {
    case moving
    case resting
}

/// Sequences for the terminal around tmux.
///
/// Source: tmux(1), `allow-passthrough`: each Esc is doubled.
enum Passthrough {
    static let start = Array("\u{1B}Ptmux;".utf8)
    static let end: [UInt8] = [0x1B, 0x5C]
}
