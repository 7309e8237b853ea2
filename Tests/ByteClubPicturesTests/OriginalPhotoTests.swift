import Foundation
import ByteClubPictures
import TestSupport
import Testing

@Suite struct OriginalPhotoTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func prepare(
        _ data: Data, _ preparation: PhotoPreparation = PhotoPreparation(keepsOriginal: true)
    ) async throws -> Data {
        let file = folder.url.appending(path: "photo")
        try data.write(to: file)
        let prepared = try await PictureWorkers.shared.prepare(file, as: preparation)
        let sent = try Data(contentsOf: prepared.url)
        #expect(prepared.byteCount == Int64(sent.count))
        // What is on this computer stays as it is.
        #expect(try Data(contentsOf: file) == data)
        return sent
    }

    private static let place = PhotoMetadata(
        orientation: 6, hasLocation: true, maker: "Byte & Sons",
        thumbnail: Photos.corners(width: 16, height: 8))

    @Test func sendsEveryByteOfAPhotoThatTellsNoPlace() async throws {
        let photo = Photos.corners(metadata: PhotoMetadata(orientation: 6, maker: "Byte & Sons"))
        #expect(try await prepare(photo) == photo)
    }

    @Test(arguments: [false, true])
    func takesThePlaceOutOfAnOriginalAndNothingElse(isBigEndian: Bool) async throws {
        var metadata = Self.place
        metadata.isBigEndian = isBigEndian
        let photo = Photos.corners(metadata: metadata)
        let sent = try await prepare(photo)
        let header = try JPEGHeader.read(sent)
        #expect(!header.hasLocation)
        #expect(header.orientation == (try JPEGHeader.read(photo).orientation))
        #expect(header.thumbnail == Self.place.thumbnail)
        #expect(sent.count == photo.count)
        #expect(sent.firstRange(of: Data("Byte & Sons".utf8)) != nil)
        // 47° 3′ 2″ in the bytes of the file.
        let degrees = Data(isBigEndian ? [0, 0, 0, 47, 0, 0, 0, 1] : [47, 0, 0, 0, 1, 0, 0, 0])
        try #require(photo.firstRange(of: degrees) != nil)
        #expect(sent.firstRange(of: degrees) == nil)
        #expect(
            try JPEGFile(data: sent).decode().image == (try JPEGFile(data: photo).decode().image))
    }

    @Test(
        .enabled("libwebp7 and libheif1 are not both installed") {
            PictureLibrary.allCases.allSatisfy(\.isInstalled)
        }, arguments: [LibraryFixtures.heicWithEXIF, LibraryFixtures.turnedWebP])
    func takesThePlaceOutOfWhatPhonesWrite(_ photo: Data) async throws {
        try #require(try PictureFile(data: photo).details().location != nil)
        let whole = PhotoPreparation(keepsOriginal: true, keepsLocation: true)
        #expect(try await prepare(photo, whole) == photo)
        let sent = try await prepare(photo)
        let details = try PictureFile(data: sent).details()
        #expect(details.location == nil)
        #expect(details.camera == (try PictureFile(data: photo).details().camera))
        #expect(sent.count == photo.count)
        let shown = try await PictureWorkers.shared.decode(PictureFile(data: sent))
        let before = try await PictureWorkers.shared.decode(PictureFile(data: photo))
        #expect(shown.image == before.image)
    }

    @Test func takesThePlaceOutOfAPNGWhoseChecksumsStayRight() async throws {
        let tiff = Photos.corners(metadata: Self.place)
        let exif = try #require(tiff.firstRange(of: Data("Exif\0\0".utf8)))
        let packet = Data(
            "XML:com.adobe.xmp\0\0\0\0\0<x exif:GPSLatitude=\"47,3.2N\" tiff:Make=\"Byte\"/>".utf8)
        let drawing = try PixelImage(
            size: PixelSize(width: 6, height: 3), filledWith: .init(red: 1, green: 2, blue: 3)
        ).pngData()
        let photo = PNGFixtures.adding(
            [
                ("eXIf", Data(tiff[exif.upperBound..<exif.upperBound + 600])), ("iTXt", packet),
                ("zTXt", Data("Raw profile type exif\0\0x-47-3-2-N".utf8)),
                ("tEXt", Data("Author\0Ann".utf8)),
            ], to: drawing)
        let sent = try await prepare(photo)
        #expect(sent.count == photo.count)
        #expect(PNGFixtures.hasIntactChecksums(sent))
        let text = String(decoding: sent, as: UTF8.self)
        for value in ["47,3.2N", "x-47-3-2-N"] { #expect(!text.contains(value)) }
        for value in ["tiff:Make=\"Byte\"", "Author\0Ann"] { #expect(text.contains(value)) }
        #expect(sent.firstRange(of: Data([47, 0, 0, 0, 1, 0, 0, 0])) == nil)
        #expect(try PNGFile(data: sent).size() == PNGFile(data: photo).size())
    }

    /// Its members may have the library.
    @Test(arguments: [LibraryFixtures.lossy, LibraryFixtures.heic, LibraryFixtures.avif])
    func goesAsItIsWhereItsLibraryIsMissingIfAllOfItIsThere(_ photo: Data) async throws {
        var configuration = PictureWorkers.Configuration()
        configuration.loadsLibraries = false
        let workers = PictureWorkers(configuration)
        let file = folder.url.appending(path: "photo")
        try photo.write(to: file)
        let asItIs = PhotoPreparation(keepsOriginal: true)
        let prepared = try await workers.prepare(file, as: asItIs)
        #expect(try Data(contentsOf: prepared.url) == photo)
        try photo.dropLast(10).write(to: file)
        let error = await #expect(throws: PictureError.self) {
            try await workers.prepare(file, as: asItIs)
        }
        #expect(error?.code == .truncated)
    }

    @Test func takesThePlaceOutOfXMPAndOfPicturesBehindTheFirst() async throws {
        let words = """
            <x:xmpmeta><rdf:Description exif:GPSLatitude="47,3.2N" drone-dji:GpsLongtitude='8.30'
            tiff:Make="Byte"><exif:GPSAltitude>512/1</exif:GPSAltitude><GPano:UsePanoramaViewer>True
            """
        let packet = Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(words.utf8)
        let length = packet.count + 2
        var photo = Photos.corners()
        photo.insert(
            contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + packet,
            at: photo.startIndex + 2)
        photo += Photos.corners(metadata: Self.place)
        let sent = try await prepare(photo)
        let text = String(decoding: sent, as: UTF8.self)
        for value in ["47,3.2N", "8.30", "512/1"] { #expect(!text.contains(value)) }
        for value in ["tiff:Make=\"Byte\"", "exif:GPSLatitude=\"       \"", "Viewer>True"] {
            #expect(text.contains(value))
        }
        let second = try #require(
            sent.range(of: Data([0xFF, 0xD8, 0xFF, 0xE0]), in: 100..<sent.count))
        #expect(try !JPEGHeader.read(Data(sent[second.lowerBound...])).hasLocation)
    }

    @Test func takesThePlaceOutOfWordsAndOfAVideoBehindIt() async throws {
        let words = """
            <rdf:Description photoshop:City="Zurich" exif:GPSLatitude = '47,3.2N' dc:title="Lake"
            xmp:CreateDate="2026-11-23"><Iptc4xmpExt:LocationCreated><rdf:Bag><rdf:li
            Iptc4xmpExt:CountryName="Switzerland"><Iptc4xmpExt:LocationName><rdf:Alt>
            <rdf:li xml:lang="x-default">Bellevue</rdf:li></rdf:Alt></Iptc4xmpExt:LocationName>
            </rdf:li></rdf:Bag></Iptc4xmpExt:LocationCreated><exif:GPSAltitude>408/1</exif:GPSAltitude>
            <dc:rights>Ann</dc:rights><exif:GPSAltitude>409/1</exif:GPSAltitude>
            """
        var datasets = Data()
        for (number, value) in [(UInt8(90), "Geneva"), (101, "Schweiz"), (80, "Ann Author")] {
            datasets += Data([0x1C, 2, number, 0, UInt8(value.utf8.count)]) + Data(value.utf8)
        }
        var photo = Photos.corners()
        for (marker, content) in [
            (0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(words.utf8)),
            (0xED, Data("Photoshop 3.0\08BIM\u{4}\u{4}\0\0".utf8) + datasets),
        ] {
            let length = content.count + 2
            photo.insert(
                contentsOf: [0xFF, UInt8(marker), UInt8(length >> 8), UInt8(length & 0xFF)]
                    + content,
                at: photo.startIndex + 2)
        }
        photo += Data(
            "\0\0\0\u{20}ftypmp42 udta ©xyz\0\u{12}\u{15}\u{C7}+47.3769-008.5417+408.1/".utf8)
        let sent = try await prepare(photo)
        #expect(sent.count == photo.count)
        let text = String(decoding: sent, as: UTF8.self)
        for value in [
            "Zurich", "47,3.2N", "Switzerland", "Bellevue", "408/1", "409/1", "Geneva", "Schweiz",
            "47.3769", "008.5417", "408.1",
        ] { #expect(!text.contains(value), "\(value)") }
        for value in [
            "photoshop:City=\"      \"", "dc:title=\"Lake\"", "2026-11-23",
            "xml:lang=\"x-default\"",
            "<dc:rights>Ann</dc:rights>", "Ann Author", "+00.0000-000.0000+000.0/",
        ] { #expect(text.contains(value), "\(value)") }
        #expect(
            try JPEGFile(data: sent).decode().image == (try JPEGFile(data: photo).decode().image))
    }

    @Test func keepsThePlaceWhereThatIsWanted() async throws {
        let photo = Photos.corners(metadata: Self.place)
        let original = PhotoPreparation(keepsOriginal: true, keepsLocation: true)
        #expect(try await prepare(photo, original) == photo)

        let sent = try await prepare(photo, PhotoPreparation(keepsLocation: true))
        let header = try JPEGHeader.read(sent)
        #expect(header.hasLocation)
        #expect(header.orientation == .up)
        #expect(header.thumbnail == nil)
        #expect(sent.firstRange(of: Data("Byte & Sons".utf8)) != nil)
        // Degrees, minutes and seconds are there as they were.
        let latitude = Data([
            47, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
        ])
        #expect(sent.firstRange(of: latitude) != nil)
    }

    @Test(arguments: [0.1, 0.95]) func anotherPictureBecomesAJPEGUnlessItIsToStay(quality: Double)
        async throws
    {
        let image = try JPEGFile(data: Photos.noise(width: 120, height: 80)).decode().image
        let drawing = try image.pngData()
        let sent = try await prepare(drawing, PhotoPreparation(quality: quality))
        #expect(try JPEGHeader.read(sent).size == PixelSize(width: 120, height: 80))
        #expect((sent.count > 6_000) == (quality > 0.5))
        #expect(try await prepare(drawing) == drawing)
    }

    @Test func refusesAnOriginalThatIsNotWhole() async throws {
        for data in [Photos.truncated(), Data("text".utf8), Data()] {
            await #expect(throws: PictureError.self) { _ = try await prepare(data) }
        }
    }

    /// Whatever stands in a file's EXIF, taking the place out ends, and leaves the length as it is.
    @Test func aHostileDirectoryHarmsNothing() async throws {
        let photo = Photos.corners(metadata: Self.place)
        let start = try #require(photo.firstRange(of: Data("Exif\0\0".utf8))).upperBound
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<40 {
            var damaged = photo
            for _ in 0..<6 {
                let place = start + Int.random(in: 8..<140, using: &generator)
                damaged[place] = UInt8.random(in: 0...255, using: &generator)
            }
            let sent = try await prepare(damaged)
            #expect(sent.count == damaged.count)
            #expect(try !JPEGHeader.read(sent).hasLocation)
        }
    }
}
