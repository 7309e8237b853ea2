/// Encodes pixels for a terminal.
///
/// A value type; encoding runs on the calling thread.
public protocol PictureEncoder: Sendable {
    /// The sequences that show a picture in a rectangle of cells.
    ///
    /// - Parameters:
    ///   - id: The picture's number in protocols that have one.
    ///   - box: The cells; the picture fills them, whatever its aspect ratio.
    ///   - pixels: The size of the cells in pixels; the picture may have fewer.
    ///   - motion: Fast for moving pictures, else in the best quality.
    func encode(
        _ image: PixelImage, as id: UInt32, over box: CellSize, of pixels: PixelSize,
        for motion: PictureMotion
    ) -> [UInt8]

    /// The approximate number of encoded bytes per pixel.
    func byteCount(perPixelFor motion: PictureMotion) -> Double
}

/// Whether a picture is moving or at rest.
public enum PictureMotion: Sendable, Hashable {
    case moving
    case resting
}

/// Sequences for the terminal outside of tmux.
///
/// Source: tmux(1), `allow-passthrough`: each Esc is doubled.
enum Passthrough {
    static let start = Array("\u{1B}Ptmux;".utf8)
    static let end: [UInt8] = [0x1B, 0x5C]
}
