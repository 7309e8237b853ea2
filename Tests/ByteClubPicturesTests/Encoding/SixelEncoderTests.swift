import Foundation
import ByteClubPictures
import Testing

/// Sixels, drawn by a small terminal of our own.
@Suite struct SixelEncoderTests {
    /// Draws what a sixel sequence says; nil for anything that is not one, or paints outside.
    static func draw(_ bytes: [UInt8]) -> PixelImage? {
        var text = bytes[...]
        func take(_ prefix: String) -> Bool {
            guard text.starts(with: prefix.utf8) else { return false }
            text = text.dropFirst(prefix.utf8.count)
            return true
        }
        func number() -> Int? {
            var digits = ""
            while let byte = text.first, (0x30...0x39).contains(byte) {
                digits.append(Character(Unicode.Scalar(byte)))
                text = text.dropFirst()
            }
            return Int(digits)
        }
        guard take("\u{1B}P0;1q\"1;1;"), let width = number(), take(";"), let height = number()
        else { return nil }
        var image = PixelImage(size: PixelSize(width: width, height: height))
        var colors: [Int: PixelImage.Pixel] = [:]
        var (x, y, color) = (0, 0, 0)
        while let byte = text.popFirst() {
            switch byte {
            case UInt8(ascii: "#"):
                guard let index = number(), (0..<256).contains(index) else { return nil }
                color = index
                if take(";2;") {
                    guard let red = number(), take(";"), let green = number(), take(";"),
                        let blue = number()
                    else { return nil }
                    func part(_ value: Int) -> UInt8 { UInt8((value * 255 + 50) / 100) }
                    colors[index] = PixelImage.Pixel(
                        red: part(red), green: part(green), blue: part(blue))
                }
            case UInt8(ascii: "$"): x = 0
            case UInt8(ascii: "-"): (x, y) = (0, y + 6)
            case UInt8(ascii: "!"), 0x3F...0x7E:
                var (count, value) = (1, byte)
                if byte == UInt8(ascii: "!") {
                    guard let repeats = number(), let character = text.popFirst() else {
                        return nil
                    }
                    (count, value) = (repeats, character)
                }
                guard (0x3F...0x7E).contains(value), let pixel = colors[color] else { return nil }
                for _ in 0..<count {
                    for bit in 0..<6 where (value - 0x3F) >> UInt8(bit) & 1 == 1 {
                        guard x < width, y + bit < height else { return nil }
                        image[x, y + bit] = pixel
                    }
                    x += 1
                }
            case 0x1B: return text.elementsEqual([0x5C]) ? image : nil
            default: return nil
            }
        }
        return nil
    }

    private func drawn(
        _ image: PixelImage, _ motion: PictureMotion, as size: PixelSize? = nil
    ) -> PixelImage? {
        Self.draw(
            SixelEncoder().encode(
                image, as: 1, over: CellSize(columns: 4, rows: 2), of: size ?? image.size,
                for: motion))
    }

    @Test(arguments: [(1, 1), (5, 6), (64, 13), (130, 40)])
    func whatIsDrawnIsThePicture(width: Int, height: Int) throws {
        let image = TestPicture.gradient(width: width, height: height)
        let resting = try #require(drawn(image, .resting))
        #expect(resting.size == image.size)
        let best = TestPicture.difference(resting, image)
        #expect(best.largest <= 40 && best.mean < 8, "\(best)")
        let moving = try #require(drawn(image, .moving))
        let quick = TestPicture.difference(moving, image)
        #expect(quick.largest <= 27 && quick.mean < 16, "\(quick)")
        // No pixel is left out.
        #expect((0..<width * height).allSatisfy { resting.bytes[$0 * 4 + 3] == 255 })
        #expect((0..<width * height).allSatisfy { moving.bytes[$0 * 4 + 3] == 255 })
    }

    @Test func noiseIsDrawnToo() throws {
        let image = TestPicture.noise(width: 61, height: 47)
        let drawing = try #require(drawn(image, .resting))
        #expect(TestPicture.difference(drawing, image).mean < 24)
    }

    @Test func aPictureOfFewColorsKeepsThem() throws {
        let image = TestPicture.make(width: 40, height: 20) { x, y in
            (x / 10 * 80, y / 10 * 200, 40)
        }
        let drawing = try #require(drawn(image, .resting))
        #expect(TestPicture.difference(drawing, image).largest <= 8)
    }

    @Test func aSmallerPictureFillsTheScreensPixels() throws {
        let image = TestPicture.make(width: 4, height: 3) { x, y in (x * 51, y * 85, 255) }
        let drawing = try #require(
            drawn(image, .moving, as: PixelSize(width: 8, height: 6)))
        #expect(drawing.size == PixelSize(width: 8, height: 6))
        for y in 0..<6 {
            for x in 0..<8 { #expect(drawing[x, y] == drawing[x / 2 * 2, y / 2 * 2]) }
        }
        #expect(drawing[7, 5].red == 153)
    }

    @Test func oddEnlargementsLeaveNothingOut() throws {
        let image = TestPicture.noise(width: 7, height: 5)
        let drawing = try #require(
            drawn(image, .moving, as: PixelSize(width: 33, height: 19)))
        #expect((0..<33 * 19).allSatisfy { drawing.bytes[$0 * 4 + 3] == 255 })
    }
}

/// iTerm2's inline images.
@Suite struct InlineImageEncoderTests {
    @Test(arguments: [PictureMotion.moving, .resting], [false, true])
    func whatIsReadBackIsThePicture(motion: PictureMotion, isInsideTmux: Bool) throws {
        let image = TestPicture.gradient(width: 96, height: 64)
        var bytes = InlineImageEncoder(isInsideTmux: isInsideTmux).encode(
            image, as: 1, over: CellSize(columns: 12, rows: 4), of: image.size, for: motion)
        if isInsideTmux { bytes = try #require(KittyEncoderTests.unwrapped(bytes)) }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("\u{1B}]1337;File=inline=1;size="))
        #expect(text.contains(";width=12;height=4;preserveAspectRatio=0:"))
        #expect(text.hasSuffix("\u{07}"))
        let colon = try #require(text.lastIndex(of: ":"))
        let file = try #require(
            Data(base64Encoded: String(text[text.index(after: colon)...].dropLast())))
        #expect(text.contains("size=\(file.count);"))
        let decoded = try JPEGFile(data: file).decode().image
        #expect(decoded.size == image.size)
        #expect(TestPicture.difference(decoded, image).mean < (motion == .moving ? 6 : 3))
    }
}
