import ByteClubPictures
import Testing

@Suite struct PixelImageTests {
    /// 2 × 2: white, black over black, white.
    private var checkers: PixelImage {
        var image = PixelImage(size: PixelSize(width: 2, height: 2), filledWith: .black)
        image[0, 0] = .white
        image[1, 1] = .white
        return image
    }

    /// A process that was taken over may say anything of the size.
    @Test(arguments: [
        PixelSize(width: Int(UInt32.max), height: Int(UInt32.max)),
        PixelSize(width: 1 << 31, height: 1 << 31), PixelSize(width: .max, height: 2),
        PixelSize(width: 1 << 31, height: 1 << 30), PixelSize(width: 0, height: 1),
    ])
    func isNothingOfASizeThatTheBytesDoNotHave(size: PixelSize) {
        #expect(PixelImage(size: size, bytes: [1, 2, 3, 4]) == nil)
        #expect(PixelImage(size: size, bytes: []) == nil)
    }

    @Test func averagesTheAreaUnderEachPixel() {
        let one = checkers.scaled(to: PixelSize(width: 1, height: 1))
        #expect(one[0, 0] == .init(red: 128, green: 128, blue: 128))

        // 3 to 2: each new pixel is one old one and half of the middle one.
        var row = PixelImage(size: PixelSize(width: 3, height: 1), filledWith: .black)
        row[0, 0] = .white
        let two = row.scaled(to: PixelSize(width: 2, height: 1))
        #expect(two[0, 0] == .init(red: 170, green: 170, blue: 170))
        #expect(two[1, 0] == .black)
    }

    @Test(arguments: [(1, 1), (5, 3), (7, 100), (64, 64), (13, 2)])
    func keepsAFlatColourFlat(width: Int, height: Int) {
        let color = PixelImage.Pixel(red: 200, green: 100, blue: 7)
        let image = PixelImage(size: PixelSize(width: 37, height: 23), filledWith: color)
        let scaled = image.scaled(to: PixelSize(width: width, height: height))
        #expect(scaled == PixelImage(size: scaled.size, filledWith: color))
        #expect(scaled.size == PixelSize(width: width, height: height))
    }

    @Test func enlargesByRepeating() {
        let image = checkers.scaled(to: PixelSize(width: 6, height: 4))
        #expect(image[0, 0] == .white && image[2, 1] == .white)
        #expect(image[3, 0] == .black && image[5, 1] == .black)
        #expect(image[3, 2] == .white && image[0, 3] == .black)
    }

    @Test func scalesARegionThatWrapsAround() {
        var image = PixelImage(size: PixelSize(width: 4, height: 1), filledWith: .black)
        image[0, 0] = .white
        let region = PixelRegion(x: -2, y: 0, width: 8, height: 1)
        let wrapped = image.scaled(region, to: PixelSize(width: 8, height: 1), wraps: true)
        #expect(
            (0..<8).map { wrapped[$0, 0] == .white } == [0, 0, 1, 0, 0, 0, 1, 0].map { $0 == 1 })

        let alone = image.scaled(region, to: PixelSize(width: 8, height: 1))
        #expect((0..<8).map { alone[$0, 0].alpha } == [0, 0, 255, 255, 255, 255, 0, 0])
        #expect(alone[2, 0] == .white && alone[3, 0] == .black)
    }

    @Test func showsNothingOfARegionThatMakesNoSense() {
        for region in [
            PixelRegion(x: 0, y: 0, width: 0, height: 1),
            PixelRegion(x: .nan, y: 0, width: 1, height: 1),
            PixelRegion(x: 0, y: .infinity, width: 1, height: .infinity),
        ] {
            let nothing = checkers.scaled(region, to: PixelSize(width: 2, height: 2))
            #expect(nothing == PixelImage(size: PixelSize(width: 2, height: 2)))
        }
    }

    @Test func takesOnlyAsManyBytesAsItsSizeNeeds() {
        #expect(PixelImage(size: PixelSize(width: 2, height: 1), bytes: Array(0..<8)) != nil)
        #expect(PixelImage(size: PixelSize(width: 2, height: 2), bytes: Array(0..<8)) == nil)
        #expect(PixelImage(size: PixelSize(width: 0, height: 2), bytes: []) == nil)
    }

    @Test func turnsInAllEightWays() throws {
        // a b c over d e f, by their red.
        let image = try #require(
            PixelImage(
                size: PixelSize(width: 3, height: 2),
                bytes: "abcdef".utf8.flatMap { [$0, 0, 0, 255] }))
        let expected: [Orientation: String] = [
            .up: "abc def", .upMirrored: "cba fed", .down: "fed cba", .downMirrored: "def abc",
            .leftMirrored: "ad be cf", .right: "da eb fc", .rightMirrored: "fc eb da",
            .left: "cf be ad",
        ]
        for (orientation, letters) in expected {
            let turned = image.oriented(orientation)
            let rows = (0..<turned.size.height).map { y in
                String(
                    decoding: (0..<turned.size.width).map { turned[$0, y].red }, as: UTF8.self)
            }
            #expect(rows.joined(separator: " ") == letters, "\(orientation)")
        }
    }
}

extension PixelImage.Pixel {
    static let black = PixelImage.Pixel(red: 0, green: 0, blue: 0)
    static let white = PixelImage.Pixel(red: 255, green: 255, blue: 255)
}
