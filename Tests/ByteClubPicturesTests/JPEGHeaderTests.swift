import Foundation
import Glibc
import ByteClubPictures
import TestSupport
import Testing

@Suite struct JPEGHeaderTests {
    @Test(arguments: [false, true])
    func readsSizeComponentsAndKind(isProgressive: Bool) throws {
        let header = try JPEGHeader.read(
            Photos.corners(width: 97, height: 61, isProgressive: isProgressive))
        #expect(header.storedSize == PixelSize(width: 97, height: 61))
        #expect(header.size == header.storedSize)
        #expect(header.componentCount == 3)
        #expect(header.isProgressive == isProgressive)
        #expect(header.orientation == .up)
        #expect(!header.hasLocation)
        #expect(header.thumbnail == nil)
    }

    @Test func countsComponentsOfGreyAndOfInks() throws {
        #expect(try JPEGHeader.read(Photos.grey()).componentCount == 1)
        #expect(try JPEGHeader.read(Photos.inks()).componentCount == 4)
    }

    @Test(arguments: 1...8, [false, true])
    func readsTheOrientationInBothByteOrders(orientation: Int, isBigEndian: Bool) throws {
        let header = try JPEGHeader.read(
            Photos.corners(
                width: 64, height: 32, orientation: orientation,
                metadata: PhotoMetadata(isBigEndian: isBigEndian, maker: "Byte & Sons")))
        #expect(header.orientation.rawValue == orientation)
        let shown = orientation < 5 ? (64, 32) : (32, 64)
        #expect(header.size == PixelSize(width: shown.0, height: shown.1))
        #expect(header.storedSize == PixelSize(width: 64, height: 32))
    }

    @Test(arguments: [0, 9, 65_535])
    func takesAnOrientationThatDoesNotExistForUpright(orientation: Int) throws {
        let header = try JPEGHeader.read(
            Photos.corners(metadata: PhotoMetadata(orientation: orientation)))
        #expect(header.orientation == .up)
    }

    @Test func findsLocationAndThumbnail() throws {
        let small = Photos.corners(width: 16, height: 8)
        let header = try JPEGHeader.read(
            Photos.corners(
                metadata: PhotoMetadata(
                    orientation: 3, hasLocation: true, maker: "Byte & Sons", thumbnail: small)))
        #expect(header.hasLocation)
        #expect(header.thumbnail == small)
        #expect(header.orientation == .down)
    }

    @Test func readsOnlyTheHeadOfAFile() throws {
        let folder = try TemporaryFolder()
        // All that follows the first pixels is missing: a header does not need it.
        let whole = Photos.noise(width: 640, height: 400)
        let file = try folder.add(whole.prefix(1000), named: "head.jpg")
        #expect(try JPEGHeader.read(fileAt: file).size == PixelSize(width: 640, height: 400))
    }

    @Test func saysWhyAFileIsNoPicture() throws {
        let folder = try TemporaryFolder()
        func code(_ data: Data, _ name: String) throws -> PictureError.Code? {
            let file = try folder.add(data, named: name)
            return #expect(throws: PictureError.self) { try JPEGHeader.read(fileAt: file) }?.code
        }
        #expect(try code(Data(), "empty.jpg") == .empty)
        #expect(try code(Data("Dear diary".utf8), "diary.jpg") == .notAPicture)
        #expect(try code(Photos.png, "really.jpg") == .notAPicture)
        #expect(try code(Data([0xFF]), "one byte.jpg") == .notAPicture)
        #expect(try code(Data([0xFF, 0xD8]), "two bytes.jpg") == .truncated)
        #expect(try code(Photos.corners().prefix(200), "cut.jpg") == .truncated)
    }

    @Test func saysWhyAFileCannotBeRead() throws {
        let folder = try TemporaryFolder()
        func code(_ url: URL) -> PictureError.Code? {
            #expect(throws: PictureError.self) { try JPEGHeader.read(fileAt: url) }?.code
        }
        #expect(code(folder.url) == .isDirectory)
        #expect(code(folder.url.appending(path: "nothing.jpg")) == .notFound)
        #expect(code(URL(string: "https://example.com/a.jpg")!) == .notFound)

        // A named pipe without a writer must not block.
        let pipe = folder.url.appending(path: "pipe.jpg")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        #expect(code(pipe) == .unreadable)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func saysThatAFileIsForbidden() throws {
        let folder = try TemporaryFolder()
        let file = try folder.add(Photos.corners(), named: "secret.jpg")
        try #require(chmod(file.path, 0) == 0)
        let error = #expect(throws: PictureError.self) { try JPEGHeader.read(fileAt: file) }
        #expect(error?.code == .unreadable)
    }

    @Test func namesTheFileInItsErrors() throws {
        let folder = try TemporaryFolder()
        let file = try folder.add(Data("text".utf8), named: "holiday.jpg")
        let error = #expect(throws: PictureError.self) { try JPEGHeader.read(fileAt: file) }
        #expect(
            error?.description.hasPrefix("could not read holiday.jpg: it is not a picture") == true)
    }

    @Test func refusesMorePixelsThanAnyPictureHas() throws {
        // The size of a good picture, overwritten in its frame header: 65,000 × 65,000.
        var bytes = Photos.corners()
        let frame = try #require(bytes.firstRange(of: Data([0xFF, 0xC0])))
        bytes.replaceSubrange(
            frame.lowerBound + 5..<frame.lowerBound + 9, with: [0xFD, 0xE8, 0xFD, 0xE8])
        let error = #expect(throws: PictureError.self) { try JPEGHeader.read(bytes) }
        #expect(error?.code == .tooLarge)
    }

    @Test func refusesAKindOfJPEGThatCannotBeDecoded() throws {
        // Lossless, by the frame marker's number.
        var bytes = Photos.corners()
        let frame = try #require(bytes.firstRange(of: Data([0xFF, 0xC0])))
        bytes[frame.lowerBound + 1] = 0xC3
        let error = #expect(throws: PictureError.self) { try JPEGHeader.read(bytes) }
        #expect(error?.code == .unsupported)
    }
}
