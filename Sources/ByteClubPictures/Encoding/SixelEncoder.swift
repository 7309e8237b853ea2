/// DEC's sixels: six rows of pixels at a time, one color after the other.
///
/// Source: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.
public struct SixelEncoder: PictureEncoder, Equatable {
    public init() {}

    public func encode(
        _ image: PixelImage, as id: UInt32, over box: CellSize, of pixels: PixelSize,
        for motion: PictureMotion
    ) -> [UInt8] {
        let indexed =
            motion == .moving ? SixelColors.standard(image) : SixelColors.chosen(for: image)
        // Sixels cannot be scaled: pixels of a smaller picture are repeated.
        return Self.write(indexed.repeated(to: pixels))
    }

    public func byteCount(perPixelFor motion: PictureMotion) -> Double {
        motion == .moving ? 3 : 2.5
    }

    static func write(_ picture: IndexedPicture) -> [UInt8] {
        let (width, height) = (picture.size.width, picture.size.height)
        var writer = SixelWriter(width: width)
        // Aspect ratio 1:1, transparent background; then the size, so that the terminal makes room once.
        writer.text("\u{1B}P0;1q\"1;1;\(width);\(height)")
        for (number, color) in picture.colors.enumerated() {
            // In percent.
            func part(_ value: UInt8) -> Int { (Int(value) * 100 + 127) / 255 }
            writer.text(
                "#\(number);2;\(part(color.red));\(part(color.green));\(part(color.blue))")
        }
        picture.pixels.withUnsafeBufferPointer { pixels in
            for top in stride(from: 0, to: height, by: 6) {
                writer.band(pixels, top: top, rowCount: min(6, height - top))
            }
        }
        writer.text("\u{1B}\\")
        return writer.bytes
    }
}

/// Writes bands of six rows.
private struct SixelWriter {
    private(set) var bytes: [UInt8] = []
    private let width: Int
    /// The sixels of a band for each color, by column; zero if unused.
    private var columns: [UInt8]
    /// The first and the last column of each color.
    private var first = [Int32](repeating: .max, count: 256)
    private var last = [Int32](repeating: -1, count: 256)

    init(width: Int) {
        self.width = width
        columns = Array(repeating: 0, count: width * 256)
        bytes.reserveCapacity(1 << 20)
    }

    mutating func text(_ text: String) { bytes += text.utf8 }

    mutating func band(_ pixels: UnsafeBufferPointer<UInt8>, top: Int, rowCount: Int) {
        let width = width
        columns.withUnsafeMutableBufferPointer { columns in
            first.withUnsafeMutableBufferPointer { first in
                last.withUnsafeMutableBufferPointer { last in
                    for row in 0..<rowCount {
                        let bit = UInt8(1) << row
                        let start = (top + row) * width
                        for x in 0..<width {
                            let color = Int(pixels[start + x])
                            columns[color * width + x] |= bit
                            let place = Int32(truncatingIfNeeded: x)
                            if place < first[color] { first[color] = place }
                            if place > last[color] { last[color] = place }
                        }
                    }
                }
            }
        }
        var isFirst = true
        for color in 0..<256 where last[color] >= 0 {
            if !isFirst { bytes.append(UInt8(ascii: "$")) }
            isFirst = false
            bytes.append(UInt8(ascii: "#"))
            number(color)
            line(color)
        }
        bytes.append(UInt8(ascii: "-"))
    }

    /// The run-length encoded sixels of one color; clears its buffer.
    private mutating func line(_ color: Int) {
        let (from, to) = (Int(first[color]), Int(last[color]))
        run(0x3F, from)
        let start = color * width
        var x = from
        while x <= to {
            let value = columns[start + x]
            var end = x
            repeat {
                columns[start + end] = 0
                end += 1
            } while end <= to && columns[start + end] == value
            run(0x3F + value, end - x)
            x = end
        }
        first[color] = .max
        last[color] = -1
    }

    @inline(__always)
    private mutating func run(_ character: UInt8, _ count: Int) {
        if count > 3 {
            bytes.append(UInt8(ascii: "!"))
            number(count)
            bytes.append(character)
        } else {
            for _ in 0..<count { bytes.append(character) }
        }
    }

    private mutating func number(_ value: Int) {
        if value >= 1000 { bytes.append(UInt8(0x30 + value / 1000 % 10)) }
        if value >= 100 { bytes.append(UInt8(0x30 + value / 100 % 10)) }
        if value >= 10 { bytes.append(UInt8(0x30 + value / 10 % 10)) }
        bytes.append(UInt8(0x30 + value % 10))
    }
}
