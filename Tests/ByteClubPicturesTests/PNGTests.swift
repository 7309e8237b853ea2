import Foundation
import ByteClubPictures
import TestSupport
import Testing

@Suite struct PNGTests {
    /// Two halves: what is on the left, and the same with an alpha on the right.
    private func picture(
        _ size: PixelSize = PixelSize(width: 8, height: 4), alpha: UInt8 = 255
    ) -> PixelImage {
        var image = PixelImage(size: size, filledWith: .init(red: 200, green: 40, blue: 0))
        for y in 0..<size.height {
            for x in (size.width / 2)..<size.width {
                image[x, y] = .init(red: 200, green: 40, blue: 0, alpha: alpha)
            }
        }
        return image
    }

    private func decode(
        _ data: Data, keepsAlpha: Bool = true, to size: PixelSize? = nil
    ) throws -> DecodedPNG {
        try PNGFile(data: data).decode(keepsAlpha: keepsAlpha) { size ?? $0 }
    }

    @Test func aPictureComesBackAsItWas() throws {
        let opaque = picture()
        let decoded = try decode(opaque.pngData())
        #expect(decoded.image == opaque)
        #expect(!decoded.hasAlpha)
        let clear = picture(alpha: 100)
        let kept = try decode(clear.pngData(keepsAlpha: true))
        #expect(kept.hasAlpha)
        #expect(kept.image[0, 0] == clear[0, 0])
        #expect(kept.image[7, 0].alpha == 100)
        #expect(kept.image[7, 0].isNear(clear[7, 0]))
        #expect(try decode(clear.pngData()).image == opaque)
    }

    @Test func whatIsTransparentIsWhiteWhereNothingCanBe() throws {
        let data = try picture(alpha: 0).pngData(keepsAlpha: true)
        let image = try decode(data, keepsAlpha: false).image
        #expect(image[0, 0] == .init(red: 200, green: 40, blue: 0))
        #expect(image[7, 3] == .init(red: 255, green: 255, blue: 255))
    }

    @Test func coloursThatNobodySeesDoNotBleed() throws {
        // Half of each new pixel is invisible, and black.
        var image = PixelImage(size: PixelSize(width: 8, height: 8))
        for y in 0..<8 {
            for x in stride(from: 0, to: 8, by: 2) {
                image[x, y] = .init(red: 250, green: 250, blue: 250)
            }
        }
        let small = try decode(
            image.pngData(keepsAlpha: true), to: PixelSize(width: 4, height: 4)
        ).image
        #expect(small[1, 1].alpha == 128)
        #expect(small[1, 1].red >= 248)
    }

    @Test(arguments: [
        // Adam7, 8 bits of color; a palette with a transparent entry; gray of 16 bits.
        PNGFixtures.interlaced, PNGFixtures.palette, PNGFixtures.grey16,
    ])
    func allKindsOfPixelsAreRead(_ data: Data) throws {
        let image = try decode(data, keepsAlpha: false).image
        #expect(image.size == PixelSize(width: 3, height: 2))
        #expect(image[0, 0].isNear(.init(red: 255, green: 255, blue: 255)))
        #expect(image[2, 1].isNear(.init(red: 0, green: 0, blue: 0)))
    }

    @Test func anythingElseIsRefused() throws {
        for (data, code) in [
            (Data(), PictureError.Code.empty), (Data("no picture".utf8), .notAPicture),
            (try picture().pngData().prefix(20), .truncated),
        ] {
            let error = #expect(throws: PictureError.self) { try decode(data) }
            #expect(error?.code == code)
        }
    }

    @Test func aPictureThatBreaksOffIsShownAsFarAsItGoes() throws {
        let whole = try noise(PixelSize(width: 128, height: 128)).pngData()
        let image = try decode(whole.prefix(whole.count / 2)).image
        #expect(image[0, 0] == noise(PixelSize(width: 128, height: 128))[0, 0])
        #expect(image[127, 127] == .init(red: 128, green: 128, blue: 128))
    }

