import Foundation
import ByteClubPictures
import TestSupport
import Testing

/// WebP, HEIC and AVIF, read by libraries of the system.
@Suite(
    .enabled("libwebp7 and libheif1 are not both installed") {
        PictureLibrary.allCases.allSatisfy(\.isInstalled)
    }
)
struct LibraryPictureTests {
    private let workers = PictureWorkers()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let upright = [
        LibraryFixtures.lossy, LibraryFixtures.turnedWebP, LibraryFixtures.heic,
        LibraryFixtures.avif,
    ]

    private static let all =
        upright + [
            LibraryFixtures.transparent, LibraryFixtures.transparentLossy,
            LibraryFixtures.turnedHEIC, LibraryFixtures.heicWithEXIF,
        ]

    private static let red = PixelImage.Pixel(red: 255, green: 0, blue: 0)
    private static let green = PixelImage.Pixel(red: 0, green: 255, blue: 0)
    private static let blue = PixelImage.Pixel(red: 0, green: 0, blue: 255)
    private static let white = PixelImage.Pixel(red: 255, green: 255, blue: 255)

    /// The middle of each quarter, row by row.
    private func quarters(_ image: PixelImage) -> [PixelImage.Pixel] {
        let (width, height) = (image.size.width, image.size.height)
        return [1, 3].flatMap { row in
            [1, 3].map { image[width * $0 / 4, height * row / 4] }
        }
    }

