import Foundation
import ByteClubPictures
import TestSupport
import Testing

/// TIFF, GIF, BMP and PNM, read by libraries of the system and sent as JPEGs.
@Suite(
    .enabled("libtiff6 and libstb0 are not both installed") {
        PictureLibrary.allCases.allSatisfy(\.isInstalled)
    }
)
struct SimplePictureTests {
    private let workers = PictureWorkers()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let red = PixelImage.Pixel(red: 255, green: 0, blue: 0)
    private static let green = PixelImage.Pixel(red: 0, green: 255, blue: 0)
    private static let blue = PixelImage.Pixel(red: 0, green: 0, blue: 255)
    private static let white = PixelImage.Pixel(red: 255, green: 255, blue: 255)

    private typealias Options = SimpleFixtures.TIFFOptions

    private static let all: [Data] = [
        SimpleFixtures.bitmap, SimpleFixtures.pixmap, SimpleFixtures.gif(),
        SimpleFixtures.tiff(), SimpleFixtures.tiff(Options(isLittleEndian: false)),
        SimpleFixtures.tiff(Options(tileSide: 32)),
        SimpleFixtures.tiff(Options(isLittleEndian: false, tileSide: 48)),
    ]

    private func expect(
        _ image: PixelImage, _ colors: [PixelImage.Pixel],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (width, height) = (image.size.width, image.size.height)
        let quarters = [1, 3].flatMap { row in
            [1, 3].map { image[width * $0 / 4, height * row / 4] }
        }
        for (pixel, color) in zip(quarters, colors) {
            #expect(pixel.isNear(color), sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: all)
    func areShownAtAnySize(_ data: Data) async throws {
        let picture = PictureFile(at: try folder.add(data, named: "picture"))
        for box in [nil, PixelSize(width: 48, height: 48)] {
            let shown = try await workers.decode(picture, scaledToFit: box)
            #expect(shown.fullSize == PixelSize(width: 96, height: 64))
            expect(shown.image, [Self.red, Self.green, Self.blue, Self.white])
        }
        let here = try PictureFile(data: data).decode { $0 }
        expect(here.image, [Self.red, Self.green, Self.blue, Self.white])
    }

    @Test(arguments: all)
    func becomeJPEGs(_ data: Data) async throws {
        let photo = try await workers.prepare(
            try folder.add(data, named: "scan"), as: PhotoPreparation(quality: 0.9))
        let file = PictureFile(at: photo.url)
        #expect(try file.facts().format == .jpeg)
        #expect(photo.size == PixelSize(width: 96, height: 64))
        expect(try file.decode { $0 }.image, [Self.red, Self.green, Self.blue, Self.white])
    }

    @Test(arguments: [
        (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (6, [2, 0, 3, 1]), (8, [1, 3, 0, 2]),
    ])
    func aTIFFIsTurnedAsItSays(orientation: Int, quarters: [Int]) async throws {
        let data = SimpleFixtures.tiff(Options(orientation: orientation))
        let colors = quarters.map { [Self.red, Self.green, Self.blue, Self.white][$0] }
        let shown = try await workers.decode(PictureFile(data: data))
        expect(shown.image, colors)
        let photo = try await workers.prepare(
            try folder.add(data, named: "scan.tif"), as: PhotoPreparation(quality: 0.9))
        expect(try PictureFile(at: photo.url).decode { $0 }.image, colors)
    }

    @Test(arguments: [
        SimpleFixtures.gif(transparent: 1), SimpleFixtures.tiff(Options(hasAlpha: true)),
        SimpleFixtures.tiff(Options(tileSide: 16, hasAlpha: true)),
    ])
    func whatIsTransparentIsWhite(_ data: Data) async throws {
        let shown = try await workers.decode(PictureFile(data: data))
        expect(shown.image, [Self.red, Self.white, Self.blue, Self.white])
    }

    @Test func aTIFFTellsHowItWasTaken() async throws {
        let texts = [0x10F: "Byte", 0x110: "Pano9", 0x132: "2026:11:23 14:05:00"]
        for isLittleEndian in [true, false] {
            let data = SimpleFixtures.tiff(Options(isLittleEndian: isLittleEndian, texts: texts))
            let details = try await workers.details(of: PictureFile(data: data))
            #expect(details.camera?.contains("Pano9") == true)
            let photo = try await workers.prepare(
                try folder.add(data, named: "scan.tif"), as: PhotoPreparation())
            #expect(try PictureFile(at: photo.url).details().camera == details.camera)
        }
    }

    @Test(arguments: [[0xFE: 1], [0x106: 32_803], [0xC612: 1]])
    func aRawPhotoIsNotTakenForItsPreview(_ numbers: [Int: Int]) throws {
        var data = SimpleFixtures.tiff(Options(numbers: numbers.filter { $0.key != 0x106 }))
        if numbers[0x106] != nil {
            // Its color filter array instead of RGB.
            let field = Data([0x06, 0x01, 3, 0, 1, 0, 0, 0])
            let place = try #require(data.firstRange(of: field))
            data.replaceSubrange(place.upperBound..<place.upperBound + 2, with: [0x23, 0x80])
        }
        let error = #expect(throws: PictureError.self) { try PictureFile(data: data).facts() }
        #expect(error?.format == .cameraRaw)
    }

    @Test(arguments: all)
    func whatIsCutShortIsRefused(_ data: Data) async throws {
        for count in [9, 40, data.count / 2, data.count * 9 / 10] {
            let error = await #expect(throws: PictureError.self) {
                try await workers.decode(PictureFile(data: data.prefix(count)))
            }
            let codes: [PictureError.Code] = [.truncated, .damaged, .notAPicture]
            #expect(codes.contains(error?.code ?? .cancelled), "\(count) of \(data.count)")
        }
    }

    @Test func aTIFFWhosePixelsAreMissingIsTruncated() async throws {
        // The directory comes first, as some programs write it, and points behind the end.
        var data = SimpleFixtures.tiff()
        let offsets = try #require(data.firstRange(of: Data([0x11, 0x01, 4, 0, 7, 0, 0, 0])))
        let pointer = data[offsets.upperBound..<offsets.upperBound + 4]
        let place = pointer.reversed().reduce(0) { $0 << 8 | Int($1) }
        data.replaceSubrange(place..<place + 4, with: [0, 0, 0x40, 0])
        let error = await #expect(throws: PictureError.self) {
            try await workers.decode(PictureFile(data: data))
        }
        #expect(error?.code == .truncated)
    }

    @Test(arguments: all)
    func survivesFlippedBytes(_ data: Data) async throws {
        for round in 0..<40 {
            var broken = data
            for place in 0..<3 {
                let index = (round * 7919 + place * 104_729) % (data.count - 8)
                // Half of them where the format's numbers are.
                let offset = round % 2 == 0 ? index % min(60, data.count - 8) : index
                broken[8 + offset] ^= UInt8(truncatingIfNeeded: 1 + round * 37 + place * 11)
            }
            do {
                _ = try await workers.decode(PictureFile(data: broken))
            } catch {
                #expect(error.isOfThePicture, "\(error)")
            }
        }
    }

    /// What the library would misread, without a word, or crash on.
    @Test func whatTheLibraryMisreadsIsRefusedBeforeItSeesIt() throws {
        let pixels = [UInt8](repeating: 100, count: 64)
        let wide = Data("P5\n4 4\n65535\n".utf8) + pixels
        let dark = Data("P5\n4 4\n100\n".utf8) + pixels
        var palette = Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0x1A, 3, 0, 0]
        palette += [12, 0, 0, 0, 4, 0, 4, 0, 1, 0, 8, 0]
        palette += [UInt8](repeating: 7, count: 3 * 256 + 16)
        for data in [wide, dark, Data(palette)] {
            let error = #expect(throws: PictureError.self) { try PictureFile(data: data).facts() }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func whatClaimsToBeHugeIsRefusedBeforeALibrarySeesIt() throws {
        var gif = SimpleFixtures.gif()
        gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var bitmap = SimpleFixtures.bitmap
        bitmap.replaceSubrange(18..<26, with: [0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0])
        bitmap[30] = 1
        let pixmap = Data("P6 65000 65000 255 \0\0\0".utf8)
        for data in [gif, bitmap, pixmap] {
            let error = #expect(throws: PictureError.self) { try PictureFile(data: data).facts() }
            #expect([.tooLarge, .truncated].contains(error?.code))
        }
    }

    @Test(arguments: [
        (SimpleFixtures.tiff(), FileFormat.tiff), (SimpleFixtures.gif(), .gif),
        (SimpleFixtures.bitmap, .bitmap), (SimpleFixtures.pixmap, .pnm),
    ])
    func areNotSentUnchanged(_ data: Data, format: FileFormat) async throws {
        let error = await #expect(throws: PictureError.self) {
            try await workers.prepare(
                try folder.add(data, named: "scan"), as: PhotoPreparation(keepsOriginal: true))
        }
        #expect(error?.code == .onlyAsJPEG)
        #expect(error?.format == format)
    }

    @Test func aWorkerWithALibraryHasTheSameProtections() async throws {
        let usual = try await workers.protections()
        for data in [SimpleFixtures.tiff(), SimpleFixtures.gif()] {
            let answer = try await workers.protections(decoding: PictureFile(data: data))
            #expect(answer == usual)
        }
    }
}
