import CByteClubChafa

/// Cells chosen by chafa: the glyph and the two colors closest to the pixels.
enum ChafaCells {
    /// The pixels per cell in each direction. They need not be square.
    static let side = Int(BYTECLUB_CHAFA_CELL_SIDE)

    /// - Parameter pixels: 8 × 8 for each cell.
    static func cells(from pixels: PixelImage, size: CellSize) -> CellImage {
        _ = oneThread
        let blank = byteclub_chafa_cell(glyph: 0x20, foreground: -1, background: -1)
        var chosen = Array(repeating: blank, count: size.columns * size.rows)
        pixels.bytes.withUnsafeBufferPointer {
            byteclub_chafa_render($0.baseAddress, Int32(size.columns), Int32(size.rows), &chosen)
        }
        var result = CellImage(size: size)
        for (index, cell) in chosen.enumerated() {
            result.cells[index] = CellImage.Cell(
                glyph: Unicode.Scalar(cell.glyph).flatMap { $0.value < 0x20 ? nil : $0 } ?? " ",
                foreground: CellImage.Color(packed: cell.foreground),
                background: CellImage.Color(packed: cell.background))
        }
        return result
    }

    /// Runs once: chafa would otherwise start a thread per core for each picture, and slow down input.
    private static let oneThread: Void = byteclub_chafa_use_one_thread()
}

extension CellImage.Color {
    /// 0xRRGGBB; nil if negative.
    fileprivate init?(packed: Int32) {
        guard packed >= 0 else { return nil }
        self.init(
            red: UInt8(truncatingIfNeeded: packed >> 16),
            green: UInt8(truncatingIfNeeded: packed >> 8), blue: UInt8(truncatingIfNeeded: packed))
    }
}