    @Test(arguments: [
        (PixelSize(width: 1 << 20, height: 1), false),
        (PixelSize(width: 1, height: 1 << 20), false),
        (PixelSize(width: 1 << 17, height: 1 << 17), false),
        (PixelSize(width: 8_000, height: 8_000), true),
    ])
    func aPictureThatClaimsToBeHugeIsRefusedAtOnce(size: PixelSize, isInterlaced: Bool) throws {
        let data = PNGFixtures.header(size, isInterlaced: isInterlaced)
        let error = #expect(throws: PictureError.self) {
            try decode(data, to: PixelSize(width: 64, height: 64))
        }
        #expect(error?.code == .tooLarge)
    }

    /// Which picture ends early, and which is not begun.
    @Test(arguments: [
        (PixelSize(width: 16_384, height: 8192), PictureError.Code.truncated),
        (PixelSize(width: 16_384, height: 16_000), .tooLargeToReencode),
    ])
    func aPanoramaMayBeEncodedAgainAndWhatIsLargerIsRefusedAtOnce(
        size: PixelSize, code: PictureError.Code
    ) throws {
        let photo = PictureFile(data: PNGFixtures.header(size, isInterlaced: false))
        let error = #expect(throws: PictureError.self) { try PhotoReencoder().reencode(photo) }
        #expect(error?.code == code)
    }

    @Test func aBombInAChunkIsNotUnpacked() throws {
        let plain = try picture().pngData()
        var data = plain.prefix(33)
        data += PNGFixtures.chunk("iCCP", PNGFixtures.bomb)
        data += plain.dropFirst(33)
        #expect(try decode(data).image == picture())
    }

    @Test func survivesFlippedAndMissingBytes() throws {
        var random = SeededGenerator(seed: 3)
        let originals = [
            PNGFixtures.interlaced, PNGFixtures.palette, PNGFixtures.grey16,
            try noise(PixelSize(width: 40, height: 30)).pngData(),
            try picture(alpha: 9).pngData(keepsAlpha: true),
        ]
        for original in originals {
            for round in 0..<300 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 8..<bytes.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                // Most flips end at a checksum: half of the files get theirs corrected.
                if round.isMultiple(of: 2) { bytes = PNGFixtures.withChecksums(bytes) }
                if round.isMultiple(of: 3) { bytes = bytes.prefix(.random(in: 0..<bytes.count)) }
                for keepsAlpha in [true, false] {
                    let decoded = try? decode(
                        bytes, keepsAlpha: keepsAlpha, to: PixelSize(width: 16, height: 16))
                    if let decoded { #expect(decoded.image.size.width <= 16) }
                }
            }
        }
    }

    @Test func aFileIsKnownByItsBytes() throws {
        let folder = try TemporaryFolder()
        let png = try folder.add(picture().pngData(), named: "a.jpg")
        let jpeg = try folder.add(picture().jpegData(quality: 0.9), named: "b.png")
        for (url, isPNG) in [(png, true), (jpeg, false)] {
            let file = PictureFile(at: url)
            #expect(try file.facts().format == (isPNG ? .png : .jpeg))
            #expect(try file.size() == PixelSize(width: 8, height: 4))
            let small = try file.data(as: .png) { _ in PixelSize(width: 4, height: 2) }
            #expect(try PNGFile(data: small).size() == PixelSize(width: 4, height: 2))
            let other = try file.data(as: .jpeg(quality: 0.8)) { $0 }
            #expect(try JPEGHeader.read(other).size == PixelSize(width: 8, height: 4))
        }
    }

    private func noise(_ size: PixelSize) -> PixelImage {
        var image = PixelImage(size: size, filledWith: .init(red: 0, green: 0, blue: 0))
        var value: UInt32 = 1
        for y in 0..<size.height {
            for x in 0..<size.width {
                value = value &* 1_664_525 &+ 1_013_904_223
                image[x, y] = .init(
                    red: UInt8(value >> 24), green: UInt8(value >> 16 & 255),
                    blue: UInt8(value >> 8 & 255))
            }
        }
        return image
    }

    /// EXIF in the form of a chunk: big-endian, one entry.
    private static func exif(_ orientation: Orientation) -> Data {
        Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0])
            + Data([UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0])
    }

    /// More than a strip of rows, in both directions, and not the same when turned.
    private static let compass: PixelImage = {
        var image = PixelImage(
            size: PixelSize(width: 150, height: 100),
            filledWith: .init(red: 250, green: 250, blue: 250))
        for y in 0..<100 {
            for x in 0..<150 where x < 75 || y < 50 {
                image[x, y] = .init(
                    red: x < 75 ? 220 : 20, green: y < 50 ? 30 : 200,
                    blue: x < 75 && y < 50 ? 90 : 10)
            }
        }
        return image
    }()

    @Test(arguments: (1...8).compactMap(Orientation.init(rawValue:)))
    func isShownAndSentUpright(_ orientation: Orientation) async throws {
        let photo = PNGFixtures.adding(
            [("eXIf", Self.exif(orientation))], to: try Self.compass.pngData())
        let upright = Self.compass.oriented(orientation)
        let shown = try decode(photo)
        #expect(shown.image == upright)
        #expect(shown.fullSize == upright.size)
        #expect(try PNGFile(data: photo).size() == upright.size)

        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "photo.png")
        try photo.write(to: file)
        let sent = try await PictureWorkers.shared.prepare(file, as: PhotoPreparation())
        let arrived = try await PictureWorkers.shared.decode(PictureFile(at: sent.url)).image
        #expect(arrived.size == upright.size)
        for (x, y) in [(10, 10), (upright.size.width - 10, 10), (10, upright.size.height - 10)] {
            #expect(arrived[x, y].isNear(upright[x, y]))
        }
    }

    /// The last row and column of tiles are mostly empty, and still in the file.
    @Test func aTurnedPictureFitsIntoTheWorkersFile() async throws {
        let size = PixelSize(width: 2113, height: 2114)
        let picture = PixelImage(size: size, filledWith: .init(red: 1, green: 2, blue: 3))
        let folder = try TemporaryFolder()
        let photo = PNGFixtures.adding([("eXIf", Self.exif(.right))], to: try picture.pngData())
        let file = try folder.add(photo, named: "photo.png")
        let sent = try await PictureWorkers.shared.prepare(file, as: PhotoPreparation())
        let arrived = try PictureFile(at: sent.url).facts()
        #expect(arrived.size == PixelSize(width: 2114, height: 2113))
    }
}
