import Foundation
import ByteClubPictures
import TestSupport
import Testing

/// What is read before any library sees a picture.
@Suite struct PictureFactsTests {
    @Test(arguments: [
        Photos.corners(), Photos.corners(orientation: 6), Photos.corners(isProgressive: true),
        Photos.grey(), Photos.grey(isProgressive: true), Photos.inks(), Photos.inks(asYCCK: false),
        Photos.noise(width: 301, height: 77),
        Photos.withOrientation(6, Photos.withOrientation(3, Photos.corners())),
        Photos.withMarkers(4000),
        Photos.claiming(width: 65_500, height: 3400, in: Photos.corners()),
    ])
    func saysWhatLibjpegSays(_ photo: Data) throws {
        let facts = try PictureFile(data: photo).facts()
        let header = try JPEGHeader.read(photo)
        #expect(facts.format == .jpeg)
        #expect(facts.storedSize == header.storedSize)
        #expect(facts.size == header.size)
        #expect(facts.orientation == header.orientation)
        #expect(facts.componentCount == header.componentCount)
        #expect(facts.isReadWhole == header.isProgressive)
        #expect(facts.takesLong == header.takesLong)
        #expect(facts.byteCount == photo.count)
    }

    @Test(arguments: [
        (PNGFixtures.interlaced, true), (PNGFixtures.palette, false), (PNGFixtures.grey16, false),
    ])
    func saysWhatLibpngSays(_ picture: Data, isInterlaced: Bool) throws {
        let facts = try PictureFile(data: picture).facts()
        #expect(facts.format == .png)
        #expect(facts.size == (try PNGFile(data: picture).size()))
        #expect(facts.isReadWhole == isInterlaced)
    }

    @Test(arguments: [
        (FileFormat.video, Data([0, 0, 0, 0x18]) + Data("ftypisom\0\0\0\0".utf8), "a video"),
        (.jpegXL, Data([0xFF, 0x0A, 1, 2]), "a JPEG XL picture"),
        (.photoshop, Data("8BPS\0\u{1}".utf8), "a Photoshop file"),
        (.pdf, Data("%PDF-1.7\n".utf8), "a PDF"),
        (.webPage, Data("\n <!DOCTYPE html><title>Log in</title>".utf8), "a web page"),
        (.svg, Data("<?xml version=\"1.0\"?><svg width=\"3\">".utf8), "an SVG"),
        (.text, Data("Dear diary, héllo".utf8), "a text"),
        (.archive, Data("PK\u{3}\u{4}\u{14}\0".utf8), "an archive"),
        (nil, Data([1, 2, 3, 4, 0, 9, 9]), "it is not a picture that can be read"),
    ])
    func whatIsNoPictureIsNamed(format: FileFormat?, data: Data, words: String) throws {
        for operation in [
            { _ = try PictureFile(data: data).facts() },
            {
                _ = try PictureFile(data: data).decode { $0 }
            }, { _ = try PhotoReencoder().reencode(PictureFile(data: data)) },
        ] {
            let error = #expect(throws: PictureError.self) { try operation() }
            #expect(error?.code == .notAPicture)
            #expect(error?.format == format)
            #expect(error?.reason.contains(words) == true)
            #expect(error?.reason.hasSuffix("not a picture that can be read") == true)
        }
    }

    @Test func aPictureIsOpenedByItsContentWhateverItsName() throws {
        let folder = try TemporaryFolder()
        let png = try folder.add(PNGFixtures.palette, named: "photo.jpg")
        let jpeg = try folder.add(Photos.corners(), named: "drawing.png")
        #expect(try PictureFile(at: png).decode { $0 }.image.size == PixelSize(width: 3, height: 2))
        #expect(try PictureFile(at: jpeg).size() == PixelSize(width: 96, height: 64))
        let output = try PhotoReencoder(directory: folder.url).reencode(png)
        let image = try JPEGFile(at: output.url).decode().image
        // What is transparent is white in a JPEG.
        #expect(image[0, 0].isNear(.init(red: 255, green: 255, blue: 255)))
        #expect(image[2, 1].isNear(.init(red: 0, green: 0, blue: 0)))
    }
}
