/// Two pixels per cell, one above the other.
enum HalfBlockCells {
    private static let upperHalf: Unicode.Scalar = "▀"
    private static let lowerHalf: Unicode.Scalar = "▄"

    /// - Parameter pixels: `size.columns` × twice `size.rows` pixels.
    static func cells(from pixels: PixelImage, size: CellSize) -> CellImage {
        var result = CellImage(size: size)
        let stride = size.columns
        pixels.bytes.withUnsafeBytes { bytes in
            let words = bytes.bindMemory(to: UInt32.self)
            result.cells.withUnsafeMutableBufferPointer { cells in
                for row in 0..<size.rows {
                    for column in 0..<size.columns {
                        let top = words[row * 2 * stride + column]
                        let bottom = words[(row * 2 + 1) * stride + column]
                        cells[row * stride + column] = cell(
                            top: PixelImage.Pixel(stored: top).color,
                            bottom: PixelImage.Pixel(stored: bottom).color)
                    }
                }
            }
        }
        return result
    }

    /// A cell half covered by a picture, in the mean color of that half.
    ///
    /// - Parameter side: The pixels per cell in each direction.
    static func half(
        isLower: Bool, of pixels: PixelImage, _ column: Int, _ row: Int, side: Int
    ) -> CellImage.Cell {
        var (red, green, blue) = (0, 0, 0)
        let first = row * side + (isLower ? side / 2 : 0)
        for y in first..<first + side / 2 {
            for x in column * side..<(column + 1) * side {
                let pixel = pixels[x, y]
                red += Int(pixel.red)
                green += Int(pixel.green)
                blue += Int(pixel.blue)
            }
        }
        let count = side / 2 * side
        func mean(_ sum: Int) -> UInt8 { UInt8((sum + count / 2) / count) }
        return CellImage.Cell(
            glyph: isLower ? lowerHalf : upperHalf,
            foreground: CellImage.Color(red: mean(red), green: mean(green), blue: mean(blue)))
    }

    /// Equal halves become a blank, which is the cheapest for a terminal.
    private static func cell(top: CellImage.Color?, bottom: CellImage.Color?) -> CellImage.Cell {
        switch (top, bottom) {
        case (nil, nil): CellImage.Cell()
        case (let top?, nil): CellImage.Cell(glyph: upperHalf, foreground: top)
        case (nil, let bottom?): CellImage.Cell(glyph: lowerHalf, foreground: bottom)
        case (let top?, let bottom?):
            top == bottom
                ? CellImage.Cell(background: top)
                : CellImage.Cell(glyph: upperHalf, foreground: top, background: bottom)
        }
    }
}

extension PixelImage.Pixel {
    /// Four bytes in memory order.
    fileprivate init(stored word: UInt32) {
        let word = UInt32(bigEndian: word)
        self.init(
            red: UInt8(truncatingIfNeeded: word >> 24),
            green: UInt8(truncatingIfNeeded: word >> 16),
            blue: UInt8(truncatingIfNeeded: word >> 8), alpha: UInt8(truncatingIfNeeded: word))
    }
}
