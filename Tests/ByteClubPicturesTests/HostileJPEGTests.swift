import Foundation
import Glibc
import ByteClubPictures
import TestSupport
import Testing

/// A file is refused before it costs more than a photo does.
@Suite struct HostileJPEGTests {
    @Test(arguments: [240_000, 480_000])
    func emptyMarkersByTheHundredThousandAreRefused(count: Int) throws {
        let photo = Photos.withMarkers(count)
        let folder = try TemporaryFolder()
        let file = try folder.add(photo, named: "markers.jpg")
        for photo in [JPEGFile(data: photo), JPEGFile(at: file)] {
            try expectRefusal(.tooCostly) { _ = try photo.header() }
            try expectRefusal(.tooCostly) { _ = try photo.decode() }
            try expectRefusal(.tooCostly) {
                _ = try PhotoReencoder(directory: folder.url).reencode(photo)
            }
        }
        #expect(folder.names == ["markers.jpg"])
    }

    @Test(arguments: [UInt8(0xE1), 0xE2, 0xED, 0xFE])
    func asManyMarkersAsAnEditorWritesAreRead(code: UInt8) throws {
        let photo = Photos.withMarkers(4000, code: code)
        #expect(try JPEGFile(data: photo).decode().image.size == PixelSize(width: 96, height: 64))
    }

    @Test func aSmallFileThatClaimsAHugeProgressivePictureTakesNoMemory() throws {
        let photo = Photos.wide(width: 96, height: 64, isProgressive: true)
        let huge = JPEGFile(data: Photos.claiming(width: 65_500, height: 5400, in: photo))
        try expectRefusal(.tooLarge) { _ = try huge.decode(scaledToFit: box) }
        // Allowed as a size; but so many blocks do not fit into so few bytes.
        for (width, height) in [(13_300, 13_300), (12_000, 8000)] {
            let file = JPEGFile(data: Photos.claiming(width: width, height: height, in: photo))
            try expectRefusal(.truncated) { _ = try file.decode(scaledToFit: box) }
        }
        let file = JPEGFile(data: Photos.claiming(width: 12_000, height: 8000, in: photo))
        try expectRefusal(.truncated) { _ = try PhotoReencoder().reencode(file) }
    }

    @Test func scansTimesPixelsAreLimited() throws {
        // 2.5 million blocks, each with its bit, and 1.7 million of them in each further scan.
        let file = JPEGFile(
            data: Photos.manyScans(
                150, width: 12_000, height: 9000, firstScanByteCount: 1 << 20))
        try expectRefusal(.tooCostly) { _ = try file.decode(scaledToFit: box) }
        try expectRefusal(.tooCostly) { _ = try PhotoReencoder().reencode(file) }
        // The same number of scans is all right where there is less to go through.
        let small = JPEGFile(
            data: Photos.manyScans(150, width: 960, height: 640, firstScanByteCount: 1 << 16))
        #expect(try small.decode().image.size == PixelSize(width: 960, height: 640))
        let many = JPEGFile(
            data: Photos.manyScans(300, width: 96, height: 64, firstScanByteCount: 1 << 10))
        try expectRefusal(.damaged) { _ = try many.decode() }
    }

    @Test(arguments: [
        PixelSize(width: 16_384, height: 8192), PixelSize(width: 10_000, height: 10_000),
    ])
    func aSphereMayBeProgressive(size: PixelSize) throws {
        let photo = Photos.claiming(
            width: size.width, height: size.height,
            in: Photos.wide(width: 96, height: 64, isProgressive: true))
        #expect(try JPEGHeader.read(photo).size == size)
    }

    @Test func aPhotoTooLargeToBeEncodedInTimeIsRefused() throws {
        let file = JPEGFile(
            data: Photos.claiming(width: 65_500, height: 3400, in: Photos.corners()))
        try expectRefusal(.tooLargeToReencode) { _ = try PhotoReencoder().reencode(file) }
        #expect(try file.decode(scaledToFit: box).isDamaged)
        let progressive = Photos.wide(width: 96, height: 64, isProgressive: true)
        let other = JPEGFile(
            data: Photos.claiming(width: 65_500, height: 2400, in: progressive))
        try expectRefusal(.tooLargeToReencode) { _ = try PhotoReencoder().reencode(other) }
    }

    @Test func onlyTheFirstEXIFCounts() throws {
        let photo = Photos.withOrientation(6, Photos.withOrientation(3, Photos.corners()))
        #expect(try JPEGHeader.read(photo).orientation == .right)
    }

    private let box = PixelSize(width: 256, height: 256)

    /// Expects an error, and less than half a second of this thread's processor.
    private func expectRefusal(
        _ code: PictureError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws {
        let time = processorSeconds {
            let error = #expect(throws: PictureError.self, sourceLocation: sourceLocation) {
                try body()
            }
            #expect(error?.code == code, sourceLocation: sourceLocation)
        }
        #expect(time < 0.5, sourceLocation: sourceLocation)
    }

    private func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
        let before = Self.processorTime
        try body()
        return Self.processorTime - before
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
