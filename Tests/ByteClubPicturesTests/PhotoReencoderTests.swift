import Foundation
import Glibc
import ByteClubPictures
import Synchronization
import TestSupport
import Testing

@Suite struct PhotoReencoderTests {
    private let folder: TemporaryFolder
    private let reencoder: PhotoReencoder

    init() throws {
        folder = try TemporaryFolder()
        reencoder = PhotoReencoder(directory: folder.url)
    }

    @Test(arguments: 1...8, [false, true])
    func turnsThePixelsInsteadOfSayingSo(orientation: Int, isProgressive: Bool) throws {
        // Neither side is a multiple of the strips' and tiles' 64 pixels.
        let photo = Photos.corners(
            width: 210, height: 150, orientation: orientation, isProgressive: isProgressive)
        let output = try reencoder.reencode(JPEGFile(data: photo))
        #expect(
            output.size
                == (orientation < 5
                    ? PixelSize(width: 210, height: 150) : PixelSize(width: 150, height: 210)))

        let header = try JPEGHeader.read(fileAt: output.url)
        #expect(header.orientation == .up)
        #expect(header.storedSize == output.size)
        let before = try JPEGFile(data: photo).decode().image
        let after = try JPEGFile(at: output.url).decode().image
        #expect(after.meanDifference(from: before) < 2)
    }

    @Test(arguments: 1...8)
    func keepsEveryPixelInItsPlace(orientation: Int) throws {
        // Gray ramps have no second half like the first: a strip in the wrong place would show.
        let stored = Photos.grey(width: 333, height: 141)
        let before = try JPEGFile(data: stored).decode().image
        let turned = try #require(Orientation(rawValue: orientation))
        let exif = Photos.withOrientation(orientation, stored)
        let output = try reencoder.reencode(JPEGFile(data: exif))
        let after = try JPEGFile(at: output.url).decode().image
        #expect(try JPEGHeader.read(fileAt: output.url).componentCount == 1)
        #expect(after.greatestDifference(from: before.oriented(turned)) < 12)
    }

    @Test(arguments: [false, true])
    func turnsInksIntoColours(asYCCK: Bool) throws {
        let output = try reencoder.reencode(JPEGFile(data: Photos.inks(asYCCK: asYCCK)))
        #expect(try JPEGHeader.read(fileAt: output.url).componentCount == 3)
        let image = try JPEGFile(at: output.url).decode().image
        #expect(image[0, 0].isNear(.init(red: 255, green: 0, blue: 0)))
        #expect(image[95, 63].isNear(.init(red: 255, green: 255, blue: 255)))
    }

    @Test(arguments: [1, 6], [false, true])
    func keepsTheCameraAndDropsTheLocationAndTheThumbnail(
        orientation: Int, keepsLocation: Bool
    ) throws {
        let metadata = PhotoMetadata(
            hasLocation: true, maker: "Byte & Sons", thumbnail: Photos.corners(width: 16, height: 8)
        )
        let photo = Photos.corners(orientation: orientation, metadata: metadata)
        try #require(try JPEGHeader.read(photo).hasLocation)
        let reencoder = PhotoReencoder(directory: folder.url, keepsLocation: keepsLocation)
        let output = try reencoder.reencode(JPEGFile(data: photo))
        let header = try JPEGHeader.read(fileAt: output.url)
        #expect(header.hasLocation == keepsLocation)
        #expect(header.thumbnail == nil)
        #expect(header.orientation == .up)
        let details = try PictureFile(at: output.url).details()
        #expect(details.camera == "Byte & Sons")
        #expect((details.location != nil) == keepsLocation)
    }

    @Test func aPhotoWithoutMetadataGetsNone() throws {
        let output = try reencoder.reencode(JPEGFile(data: Photos.corners(orientation: 6)))
        #expect(try Data(contentsOf: output.url).firstRange(of: Data("Exif".utf8)) == nil)
    }

    /// A JPEG with an XMP packet about a part of a panorama, and about a place.
    private static func panorama(orientation: Int) -> Data {
        let words = """
            <rdf:Description tiff:Make="Byte" exif:GPSLatitude="47,3.2N" GPano:ProjectionType="equirectangular"
            GPano:FullPanoWidthPixels="4000" GPano:CroppedAreaImageWidthPixels="200"
            GPano:PoseHeadingDegrees="213.5" GPano:PosePitchDegrees="-1.5"
            GPano:StitchingSoftware="&quot;/><x"/>
            """
        let packet = Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(words.utf8)
        let length = packet.count + 2
        var photo = Photos.corners(width: 200, height: 100, orientation: orientation)
        photo.insert(
            contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + packet,
            at: photo.startIndex + 2)
        return photo
    }

    @Test func keepsThatItIsAPanorama() throws {
        let photo = Self.panorama(orientation: 1)
        let before = try PictureFile(data: photo).details()
        try #require(before.isFullTurn == false && before.heading == 213.5)
        let output = try reencoder.reencode(JPEGFile(data: photo))
        let after = try PictureFile(at: output.url).details()
        #expect(after.isFullTurn == false && after.heading == 213.5)
        let text = String(decoding: try Data(contentsOf: output.url), as: UTF8.self)
        #expect(text.contains("GPano:PosePitchDegrees=\"-1.5\""))
        for other in ["Byte", "47,3.2N", "Stitching"] { #expect(!text.contains(other)) }
    }

    /// Its numbers are about the pixels before they were turned.
    @Test func aTurnedPictureSaysNothingOfItsProjection() throws {
        let output = try reencoder.reencode(JPEGFile(data: Self.panorama(orientation: 6)))
        #expect(try PictureFile(at: output.url).details().heading == nil)
        #expect(try Data(contentsOf: output.url).firstRange(of: Data("GPano".utf8)) == nil)
    }

    @Test func keepsAProfileThatFitsThePixelsAndNoOther() throws {
        let fitting = Photos.profile(for: "RGB ", byteCount: 70_000)
        let output = try reencoder.reencode(JPEGFile(data: Photos.corners(profile: fitting)))
        let bytes = try Data(contentsOf: output.url)
        // It is too long for one marker, so it comes in two pieces.
        #expect(bytes.firstRange(of: Data("ICC_PROFILE\0\u{1}\u{2}".utf8)) != nil)
        #expect(bytes.firstRange(of: Data("ICC_PROFILE\0\u{2}\u{2}".utf8)) != nil)

        let other = Photos.profile(for: "CMYK")
        let second = try reencoder.reencode(JPEGFile(data: Photos.corners(profile: other)))
        #expect(try Data(contentsOf: second.url).firstRange(of: Data("ICC_PROFILE".utf8)) == nil)
    }

    @Test func writesAPrivateFileOfTheSizeItSays() throws {
        let output = try reencoder.reencode(JPEGFile(data: Photos.noise(width: 300, height: 200)))
        var status = stat()
        try #require(stat(output.url.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(Int64(status.st_size) == output.byteCount)
        #expect(folder.names == [output.url.lastPathComponent])
    }

    @Test func makesSmallerFilesOfLowerQuality() throws {
        let photo = JPEGFile(data: Photos.noise(width: 300, height: 200))
        let byteCounts = try [1, 0.6, 0.2, 0].map {
            try PhotoReencoder(quality: $0, directory: folder.url).reencode(photo).byteCount
        }
        #expect(byteCounts == byteCounts.sorted(by: >))
    }

    @Test(arguments: [nil, 6] as [Int?])
    func reencodesAPanoramaInStripsAndTellsTheProgress(orientation: Int?) throws {
        let reports = Mutex<[Double]>([])
        let photo = Photos.wide(width: 3000, height: 750, orientation: orientation)
        let output = try reencoder.reencode(JPEGFile(data: photo)) { part in
            reports.withLock { $0.append(part) }
        }
        #expect(output.size.pixelCount == 3000 * 750)
        let parts = reports.withLock { $0 }
        #expect(parts == parts.sorted())
        #expect(parts.count >= 10 && parts.count <= 100)
        #expect(parts.last == 1)
    }

    @Test func refusesWhatIsNoWholePictureAndLeavesNothingBehind() throws {
        let cases: [(Data, PictureError.Code)] = [
            (Data(), .empty), (Data("text".utf8), .notAPicture),
            (Photos.truncated(), .truncated), (Photos.truncated(keeping: 0.99), .truncated),
            (Photos.corners(isProgressive: true).dropLast(40), .truncated),
        ]
        for (data, code) in cases {
            let error = #expect(throws: PictureError.self) {
                try reencoder.reencode(JPEGFile(data: Data(data)))
            }
            #expect(error?.code == code)
        }
        #expect(folder.names.isEmpty)
    }

    @Test func saysWhenItCannotWrite() throws {
        let nowhere = PhotoReencoder(directory: folder.url.appending(path: "missing"))
        let error = #expect(throws: PictureError.self) {
            try nowhere.reencode(JPEGFile(data: Photos.corners()))
        }
        #expect(error?.code == .cannotWrite)
    }

    @Test(arguments: [1, 8])
    func stopsWhenItsTaskIsCancelledAndLeavesNothingBehind(orientation: Int) async throws {
        let photo = Photos.wide(width: 3000, height: 750, orientation: orientation)
        let reencoder = reencoder
        let task = Task {
            try reencoder.reencode(JPEGFile(data: photo)) { part in
                if part > 0.2 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let error = await #expect(throws: PictureError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(folder.names.isEmpty)
    }
}

extension PixelImage {
    /// The largest difference of any channel of any pixel.
    func greatestDifference(from other: PixelImage) -> Int {
        guard size == other.size else { return .max }
        return zip(bytes, other.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// The average difference of all channels.
    func meanDifference(from other: PixelImage) -> Double {
        guard size == other.size else { return .infinity }
        let sum = zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(bytes.count)
    }
}
