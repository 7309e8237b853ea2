import Foundation
import ByteClubPictures
import TestSupport
import Testing

/// A progressive picture is read whole before its first row comes.
@Suite struct LargeProgressiveTests {
    @Test func itShowsWhatTheSamePictureShowsThatIsNot() throws {
        let folder = try TemporaryFolder()
        let box = PixelSize(width: 640, height: 640)
        let size = (width: 10_000, height: 5000)
        let plain = JPEGFile(data: Photos.wide(width: size.width, height: size.height))
        let progressive = JPEGFile(
            data: Photos.wide(width: size.width, height: size.height, isProgressive: true))
        let shown = try progressive.decode(scaledToFit: box)
        #expect(shown.image == (try plain.decode(scaledToFit: box).image))
        #expect(!shown.isDamaged)
        let output = try PhotoReencoder(directory: folder.url).reencode(progressive)
        #expect(
            try JPEGFile(at: output.url).decode(scaledToFit: box).image.size == shown.image.size)
        #expect(folder.names.count == 1)
    }
}
