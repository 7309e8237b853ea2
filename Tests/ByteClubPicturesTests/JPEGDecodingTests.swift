import Foundation
import ByteClubPictures
import TestSupport
import Testing

@Suite struct JPEGDecodingTests {
    @Test(arguments: 1...8, [false, true])
    func turnsEveryOrientationUpright(orientation: Int, isProgressive: Bool) throws {
        let photo = Photos.corners(
            width: 80, height: 48, orientation: orientation, isProgressive: isProgressive)
        let decoded = try JPEGFile(data: photo).decode()
        let shown = orientation < 5 ? (80, 48) : (48, 80)
        #expect(decoded.image.size == PixelSize(width: shown.0, height: shown.1))
        #expect(!decoded.isDamaged)
        expectCorners(of: decoded.image)
    }

    @Test(arguments: 1...8)
    func turnsScaledPicturesToo(orientation: Int) throws {
        let photo = Photos.corners(width: 400, height: 240, orientation: orientation)
        let image = try JPEGFile(data: photo)
            .decode(scaledToFit: PixelSize(width: 50, height: 50)).image
        #expect(max(image.size.width, image.size.height) == 50)
        expectCorners(of: image)
    }

    @Test func showsGrey() throws {
        let image = try JPEGFile(data: Photos.grey()).decode().image
        let (left, right) = (image[0, 30], image[95, 30])
        #expect(left.red < 12 && left.red == left.green && left.green == left.blue)
        #expect(right.red > 243 && right.red == right.green && right.green == right.blue)
    }

    @Test(arguments: [false, true])
    func showsInks(asYCCK: Bool) throws {
        expectCorners(of: try JPEGFile(data: Photos.inks(asYCCK: asYCCK)).decode().image)
    }

    @Test(arguments: [
        (PixelSize(width: 96, height: 64), 96, 64), (PixelSize(width: 48, height: 100), 48, 32),
        (PixelSize(width: 30, height: 30), 30, 20), (PixelSize(width: 1, height: 1), 1, 1),
        (PixelSize(width: 500, height: 500), 96, 64), (PixelSize(width: 0, height: -3), 1, 1),
        (PixelSize(width: 95, height: 95), 95, 63),
    ])
    func fitsIntoABoxAndNeverEnlarges(box: PixelSize, width: Int, height: Int) throws {
        let image = try JPEGFile(data: Photos.corners()).decode(scaledToFit: box).image
        #expect(image.size == PixelSize(width: width, height: height))
        #expect(image.bytes.count == width * height * 4)
    }

    @Test(arguments: [false, true])
    func showsALargePanorama(isProgressive: Bool) throws {
        let photo = Photos.wide(isProgressive: isProgressive)
        let image = try JPEGFile(data: photo).decode(scaledToFit: PixelSize(width: 160, height: 90))
            .image
        #expect(image.size == PixelSize(width: 160, height: 40))
        for band in 0..<8 {
            let pixel = image[band * 20 + 10, 20]
            #expect((pixel.red > 128) == (band & 4 != 0), "red of band \(band)")
            #expect((pixel.green > 128) == (band & 2 != 0), "green of band \(band)")
            #expect((pixel.blue > 128) == (band & 1 != 0), "blue of band \(band)")
        }
    }

    @Test(arguments: [0.3, 0.6, 0.95])
    func showsWhatThereIsOfATruncatedPicture(part: Double) throws {
        let decoded = try JPEGFile(data: Photos.truncated(keeping: part)).decode()
        #expect(decoded.isDamaged)
        #expect(decoded.image.size == PixelSize(width: 160, height: 96))
        // The last row was never there.
        #expect(decoded.image[80, 95] == PixelImage.Pixel(red: 128, green: 128, blue: 128))
    }

    @Test func readsAFileLikeMemory() throws {
        let folder = try TemporaryFolder()
        let photo = Photos.noise(width: 300, height: 200)
        let file = try folder.add(photo, named: "noise.jpg")
        #expect(
            try JPEGFile(at: file).decode().image == JPEGFile(data: photo).decode().image)
    }

    @Test func stopsWhenItsTaskIsCancelled() async throws {
        let photo = Photos.wide(width: 4000, height: 1000)
        let progressive = Photos.wide(width: 4000, height: 1000, isProgressive: true)
        for photo in [photo, progressive] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try JPEGFile(data: photo).decode()
            }
            let error = await #expect(throws: PictureError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func worksOnItsOwnQueueAndKnowsItsTask() async throws {
        let size = try await PictureQueue.previews.run { () throws(PictureError) in
            try JPEGFile(data: Photos.corners()).decode().image.size
        }
        #expect(size == PixelSize(width: 96, height: 64))

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await PictureQueue(label: "exports").run { Task.isCancelled }
        }
        #expect(await task.value)
    }

    private func expectCorners(
        of image: PixelImage, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (right, bottom) = (image.size.width - 1, image.size.height - 1)
        let corners: [(Int, Int, PixelImage.Pixel)] = [
            (0, 0, .init(red: 255, green: 0, blue: 0)),
            (right, 0, .init(red: 0, green: 255, blue: 0)),
            (0, bottom, .init(red: 0, green: 0, blue: 255)),
            (right, bottom, .init(red: 255, green: 255, blue: 255)),
        ]
        for (x, y, color) in corners {
            let pixel = image[x, y]
            #expect(pixel.isNear(color), "at \(x), \(y)", sourceLocation: sourceLocation)
        }
    }
}

extension PixelImage.Pixel {
    /// Whether each channel is within what JPEG's losses explain.
    func isNear(_ other: PixelImage.Pixel, by tolerance: Int = 24) -> Bool {
        zip([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}
