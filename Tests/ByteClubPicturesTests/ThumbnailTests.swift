import Foundation
import ByteClubPictures
import TestSupport
import Testing

@Suite struct ThumbnailTests {
    @Test func isAJPEGThatFitsTheBox() throws {
        let thumbnail = try Thumbnail.make(
            of: JPEGFile(data: Photos.corners(width: 600, height: 100, orientation: 6)),
            fitting: PixelSize(width: 128, height: 128))
        #expect(thumbnail.size == PixelSize(width: 21, height: 128))
        #expect(thumbnail.fullSize == PixelSize(width: 100, height: 600))
        let header = try JPEGHeader.read(thumbnail.data)
        #expect(header.storedSize == thumbnail.size)
        #expect(header.orientation == .up)
        let image = try JPEGFile(data: thumbnail.data).decode().image
        #expect(image[2, 2].isNear(.init(red: 255, green: 0, blue: 0)))
        #expect(image[2, 125].isNear(.init(red: 0, green: 0, blue: 255)))
    }

    @Test func isNeverLargerThanThePicture() throws {
        let thumbnail = try Thumbnail.make(
            of: JPEGFile(data: Photos.corners(width: 40, height: 20)),
            fitting: PixelSize(width: 1024, height: 768))
        #expect(thumbnail.size == PixelSize(width: 40, height: 20))
    }

    @Test func choosesTheSizeByTheMode() {
        let panorama = PixelSize(width: 1000, height: 500)
        let box = PixelSize(width: 100, height: 200)
        #expect(
            Thumbnail.Mode.strict.size(of: panorama, in: box) == PixelSize(width: 100, height: 50))
        #expect(
            Thumbnail.Mode.bestFit.size(of: panorama, in: box) == PixelSize(width: 200, height: 100)
        )
        #expect(
            Thumbnail.Mode.fitOneBestFit.size(of: panorama, in: PixelSize(width: 100, height: 100))
                == PixelSize(width: 200, height: 100))
    }

    @Test func showsWhatThereIsOfADamagedPicture() throws {
        let thumbnail = try Thumbnail.make(
            of: JPEGFile(data: Photos.truncated()), fitting: PixelSize(width: 64, height: 64))
        #expect(thumbnail.size == PixelSize(width: 64, height: 38))
    }

    @Test func saysWhatIsNoPicture() {
        let error = #expect(throws: PictureError.self) {
            try Thumbnail.make(
                of: JPEGFile(data: Photos.png), fitting: PixelSize(width: 64, height: 64))
        }
        #expect(error?.code == .notAPicture)
    }

    @Test(arguments: [(1, 160, 120), (6, 120, 160), (3, 160, 120)])
    func theSmallPictureOfACameraIsTurnedLikeTheLargeOne(
        _ orientation: Int, _ width: Int, _ height: Int
    ) throws {
        let photo = Photos.corners(
            width: 800, height: 600, orientation: orientation,
            metadata: PhotoMetadata(thumbnail: Photos.corners(width: 160, height: 120)))
        let thumbnail = try Thumbnail.embedded(
            in: JPEGHeader.read(photo), fitting: PixelSize(width: 256, height: 256))
        #expect(thumbnail.size == PixelSize(width: width, height: height))
        #expect(try thumbnail.fullSize == JPEGHeader.read(photo).size)
    }

    @Test(arguments: [
        // Bars around it; too small; none.
        PixelSize(width: 256, height: 128), PixelSize(width: 80, height: 60), nil,
    ])
    func aSmallPictureThatWillNotDoIsNone(_ size: PixelSize?) throws {
        let small = size.map { Photos.corners(width: $0.width, height: $0.height) }
        let photo = Photos.corners(
            width: 800, height: 600, metadata: PhotoMetadata(maker: "Byte & Sons", thumbnail: small)
        )
        let header = try JPEGHeader.read(photo)
        #expect(throws: PictureError.self) {
            try Thumbnail.embedded(in: header, fitting: PixelSize(width: 256, height: 256))
        }
    }

    @Test func aSmallPictureThatIsBrokenIsNone() throws {
        let broken = Photos.corners(width: 160, height: 120).prefix(700)
        let photo = Photos.corners(
            width: 800, height: 600, metadata: PhotoMetadata(maker: "x", thumbnail: broken))
        let header = try JPEGHeader.read(photo)
        #expect(throws: PictureError.self) {
            try Thumbnail.embedded(in: header, fitting: PixelSize(width: 256, height: 256))
        }
    }
}
