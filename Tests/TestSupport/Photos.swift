import CTurboJPEG
public import Foundation

/// Real JPEGs for tests, made on the spot by libjpeg.
///
/// What they show is known: see `corners` and `wide`. Nothing here uses the `Pictures` module, so
/// that a mistake there is not made twice.
public enum Photos {
    /// A picture of four flat quarters which, shown upright, is red and green above blue and white.
    ///
    /// - Parameters:
    ///   - width: As stored, like the height.
    ///   - orientation: The EXIF orientation 1 to 8; the stored pixels are turned so that applying
    ///     it gives the picture above. No EXIF when nil.
    ///   - metadata: More EXIF to put in.
    public static func corners(
        width: Int = 96, height: Int = 64, orientation: Int? = nil, isProgressive: Bool = false,
        metadata: PhotoMetadata = PhotoMetadata(), profile: Data? = nil
    ) -> Data {
        var metadata = metadata
        metadata.orientation = orientation ?? metadata.orientation
        let quarters = storedQuarters(orientation: orientation ?? 1)
        let upper = halves(quarters[0].bytes, quarters[1].bytes, width: width)
        let lower = halves(quarters[2].bytes, quarters[3].bytes, width: width)
        var sketch = JPEGSketch(width: width, height: height, format: .rgb)
        sketch.isProgressive = isProgressive
        sketch.keepsChroma = true
        sketch.exif = metadata.marker
        sketch.profile = profile
        return sketch.encode { $0 < height / 2 ? upper : lower }
    }

    /// A grey picture, dark to the left and light to the right.
    public static func grey(width: Int = 96, height: Int = 64, isProgressive: Bool = false) -> Data
    {
        var sketch = JPEGSketch(width: width, height: height, format: .grey)
        sketch.isProgressive = isProgressive
        let row = (0..<width).map { UInt8($0 * 255 / max(1, width - 1)) }
        return sketch.encode { _ in row }
    }

    /// A picture in four inks, as Adobe's programs store them, that shows the same as `corners`.
    public static func inks(width: Int = 96, height: Int = 64, asYCCK: Bool = true) -> Data {
        // Inverted: 255 is no ink.
        let (red, green, blue, white): ([UInt8], [UInt8], [UInt8], [UInt8]) = (
            [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]
        )
        var sketch = JPEGSketch(width: width, height: height, format: asYCCK ? .ycck : .cmyk)
        sketch.keepsChroma = true
        let upper = halves(red, green, width: width)
        let lower = halves(blue, white, width: width)
        return sketch.encode { $0 < height / 2 ? upper : lower }
    }

    /// A panorama of eight upright bands, black, blue, green, cyan, red, magenta, yellow and white,
    /// 12,000 × 3,000 pixels unless said otherwise; a few hundred kilobytes.
    public static func wide(
        width: Int = 12_000, height: Int = 3_000, isProgressive: Bool = false,
        orientation: Int? = nil
    ) -> Data {
        let row = (0..<width).flatMap { column -> [UInt8] in
            let band = column * 8 / width
            return [band & 4 != 0 ? 255 : 0, band & 2 != 0 ? 255 : 0, band & 1 != 0 ? 255 : 0]
        }
        var sketch = JPEGSketch(width: width, height: height, format: .rgb)
        sketch.isProgressive = isProgressive
        sketch.exif = PhotoMetadata(orientation: orientation).marker
        return sketch.encode(repeating: row)
    }

    /// A picture of noise, about a byte for each pixel: for files that take long to send.
    ///
    /// The same seed gives the same bytes.
    public static func noise(width: Int, height: Int, seed: UInt64 = 1, quality: Int = 90) -> Data {
        var random = seed &* 2 &+ 1
        let pool = (0..<32).map { _ in
            (0..<width * 3).map { _ -> UInt8 in
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: random >> 56)
            }
        }
        var sketch = JPEGSketch(width: width, height: height, format: .rgb)
        sketch.quality = quality
        return sketch.encode { pool[($0 * 7 + $0 / 32) % pool.count] }
    }

    /// The first part of a good JPEG, as an interrupted copy leaves it.
    public static func truncated(keeping part: Double = 0.5) -> Data {
        let whole = noise(width: 160, height: 96)
        return whole.prefix(Int(Double(whole.count) * part))
    }

    /// A PNG of one red pixel, to be named .jpg.
    public static let png = Data(
        base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn"
            + "wAFAwJ/l5V3fQAAAABJRU5ErkJggg==")!

    /// A profile that is one in name only: enough for whoever copies it.
    public static func profile(for colorSpace: String = "RGB ", byteCount: Int = 600) -> Data {
        var bytes = Data(repeating: 0x2A, count: byteCount)
        bytes.replaceSubrange(16..<20, with: Data(colorSpace.utf8))
        bytes.replaceSubrange(36..<40, with: Data("acsp".utf8))
        return bytes
    }
}

extension Photos {
    /// The colours of the quarters of `corners` when it is upright.
    public enum Quarter: Sendable {
        case red, green, blue, white

        var bytes: [UInt8] {
            switch self {
            case .red: [255, 0, 0]
            case .green: [0, 255, 0]
            case .blue: [0, 0, 255]
            case .white: [255, 255, 255]
            }
        }
    }

    /// The quarters as they must be stored: first row left and right, last row left and right.
    ///
    /// EXIF 2.32, 4.6.4.A: the orientation names the side of the shown picture on which the stored
    /// first row lies, and the one on which the stored first column lies.
    private static func storedQuarters(orientation: Int) -> [Quarter] {
        let shown: [String: Quarter] = [
            "top left": .red, "top right": .green, "bottom left": .blue, "bottom right": .white,
        ]
        // (first row, last row), (first column, last column)
        let sides: [Int: (rows: (String, String), columns: (String, String))] = [
            1: (("top", "bottom"), ("left", "right")), 2: (("top", "bottom"), ("right", "left")),
            3: (("bottom", "top"), ("right", "left")), 4: (("bottom", "top"), ("left", "right")),
            5: (("left", "right"), ("top", "bottom")), 6: (("right", "left"), ("top", "bottom")),
            7: (("right", "left"), ("bottom", "top")), 8: (("left", "right"), ("bottom", "top")),
        ]
        let (rows, columns) = sides[orientation] ?? sides[1]!
        return [
            (rows.0, columns.0), (rows.0, columns.1), (rows.1, columns.0), (rows.1, columns.1),
        ].map { row, column in shown["\(row) \(column)"] ?? shown["\(column) \(row)"]! }
    }

    private static func halves(_ left: [UInt8], _ right: [UInt8], width: Int) -> [UInt8] {
        (0..<width).flatMap { $0 < width / 2 ? left : right }
    }
}

extension Photos {
    /// The same picture with EXIF before everything else that says how to turn it.
    public static func withOrientation(_ orientation: Int, _ photo: Data) -> Data {
        guard let exif = PhotoMetadata(orientation: orientation).marker else { return photo }
        let length = exif.count + 2
        let marker = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + exif
        return photo.prefix(2) + Data(marker) + photo.dropFirst(2)
    }
}
