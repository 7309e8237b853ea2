public import Foundation

/// A picture of 96 × 64 whose quarters are red, green, blue and white, in simple formats.
public enum SimpleFixtures {
    private static let (width, height) = (96, 64)

    private static let colors: [[UInt8]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255],
    ]

    private static func quarter(_ column: Int, _ row: Int) -> Int {
        (row < height / 2 ? 0 : 2) + (column < width / 2 ? 0 : 1)
    }

    private static func color(_ column: Int, _ row: Int) -> [UInt8] { colors[quarter(column, row)] }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    // MARK: - BMP

    /// With rows from the bottom, as most programs write it.
    public static var bitmap: Data {
        var bytes =
            Array("BM".utf8) + little(54 + width * height * 3, 4) + little(0, 4) + little(54, 4)
        bytes += little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
        bytes += [UInt8](repeating: 0, count: 24)
        for row in (0..<height).reversed() {
            for column in 0..<width { bytes += color(column, row).reversed() }
        }
        return Data(bytes)
    }

    // MARK: - PNM

    public static var pixmap: Data {
        var bytes = Array("P6\n# a comment\n96 64\n255\n".utf8)
        for row in 0..<height { for column in 0..<width { bytes += color(column, row) } }
        return Data(bytes)
    }

    // MARK: - GIF

    /// - Parameter transparent: The quarter that is transparent.
    public static func gif(transparent: Int? = nil) -> Data {
        var bytes = Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x81, 0, 0]
        bytes += colors.joined()
        if let transparent {
            bytes += [0x21, 0xF9, 4, 1, 0, 0, UInt8(transparent), 0]
        }
        bytes += [0x2C] + little(0, 4) + little(width, 2) + little(height, 2) + [0, 2]
        // Codes of three bits. The table is cleared before its codes would need a fourth.
        var (bits, bitCount, data) = (0, 0, [UInt8]())
        func add(_ code: Int) {
            bits |= code << bitCount
            bitCount += 3
            while bitCount >= 8 {
                data.append(UInt8(truncatingIfNeeded: bits))
                (bits, bitCount) = (bits >> 8, bitCount - 8)
            }
        }
        for row in 0..<height {
            for column in 0..<width {
                if column % 2 == 0 { add(4) }
                add(quarter(column, row))
            }
        }
        add(5)
        if bitCount > 0 { data.append(UInt8(truncatingIfNeeded: bits)) }
        for start in stride(from: 0, to: data.count, by: 255) {
            let block = data[start..<min(data.count, start + 255)]
            bytes += [UInt8(block.count)] + block
        }
        return Data(bytes + [0, 0x3B])
    }

    // MARK: - TIFF

    public struct TIFFOptions {
        public var isLittleEndian: Bool
        /// Nil for strips of 10 rows.
        public var tileSide: Int?
        public var orientation: Int
        public var hasAlpha: Bool
        /// Entries with an ASCII text.
        public var texts: [Int: String]
        /// More entries with a short number.
        public var numbers: [Int: Int]

        public init(
            isLittleEndian: Bool = true, tileSide: Int? = nil, orientation: Int = 1,
            hasAlpha: Bool = false, texts: [Int: String] = [:], numbers: [Int: Int] = [:]
        ) {
            self.isLittleEndian = isLittleEndian
            self.tileSide = tileSide
            self.orientation = orientation
            self.hasAlpha = hasAlpha
            self.texts = texts
            self.numbers = numbers
        }
    }

    public static func tiff(_ options: TIFFOptions = TIFFOptions()) -> Data {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            options.isLittleEndian ? little(value, count) : little(value, count).reversed()
        }
        func pixel(_ column: Int, _ row: Int) -> [UInt8] {
            guard column < width, row < height else {
                return [UInt8](repeating: 0, count: options.hasAlpha ? 4 : 3)
            }
            let alpha: UInt8 = quarter(column, row) == 1 ? 0 : 255
            return color(column, row) + (options.hasAlpha ? [alpha] : [])
        }
        var pieces: [[UInt8]] = []
        if let side = options.tileSide {
            for top in stride(from: 0, to: height, by: side) {
                for left in stride(from: 0, to: width, by: side) {
                    pieces.append(
                        (top..<top + side).flatMap { row in
                            (left..<left + side).flatMap { pixel($0, row) }
                        })
                }
            }
        } else {
            for top in stride(from: 0, to: height, by: 10) {
                pieces.append(
                    (top..<min(height, top + 10)).flatMap { row in
                        (0..<width).flatMap { pixel($0, row) }
                    })
            }
        }
        var bytes = Array((options.isLittleEndian ? "II" : "MM").utf8) + number(42, 2)
        bytes += number(0, 4)
        var offsets: [Int] = []
        for piece in pieces {
            offsets.append(bytes.count)
            bytes += piece
        }
        let samples = options.hasAlpha ? 4 : 3
        var fields: [(tag: Int, type: Int, values: [Int])] = [
            (0x100, 3, [width]), (0x101, 3, [height]),
            (0x102, 3, [Int](repeating: 8, count: samples)), (0x103, 3, [1]), (0x106, 3, [2]),
            (0x112, 3, [options.orientation]), (0x115, 3, [samples]), (0x11C, 3, [1]),
        ]
        if options.hasAlpha { fields.append((0x152, 3, [2])) }
        if let side = options.tileSide {
            fields += [(0x142, 3, [side]), (0x143, 3, [side]), (0x144, 4, offsets)]
            fields.append((0x145, 4, pieces.map(\.count)))
        } else {
            fields += [(0x111, 4, offsets), (0x116, 3, [10]), (0x117, 4, pieces.map(\.count))]
        }
        fields += options.numbers.map { ($0.key, 3, [$0.value]) }
        fields += options.texts.map { ($0.key, 2, $0.value.utf8.map(Int.init) + [0]) }
        fields.sort { $0.tag < $1.tag }
        var directory = number(fields.count, 2)
        for field in fields {
            let unit = field.type == 3 ? 2 : field.type == 4 ? 4 : 1
            var value = field.values.flatMap { number($0, unit) }
            directory +=
                number(field.tag, 2) + number(field.type, 2) + number(field.values.count, 4)
            if value.count > 4 {
                if bytes.count % 2 == 1 { bytes.append(0) }
                directory += number(bytes.count, 4)
                bytes += value
            } else {
                value += [UInt8](repeating: 0, count: 4 - value.count)
                directory += value
            }
        }
        if bytes.count % 2 == 1 { bytes.append(0) }
        bytes.replaceSubrange(4..<8, with: number(bytes.count, 4))
        return Data(bytes + directory + number(0, 4))
    }
}
