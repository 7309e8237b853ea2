/// iTerm2's inline images: a JPEG in one sequence.
///
/// Source: iTerm2's documentation, "Inline Images Protocol".
public struct InlineImageEncoder: PictureEncoder, Equatable {
    /// Whether the sequences pass through tmux.
    public var isInsideTmux: Bool

    public init(isInsideTmux: Bool = false) { self.isInsideTmux = isInsideTmux }

    public func encode(
        _ image: PixelImage, as id: UInt32, over box: CellSize, of pixels: PixelSize,
        for motion: PictureMotion
    ) -> [UInt8] {
        let quality = motion == .moving ? 0.6 : 0.88
        // If encoding fails, nothing is drawn; the characters below stay visible.
        guard let file = try? image.jpegData(quality: quality) else { return [] }
        let head =
            "]1337;File=inline=1;size=\(file.count);width=\(box.columns);height=\(box.rows)"
            + ";preserveAspectRatio=0:"
        let escape: [UInt8] = isInsideTmux ? [0x1B, 0x1B] : [0x1B]
        return (isInsideTmux ? Passthrough.start : []) + escape + head.utf8
            + Base64Text.encode(file) + [0x07] + (isInsideTmux ? Passthrough.end : [])
    }

    public func byteCount(perPixelFor motion: PictureMotion) -> Double {
        motion == .moving ? 0.2 : 0.5
    }
}
