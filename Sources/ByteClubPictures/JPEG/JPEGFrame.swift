/// A frame header, parsed without libjpeg.
///
/// Source: ITU-T T.81, B.2.2.
struct JPEGFrame: Sendable {
    struct Component: Sendable {
        let identifier: UInt8
        /// The sampling factors, relative to other components'.
        let horizontal: Int
        let vertical: Int
    }

    let size: PixelSize
    let isProgressive: Bool
    let components: [Component]

    /// Nil if it is truncated or invalid: libjpeg then reports the error.
    init?(code: UInt8, content: [UInt8]) {
        guard content.count >= 6, content.count >= 6 + 3 * Int(content[5]) else { return nil }
        size = PixelSize(
            width: Int(content[3]) << 8 | Int(content[4]),
            height: Int(content[1]) << 8 | Int(content[2]))
        components = (0..<Int(content[5])).map { index in
            let start = 6 + 3 * index
            return Component(
                identifier: content[start], horizontal: Int(content[start + 1] >> 4),
                vertical: Int(content[start + 1] & 0x0F))
        }
        // SOF2, 6, 10 and 14.
        isProgressive = code & 3 == 2
        guard size.width > 0, size.height > 0, (1...4).contains(components.count),
            components.allSatisfy({
                (1...4).contains($0.horizontal) && (1...4).contains($0.vertical)
            })
        else { return nil }
    }

    /// The number of blocks of 8 × 8 samples by component identifier.
    var blocks: [Int32: Int] {
        Dictionary(
            grid.map { (Int32($0.identifier), $0.columns * $0.rows) }, uniquingKeysWith: +)
    }

    /// The bytes that libjpeg needs for all coefficients: each array is rounded up to whole units, at most
    /// four more blocks in each direction, and aligned to a page.
    var coefficientByteCount: Int {
        grid.reduce(0) { $0 + (($1.columns + 4) * ($1.rows + 4) * 128 + 4095) / 4096 * 4096 }
    }

    private var grid: [(identifier: UInt8, columns: Int, rows: Int)] {
        let horizontal = components.map(\.horizontal).max() ?? 1
        let vertical = components.map(\.vertical).max() ?? 1
        func count(_ length: Int, _ factor: Int, of largest: Int) -> Int {
            (length * factor + largest * 8 - 1) / (largest * 8)
        }
        return components.map { component in
            (
                component.identifier, count(size.width, component.horizontal, of: horizontal),
                count(size.height, component.vertical, of: vertical)
            )
        }
    }
}