    private func expect(
        _ image: PixelImage, _ colors: [PixelImage.Pixel],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (pixel, color) in zip(quarters(image), colors) {
            #expect(pixel.isNear(color), sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: upright)
    func showsThemUprightAtAnySize(_ data: Data) async throws {
        let picture = PictureFile(at: try folder.add(data, named: "picture"))
        for box in [nil, PixelSize(width: 48, height: 48), PixelSize(width: 7, height: 7)] {
            let shown = try await workers.decode(picture, scaledToFit: box)
            let whole = PixelSize(width: 96, height: 64)
            #expect(shown.fullSize == whole)
            #expect(shown.image.size == box.map { whole.fitted(in: $0) } ?? whole)
            #expect(!shown.isDamaged)
            if box?.width != 7 {
                expect(shown.image, [Self.red, Self.green, Self.blue, Self.white])
            }
        }
    }

    @Test func aHEICPhotoIsTurnedAsItsPropertiesSayAndNotAsItsEXIFDoes() async throws {
        let turned = try await workers.decode(PictureFile(data: LibraryFixtures.turnedHEIC))
        #expect(turned.fullSize == PixelSize(width: 64, height: 96))
        expect(turned.image, [Self.blue, Self.red, Self.white, Self.green])
        let asStored = try await workers.decode(PictureFile(data: LibraryFixtures.heicWithEXIF))
        #expect(asStored.fullSize == PixelSize(width: 64, height: 96))
        expect(asStored.image, [Self.green, Self.white, Self.red, Self.blue])
    }

    @Test(arguments: [LibraryFixtures.transparent, LibraryFixtures.transparentLossy])
    func whatIsTransparentIsWhiteOrStaysSo(_ data: Data) async throws {
        let picture = PictureFile(data: data)
        let shown = try await workers.decode(picture)
        expect(shown.image, [Self.red, Self.white, Self.blue, Self.white])
        let box = PixelSize(width: 48, height: 32)
        let small = try await workers.thumbnail(of: picture, as: .png, fitting: box)
        let image = try PNGFile(data: small.data).decode(keepsAlpha: true) { $0 }
        #expect(image.hasAlpha)
        #expect(image.image[36, 8].alpha == 0)
        #expect(image.image[12, 8].alpha == 255)
    }

    @Test(arguments: all)
    func whatComesOutApartIsWhatComesOutHere(_ data: Data) async throws {
        let here = try PictureFile(data: data).decode { $0 }
        let apart = try await workers.decode(PictureFile(data: data))
        #expect(apart.image == here.image)
        let facts = try PictureFile(data: data).facts()
        #expect(facts.size == here.fullSize)
    }

    @Test(arguments: [
        (LibraryFixtures.turnedWebP, PixelSize(width: 96, height: 64)),
        (LibraryFixtures.heicWithEXIF, PixelSize(width: 64, height: 96)),
    ])
    func becomeJPEGsThatTellAPlaceOnlyWhenTheyMay(_ data: Data, size: PixelSize) async throws {
        let file = try folder.add(data, named: "IMG_1.heic")
        for keepsLocation in [false, true] {
            let photo = try await workers.prepare(
                file, as: PhotoPreparation(quality: 0.9, keepsLocation: keepsLocation))
            #expect(photo.size == size)
            let header = try JPEGHeader.read(fileAt: photo.url)
            #expect(header.size == size && header.orientation == .up)
            let details = try PictureFile(at: photo.url).details()
            #expect((details.location != nil) == keepsLocation)
            #expect(details.camera == "Pano9" && details.date == "2026-11-23 14:05")
            if let location = details.location {
                #expect(abs(location.latitude - 52.52) < 0.01)
                #expect(abs(location.longitude - 13.405) < 0.01)
            }
        }
    }

    @Test(arguments: [LibraryFixtures.turnedWebP, LibraryFixtures.heicWithEXIF])
    func sayHowTheyWereTaken(_ data: Data) async throws {
        let details = try await workers.details(of: PictureFile(data: data))
        #expect(details.camera == "Pano9")
        #expect(details.date == "2026-11-23 14:05")
        #expect(details.location != nil)
    }

    @Test(arguments: all)
    func whatIsCutShortIsRefused(_ data: Data) async throws {
        for count in [20, 60, data.count / 2, data.count - 20] where count < data.count {
            let cut = PictureFile(data: data.prefix(count), name: "cut.heic")
            // What is cut off behind the pixels does not matter.
            let hasPixels = (try? PictureFile(data: data).facts()) != nil && count > data.count - 21
            do {
                let shown = try await workers.decode(cut)
                #expect(hasPixels && shown.fullSize.pixelCount > 0, "\(count) of \(data.count)")
            } catch {
                let codes: [PictureError.Code] = [.truncated, .damaged, .unsupported]
                #expect(codes.contains(error.code), "\(count) of \(data.count): \(error)")
            }
        }
    }

    @Test(arguments: all)
    func survivesFlippedBytes(_ data: Data) async throws {
        for round in 0..<40 {
            var broken = data
            for place in 0..<3 {
                broken[12 + (round * 7919 + place * 104_729) % (data.count - 12)] ^= UInt8(
                    truncatingIfNeeded: 1 + round * 37 + place * 11)
            }
            do {
                _ = try await workers.decode(PictureFile(data: broken))
            } catch {
                #expect(error.isOfThePicture, "\(error)")
            }
        }
    }

    @Test func whatClaimsToBeHugeIsRefusedBeforeALibrarySeesIt() throws {
        var heic = LibraryFixtures.heic
        let property = try #require(heic.firstRange(of: Data("ispe".utf8)))
        heic.replaceSubrange(
            property.upperBound + 4..<property.upperBound + 12,
            with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
        let error = #expect(throws: PictureError.self) { try PictureFile(data: heic).facts() }
        #expect(error?.code == .tooLarge)
    }

    /// Sixty thousand items, each of as many pieces of no bytes: minutes in the program's own process.
    @Test(.timeLimit(.minutes(1))) func piecesWithoutBytesCostNothing() throws {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let count = UInt32(content.count + 8).bigEndian
            return withUnsafeBytes(of: count) { Array($0) } + Array(type.utf8) + content
        }
        let items = 60_000
        var places: [UInt8] = [0, 0, 0, 0, 0, 0, UInt8(items >> 8), UInt8(items & 0xFF)]
        for item in 0..<items {
            places += [UInt8(item >> 8), UInt8(item & 0xFF), 0, 0, 0xFF, 0xFF]
        }
        let meta = [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0, 1]) + box("iloc", places)
        let file = box("ftyp", Array("heic\0\0\0\0heic".utf8)) + box("meta", meta)
        let error = #expect(throws: PictureError.self) {
            try PictureFile(data: Data(file)).facts()
        }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: [
        (LibraryFixtures.lossy, FileFormat.webp), (LibraryFixtures.heic, .heic),
        (LibraryFixtures.avif, .avif),
    ])
    func withoutItsLibraryAPictureIsRefusedAndNamed(
        _ data: Data, format: FileFormat
    ) async throws {
        var configuration = PictureWorkers.Configuration()
        configuration.loadsLibraries = false
        let error = await #expect(throws: PictureError.self) {
            try await PictureWorkers(configuration).decode(PictureFile(data: data))
        }
        #expect(error?.code == .noLibrary)
        #expect(error?.format == format)
        #expect(error?.isOfThePicture == false)
        #expect(error?.reason.contains("is not installed") == true)
    }

    @Test func aWorkerWithALibraryHasTheSameProtections() async throws {
        let usual = try await workers.protections()
        for data in [LibraryFixtures.lossy, LibraryFixtures.heic] {
            let answer = try await workers.protections(decoding: PictureFile(data: data))
            #expect(answer == usual)
        }
    }
}
