/// Scales a picture by averaging the area under each new pixel, row by row, so that the large picture need
/// not be in memory.
///
/// Add rows from top to bottom with `add`; `finish` returns the result. Enlarging repeats pixels with soft
/// edges.
final class AreaScaler {
    private let source: PixelSize
    private var image: PixelImage
    private let columns: [Span]
    /// Source rows per row of the result.
    private let rowStep: Double
    /// Where the first row of the result begins, in source rows.
    private let firstRow: Double
    private let scale: Float

    private let line: UnsafeMutableBufferPointer<Float>
    private let sum: UnsafeMutableBufferPointer<Float>
    private var nextSourceRow = 0
    private var nextRow = 0
    private let copiesRows: Bool

    /// The source pixels under one pixel of the result, along one axis: a fraction of the first, the whole of
    /// those between, a fraction of the last.
    private struct Span {
        let first: Int
        let last: Int
        let firstWeight: Float
        let lastWeight: Float
    }

    /// - Parameters:
    ///   - source: The size of the source.
    ///   - area: The part of the source to scale, inside it, in its pixels; nil for all of it.
    ///   - background: The color where rows are missing.
    init(
        from source: PixelSize, area: PixelRegion? = nil, to size: PixelSize,
        background: PixelImage.Pixel = PixelImage.Pixel(red: 0, green: 0, blue: 0, alpha: 0)
    ) {
        let area = area ?? PixelRegion(whole: source)
        self.source = source
        image = PixelImage(size: size, filledWith: background)
        copiesRows = size == source && area == PixelRegion(whole: source)

        let columnStep = area.width / Double(size.width)
        rowStep = area.height / Double(size.height)
        firstRow = area.y
        scale = Float(1 / (columnStep * rowStep))
        columns = (0..<size.width).map { column in
            let start = min(max(0, area.x + Double(column) * columnStep), Double(source.width))
            let end = min(start + columnStep, Double(source.width))
            let first = min(Int(start), source.width - 1)
            let last = min(max(first, Int(end.rounded(.up)) - 1), source.width - 1)
            return first == last
                ? Span(
                    first: first, last: last, firstWeight: Float(columnStep), lastWeight: 0)
                : Span(
                    first: first, last: last, firstWeight: Float(Double(first + 1) - start),
                    lastWeight: Float(end - Double(last)))
        }
        line = .allocate(capacity: size.width * 4)
        line.initialize(repeating: 0)
        sum = .allocate(capacity: size.width * 4)
        sum.initialize(repeating: 0)
    }

    deinit {
        line.deallocate()
        sum.deallocate()
    }

    /// Adds the next row of the source, `source.width` RGBA pixels.
    func add(row: UnsafePointer<UInt8>) {
        defer { nextSourceRow += 1 }
        let size = image.size
        guard nextSourceRow < source.height, nextRow < size.height else { return }
        if copiesRows {
            image.bytes.withUnsafeMutableBytes { bytes in
                (bytes.baseAddress! + nextRow * size.width * 4)
                    .copyMemory(from: row, byteCount: size.width * 4)
            }
            nextRow += 1
            return
        }

        let top = Double(nextSourceRow)
        let bottom = top + 1
        guard bottom > firstRow else { return }
        average(row)
        while nextRow < size.height {
            let start = firstRow + Double(nextRow) * rowStep
            let end = start + rowStep
            let overlap = min(end, bottom) - max(start, top)
            if overlap > 0 {
                let weight = Float(overlap)
                for index in 0..<line.count { sum[index] += line[index] * weight }
            }
            // Tolerates rounding errors at the end of a row.
            guard end <= bottom + 1e-6 else { return }
            emit()
        }
    }

    /// The result. Missing rows have the background color.
    func finish() -> PixelImage {
        image
    }

    /// Averages a row of the source along the row into `line`.
    private func average(_ row: UnsafePointer<UInt8>) {
        var target = line.baseAddress!
        columns.withUnsafeBufferPointer { columns in
            for span in columns {
                var pixel = row + span.first * 4
                var red = Float(pixel[0]) * span.firstWeight
                var green = Float(pixel[1]) * span.firstWeight
                var blue = Float(pixel[2]) * span.firstWeight
                var alpha = Float(pixel[3]) * span.firstWeight
                if span.last > span.first {
                    var (reds, greens, blues, alphas): (UInt32, UInt32, UInt32, UInt32) = (
                        0, 0, 0, 0
                    )
                    var remaining = span.last - span.first - 1
                    pixel += 4
                    while remaining > 0 {
                        reds &+= UInt32(pixel[0])
                        greens &+= UInt32(pixel[1])
                        blues &+= UInt32(pixel[2])
                        alphas &+= UInt32(pixel[3])
                        pixel += 4
                        remaining &-= 1
                    }
                    red += Float(reds) + Float(pixel[0]) * span.lastWeight
                    green += Float(greens) + Float(pixel[1]) * span.lastWeight
                    blue += Float(blues) + Float(pixel[2]) * span.lastWeight
                    alpha += Float(alphas) + Float(pixel[3]) * span.lastWeight
                }
                target[0] = red
                target[1] = green
                target[2] = blue
                target[3] = alpha
                target += 4
            }
        }
    }

    /// Writes the sums as the next row of the result and starts over.
    private func emit() {
        let offset = nextRow * sum.count
        image.bytes.withUnsafeMutableBufferPointer { bytes in
            for index in 0..<sum.count {
                bytes[offset + index] = UInt8(min(255, max(0, sum[index] * scale + 0.5)))
                sum[index] = 0
            }
        }
        nextRow += 1
    }
}
